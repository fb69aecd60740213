"""Accepts forms from the dashboard's own pages only."""

from sanic import Request

from common.values.errors import ErrorCode, Refused
from common.values.messages import Message


def check_same_origin(request: Request, own_url: str) -> None:
    """
    Raises `Refused` unless the form was sent from a page of this site.

    Browsers send ``Sec-Fetch-Site``. Those from before 2023 send ``Origin``, which under the dashboard's referrer
    policies is this site; ``null`` is any page that hides its origin. A caller without both is no browser, because
    every browser sends ``Origin`` with the form of another site. Such a caller was given its cookie deliberately.
    """
    site = request.headers.getone("sec-fetch-site", None)
    origin = request.headers.getone("origin", None)
    if site == "same-origin" or (site is None and origin in (own_url.rstrip("/"), None)):
        return
    raise Refused(
        ErrorCode.BAD_REQUEST,
        Message(
            "This form was sent from another site. Open the page here and send the form again."
        ),
    )
