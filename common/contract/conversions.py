"""The edge's operations that report a conversion without a track token, or verify the click before it."""

from typing import Any

from common.contract.conversion_models import (
    ClickVerification,
    ClickVerified,
    ConversionAccepted,
    ConversionBody,
    ConversionPixelQuery,
)
from common.contract.operation import Answer, Auth, Operation, Plane
from common.values.errors import ErrorCode

_BODY: dict[str, Any] = {
    "click_id": "01936f0e-7d5c-7c2a-9f0b-5f2d8a4c1e77",
    "event_name": "purchase",
    "value_cents": 4990,
    "currency": "EUR",
    "order_id": "A-1001",
}

CONVERSION = Operation(
    id="reportConversion",
    method="POST",
    path="/v1/conversions",
    plane=Plane.EDGE,
    tag="Tracking",
    summary="Report a conversion from your server",
    description=(
        "Identify the conversion by the click before it (`click_id`: the `sa_click_id` from the landing page's URL, "
        "with its tag or the UUID alone) or by the visitor (`uid`). With `uid` it is attributed to the last click "
        "within the campaign's window, or else to the last view of a visitor who consented. Earlier events may still "
        "be in transit, so attribution waits up to an hour. A conversion without a match is counted as unattributed "
        "and never billed.\n"
        "\n"
        "Repeat a request after 429, 5xx or a lost connection. Repeated requests with the same `order_id` count once; "
        "without `order_id`, send `Idempotency-Key`, or a repeated request counts again. The body is parsed as JSON "
        "whatever its content type."
    ),
    auth=(Auth.SECRET_KEY,),
    takes_idempotency_key=True,
    body=ConversionBody,
    body_example=_BODY,
    answers=(
        Answer(
            202,
            "Stored. It will be attributed, or counted as unattributed.",
            ConversionAccepted,
            headers={
                "Idempotent-Replayed": "`true` if an earlier request had the same key and body."
            },
            example={"conversion_id": "01936f0e-7d5c-8a3b-9c4d-1f2e3d4c5b6a"},
        ),
    ),
    errors=(ErrorCode.PROPERTY_UNVERIFIED, ErrorCode.IDEMPOTENCY_KEY_REUSED),
)

CONVERSION_PIXEL = Operation(
    id="conversionPixel",
    method="GET",
    path="/v1/conversions/{click_id}.gif",
    plane=Plane.EDGE,
    tag="Tracking",
    summary="Report a conversion by pixel",
    description=(
        "For the thank-you page. Needs no key: the click id identifies the property. With `order_id` it counts once "
        "per order; without, once per click and event name, however often the page is loaded. A click can have one "
        "conversion of each event name, or as many as `attribution.pixel_conversions_per_click` of its campaign "
        "allows. HEAD requests, prefetches and prerendering do not count. The response does not reveal whether the "
        "click is known. An id that this service did not sign returns 404; for 30 days after the upgrade to signed "
        "ids a bare UUID is accepted, and never billed."
    ),
    path_params={
        "click_id": "The `sa_click_id` from the landing page's URL: a UUID, a dot and a tag."
    },
    query=ConversionPixelQuery,
    answers=(Answer(200, "A transparent 1×1 GIF of 43 bytes (`image/gif`)."),),
)

CLICK_VERIFICATION = Operation(
    id="verifyClick",
    method="POST",
    path="/v1/clicks/verify",
    plane=Plane.EDGE,
    tag="Tracking",
    summary="Verify a click id",
    description=(
        "Tells a server whether the `sa_click_id` of a landing page's URL is an id that this service signed, or one "
        "that somebody made up. It does not tell whether the click counted, and looks nothing up. An id without a "
        "tag is not valid, because anybody can write a UUID. The body is parsed as JSON whatever its content type."
    ),
    auth=(Auth.SECRET_KEY,),
    body=ClickVerification,
    body_example={"click_id": "01936f0e-7d5c-7c2a-9f0b-5f2d8a4c1e77.mzxw6ytboi2gk3dp"},
    answers=(
        Answer(
            200,
            "Whether the click id is valid.",
            ClickVerified,
            example={"valid": True, "id": "01936f0e-7d5c-7c2a-9f0b-5f2d8a4c1e77"},
        ),
    ),
    errors=(ErrorCode.PROPERTY_UNVERIFIED,),
)

CONVERSION_OPERATIONS: tuple[Operation, ...] = (CONVERSION, CONVERSION_PIXEL, CLICK_VERIFICATION)
