"""The edge's operations. Declared here, not in `edge`, because the control plane publishes their description."""

from common.contract.operation import Answer, Auth, Operation, Plane
from common.errors import ErrorCode

_KEYS = (Auth.PUBLISHABLE_KEY, Auth.SECRET_KEY)

SERVE = Operation(
    id="serveAd",
    method="GET",
    path="/v1/serve",
    plane=Plane.EDGE,
    tag="Delivery",
    summary="Ask for an ad for a slot",
    auth=_KEYS,
    answers=(
        Answer(200, "The ad."),
        Answer(204, "No fill: there is no ad for this slot now. Not an error."),
    ),
    errors=(ErrorCode.PROPERTY_UNVERIFIED, ErrorCode.SLOT_NOT_FOUND, ErrorCode.INSUFFICIENT_SCOPE),
)

TRACK = Operation(
    id="trackEvent",
    method="POST",
    path="/v1/track",
    plane=Plane.EDGE,
    tag="Tracking",
    summary="Redeem a track token for an event",
    auth=(Auth.PUBLISHABLE_KEY, Auth.SECRET_KEY),
    answers=(Answer(204, "Counted now, or counted before: a replay is no error."),),
    errors=(
        ErrorCode.PROPERTY_UNVERIFIED,
        ErrorCode.TOKEN_INVALID,
        ErrorCode.TOKEN_EXPIRED,
        ErrorCode.TOKEN_MISMATCH,
    ),
)

IMPRESSION = Operation(
    id="impressionPixel",
    method="GET",
    path="/v1/impression/{token}.gif",
    plane=Plane.EDGE,
    tag="Tracking",
    summary="Count an impression by a signed pixel",
    path_params={"token": "The signed token, as `impression_url` carries it."},
    answers=(Answer(200, "A transparent 1×1 GIF of 43 bytes.", media_type="image/gif"),),
)

CLICK = Operation(
    id="clickRedirect",
    method="GET",
    path="/v1/click/{token}",
    plane=Plane.EDGE,
    tag="Tracking",
    summary="Count a click and go to the ad's destination",
    path_params={"token": "The signed token, as `click_url` carries it."},
    answers=(
        Answer(302, "To the ad's own destination.", headers={"Location": "The destination."}),
    ),
)

FEATURES = Operation(
    id="getFeatures",
    method="GET",
    path="/v1/features",
    plane=Plane.EDGE,
    tag="Delivery",
    summary="What a client library needs to know of its property",
    auth=_KEYS,
    answers=(
        Answer(200, "The property's features."),
        Answer(304, "Unchanged since the `If-None-Match` given."),
    ),
)

EDGE_OPERATIONS: tuple[Operation, ...] = (SERVE, TRACK, FEATURES, IMPRESSION, CLICK)
