"""What a page of ours may load, and who may frame it: nothing inline, nothing of other hosts but assets of ads."""

from urllib.parse import urlsplit

from control.settings import ControlSettings


def page_headers(settings: ControlSettings, *, framed_by: str | None = None) -> dict[str, str]:
    """*framed_by*: the one origin that may frame the page; None: nobody."""
    assets = _origin(settings.assets_url)
    framers = framed_by or "'none'"
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        f"img-src 'self' data: https: {assets}; media-src https: {assets}; "
        "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; "
        f"frame-ancestors {framers}"
    )
    return {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Referrer-Policy": "no-referrer" if framed_by else "same-origin",
        "X-Content-Type-Options": "nosniff",
    }


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
