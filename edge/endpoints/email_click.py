"""``GET /v1/email/click/{token}``: the link of a mail whose ad is chosen when it is opened."""

from sanic import HTTPResponse, Request

from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from edge.context import EdgeContext
from edge.email.links import LinkInvalid, LinkUse, open_link
from edge.email.open_mail import choose_shown, find_click_token
from edge.endpoints import click
from edge.endpoints.click import redirect_to
from edge.request.call import call_of


async def handle(request: Request, token: str) -> HTTPResponse:
    """
    Counts and redirects as the click URL of the ad that was shown last. Without one, as that of the ad that would be
    shown now, and without that, or where the ad is gone, to the property's site.
    """
    edge: EdgeContext = request.app.ctx.edge
    now_ms = edge.clock.now_ms()
    try:
        link, prop = open_link(edge.secrets, edge.snapshots.current(), token, LinkUse.CLICK)
    except LinkInvalid:
        raise _unknown() from None
    text = await find_click_token(edge, link)
    if text is None:
        shown = await choose_shown(edge, link, prop, call_of(request), now_ms, counts_no_fill=False)
        text = None if shown is None or shown.fill.ad.click_url is None else shown.tokens.click
    if text is not None:
        try:
            return await click.handle(request, text)
        except Refused as refused:
            if refused.code is not ErrorCode.NOT_FOUND:  # else the ad is gone
                raise
    if prop.domain is None:
        raise _unknown()
    return redirect_to(f"https://{prop.domain}/")


def _unknown() -> Refused:
    return Refused(
        ErrorCode.NOT_FOUND,
        Message("This link has no destination. Use `click_url` exactly as it was prepared."),
    )
