"""``GET /v1/email/image/{token}``: the image of a mail that is chosen when it is opened, and the demo ad's image."""

import asyncio

from sanic import HTTPResponse, Request

from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from edge.context import EdgeContext
from edge.email.links import LinkInvalid, LinkUse, MailLink, open_link
from edge.email.open_mail import OpenedAd, choose_shown, count_shown, image_of
from edge.email.pictures import demo, transparent
from edge.endpoints.impression import NEVER_CACHED
from edge.request.call import call_of

_PNG = "image/png"


async def handle(request: Request, token: str) -> HTTPResponse:
    """302 to the ad's image, or a transparent one. HEAD and expired links count nothing."""
    edge: EdgeContext = request.app.ctx.edge
    now_ms = edge.clock.now_ms()
    try:
        link, prop = open_link(edge.secrets, edge.snapshots.current(), token, LinkUse.IMAGE)
    except LinkInvalid:
        raise Refused(
            ErrorCode.NOT_FOUND,
            Message("This image does not exist. Use `image_url` exactly as it was prepared."),
        ) from None
    shown: OpenedAd | None = None
    is_shown = request.method != "HEAD"
    if now_ms <= link.expires_ms:
        shown = await choose_shown(
            edge, link, prop, call_of(request), now_ms, counts_no_fill=is_shown
        )
    if shown is not None and is_shown:
        await count_shown(edge, link, shown, request, now_ms)
    return await _answer(edge, link, shown)


async def handle_demo(_: Request) -> HTTPResponse:
    return HTTPResponse(demo(), headers={"Cache-Control": "max-age=3600"}, content_type=_PNG)


async def _answer(edge: EdgeContext, link: MailLink, shown: OpenedAd | None) -> HTTPResponse:
    image = None if shown is None or link.ad_id is not None else image_of(edge, shown)
    if image is None:
        # A large one takes a tenth of a second.
        picture = await asyncio.to_thread(transparent, link.width, link.height)
        return HTTPResponse(picture, headers=NEVER_CACHED, content_type=_PNG)
    headers = {**NEVER_CACHED, "Location": image.image_url, "Referrer-Policy": "no-referrer"}
    return HTTPResponse(b"", status=302, headers=headers, content_type="text/plain; charset=utf-8")
