"""What a page may load, and who may frame it: nothing inline, and nothing from other hosts but assets of ads."""

from urllib.parse import urlsplit

from control.foundation.settings import ControlSettings

_SHARED = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_BARE = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)


def page_headers(
    settings: ControlSettings,
    *,
    framed_by: str | None = None,
    keeps_token: bool = False,
    connects_to: str | None = None,
    frames: str | None = None,
) -> dict[str, str]:
    """
    *framed_by*: the one origin that may frame the page; None: nobody.

    *keeps_token*: its address holds a secret. So no script runs on it, nothing of another host is requested, and the
    referrer names only the host.

    *connects_to*: an origin besides this host that scripts of the page request.

    *frames*: an origin besides this host whose documents the page frames.
    """
    if keeps_token:
        return {**_SHARED, "Content-Security-Policy": _BARE, "Referrer-Policy": "strict-origin"}
    assets = origin_of(settings.assets_url)
    framers = framed_by or "'none'"
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        f"img-src 'self' data: https: {assets}; media-src 'self' https: {assets}; "
        f"connect-src {_self_and(connects_to)}; frame-src {_self_and(frames)}; base-uri 'none'; form-action 'self'; "
        f"frame-ancestors {framers}"
    )
    return {
        **_SHARED,
        "Content-Security-Policy": policy,
        "Referrer-Policy": "no-referrer" if framed_by else "same-origin",
    }


def _self_and(origin: str | None) -> str:
    return f"'self' {origin}" if origin else "'self'"


def origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
