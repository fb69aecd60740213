"""Forms are taken from our own pages only."""

from sanic import Request

from common.errors import ErrorCode, Refused


def check_same_origin(request: Request, own_url: str) -> None:
    """
    Raises `Refused` unless the form was sent from a page of ours.

    Browsers say so in ``Sec-Fetch-Site``. Those that do not must say ``Origin``; it is ``null`` under our own referrer
    policy, so it alone never lets a POST in that names another host.
    """
    site = request.headers.getone("sec-fetch-site", None)
    origin = request.headers.getone("origin", None)
    if site == "same-origin" or (site is None and origin in (own_url.rstrip("/"), "null", None)):
        return
    raise Refused(
        ErrorCode.BAD_REQUEST,
        "This form was sent from another site. Open its page here, and send it again.",
    )
