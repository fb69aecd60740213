"""The edge's operations of mails: prepare a mailing's ads, and what its images and links lead to."""

from typing import Any

from common.contract.email_models import EmailPrepareBody, EmailPrepared
from common.contract.operation import LARGE_BODY_BYTES, Answer, Auth, Operation, Plane
from common.values.errors import ErrorCode

_BODY: dict[str, Any] = {
    "slot": "newsletter-top",
    "send_id": "2026-08-31-daily",
    "mode": "per_recipient",
    "render": "fixed",
    "recipients": [
        {"ref": "r1", "uid": "4f1c", "country": "BR", "lang": "pt-BR", "kv": {"plan": "free"}}
    ],
    "expires_in_days": 30,
}
_ITEM: dict[str, Any] = {
    "ref": "r1",
    "slot": "newsletter-top",
    "status": "filled",
    "ad_id": "01936f0e-7d5c-7c2a-9f0b-5f2d8a4c1e71",
    "campaign_id": "01936f0e-7d5c-7c2a-9f0b-5f2d8a4c1e72",
    "html": '<table role="presentation">…</table>',
    "text": "Running shoes, now half price.\nhttps://edge.example/v1/click/AQ…",
    "image_url": "https://cdn.example/shoes.png",
    "click_url": "https://edge.example/v1/click/AQ…",
    "impression_url": "https://edge.example/v1/impression/AQ….gif",
    "alt": "Running shoes",
    "width": 600,
    "height": 200,
    "track_token": "AQ…",
}

EMAIL_PREPARE = Operation(
    id="prepareEmail",
    method="POST",
    path="/v1/email/prepare",
    plane=Plane.EDGE,
    tag="Delivery",
    summary="Prepare the ads of a mailing",
    description=(
        "Chooses the ads of up to 1,000 mails and returns markup, text and URLs that are unique for each recipient. "
        "The items of a send count at once: each takes its expected cost from the budget, and its impression from "
        "the recipient's frequency caps.\n"
        "\n"
        "Repeat a failed request unchanged. For 24 hours an item is stored by property, slot, `send_id` and `ref`, "
        "and a repeated request returns it as it was, whatever the other fields contain; only what was not prepared "
        "yet is chosen now. `Idempotency-Lost: true` says that stored items were lost in the last 24 hours, and that "
        "this request chose ads: if it is a repeated one, send the mails of one of the two responses only. While the "
        "store is unavailable the response is 503, and nothing was prepared.\n"
        "\n"
        "Send opaque ids only. Any text with an e-mail address in it, percent-encoded or not, is refused with 422."
    ),
    auth=(Auth.SECRET_KEY,),
    body=EmailPrepareBody,
    body_example=_BODY,
    body_bytes=LARGE_BODY_BYTES,
    answers=(
        Answer(
            200,
            "The items, one for each recipient and slot.",
            EmailPrepared,
            headers={
                "Cache-Control": "`no-store`.",
                "Idempotent-Replayed": "`true` if every item was prepared by an earlier request.",
                "Idempotency-Lost": (
                    "`true` if stored items were lost in the last 24 hours and this request chose ads."
                ),
            },
            example={
                "send_id": "2026-08-31-daily",
                "expires_at": "2026-09-30T06:00:00.000Z",
                "items": [_ITEM],
                "filled": 1,
                "no_fill": 0,
            },
        ),
    ),
    errors=(ErrorCode.PROPERTY_UNVERIFIED, ErrorCode.SLOT_NOT_FOUND),
)

EMAIL_IMAGE = Operation(
    id="emailImage",
    method="GET",
    path="/v1/email/image/{token}",
    plane=Plane.EDGE,
    tag="Delivery",
    summary="Show the image of a mail",
    description=(
        "The `image_url` of an item prepared with `on_open`: chooses the ad, counts its impression once for the mail, "
        "and redirects to its image. If nothing fits, the response is a transparent image of the slot's size. Also "
        "the `impression_url` of a mail without `recipients`. After `expires_at` it is the transparent image and "
        "counts nothing. HEAD counts nothing. An unknown token returns 404. Requests are never refused for their "
        "rate, as with `impressionPixel`."
    ),
    path_params={"token": "The signed token of `image_url`."},
    answers=(
        Answer(
            302, "Redirect to the ad's image, with `no-store`.", headers={"Location": "The image."}
        ),
        Answer(200, "A transparent image: nothing fits, or a pixel was asked for."),
    ),
    is_rate_limited=False,
)

EMAIL_CLICK = Operation(
    id="emailClick",
    method="GET",
    path="/v1/email/click/{token}",
    plane=Plane.EDGE,
    tag="Tracking",
    summary="Follow the link of a mail",
    description=(
        "The `click_url` of an item prepared with `on_open`: redirects to the destination of the ad that this "
        "recipient was shown last, or, if no image was loaded, of the ad that would be shown now. If nothing fits it "
        "redirects to the property's own site. HEAD counts nothing. An unknown token returns 404."
    ),
    path_params={"token": "The signed token of `click_url`."},
    answers=(
        Answer(302, "Redirect to the destination.", headers={"Location": "The destination."}),
    ),
    is_rate_limited=False,
)

EMAIL_OPERATIONS: tuple[Operation, ...] = (EMAIL_PREPARE, EMAIL_IMAGE, EMAIL_CLICK)
