"""The edge's two operations that report a conversion without a track token."""

from typing import Any

from common.contract.conversion_models import (
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
    summary="Tell of a conversion from your server",
    description=(
        "By the click it followed (`click_id`: the `sa_click_id` of the landing page's address, with its tag or the "
        "UUID alone), or by the reader (`uid`): it then goes to the last click within the campaign's window, else to "
        "the last view of a reader who consented. What was done in the meantime may still be on its way, so a "
        "conversion waits for it, for an hour at most; what goes to nothing is counted as unattributed and never "
        "billed.\n\n"
        "Retry until you see 202. Repeated with the same `order_id` it counts once; without one, give "
        "`Idempotency-Key`, or a repeated call is another conversion. The body "
        "is parsed as JSON whatever its content type."
    ),
    auth=(Auth.SECRET_KEY,),
    takes_idempotency_key=True,
    body=ConversionBody,
    body_example=_BODY,
    answers=(
        Answer(
            202,
            "Kept: it will be attributed, or counted as unattributed.",
            ConversionAccepted,
            headers={
                "Idempotent-Replayed": "`true` where the same key came with the same body before."
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
    summary="Tell of a conversion by a picture on the thank-you page",
    description=(
        "No key: the click id says whose it is. With an `order_id` it counts once an order; without one it counts "
        "once a click and event name, however often the page is loaded. A click brings one conversion of each event "
        "name, or as many as its campaign's `attribution.pixel_conversions_per_click` says. HEAD, prefetches and "
        "prerendering count nothing. The picture says nothing of whether the click is known. An id that this service "
        "did not sign is 404; for 30 days after the upgrade to signed ids a UUID alone is taken, and never billed."
    ),
    path_params={
        "click_id": "The `sa_click_id` of the landing page's address: a UUID, a dot and a tag."
    },
    query=ConversionPixelQuery,
    answers=(Answer(200, "A transparent 1×1 GIF of 43 bytes (`image/gif`)."),),
)

CONVERSION_OPERATIONS: tuple[Operation, ...] = (CONVERSION, CONVERSION_PIXEL)
