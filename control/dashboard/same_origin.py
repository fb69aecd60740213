"""Forms are taken from our own pages only."""

from sanic import Request

from common.values.errors import ErrorCode, Refused


def check_same_origin(request: Request, own_url: str) -> None:
    """
    Raises `Refused` unless the form was sent from a page of ours.

    Browsers say so in ``Sec-Fetch-Site``. Those of before 2023 say ``Origin``, which is ours under our own referrer
    policies; ``null`` is any page that hides where it is from. A caller without both is no browser, for every browser
    sends ``Origin`` with the form of another site; whatever cookie it has, it was given.
    """
    site = request.headers.getone("sec-fetch-site", None)
    origin = request.headers.getone("origin", None)
    if site == "same-origin" or (site is None and origin in (own_url.rstrip("/"), None)):
        return
    raise Refused(
        ErrorCode.BAD_REQUEST,
        "This form was sent from another site. Open its page here, and send it again.",
    )
