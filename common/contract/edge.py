"""
The edge's operations. They are declared here, not in `edge`, because the control plane
publishes their description.
"""

from common.contract import edge_examples as examples
from common.contract.conversions import CONVERSION_OPERATIONS
from common.contract.edge_models import Served
from common.contract.edge_queries import FeaturesQuery, ServeQuery, TrackQuery
from common.contract.features_models import Features
from common.contract.operation import USUAL_BODY_BYTES, Answer, Auth, Operation, Plane
from common.contract.track_models import TrackBody, TrackedMany, TrackManyBody
from common.values.errors import ErrorCode

_KEYS = (Auth.PUBLISHABLE_KEY, Auth.SECRET_KEY)
_FEATURES_HEADERS = {
    "ETag": "Strong; changes with the content.",
    "Cache-Control": "`max-age=300`; `public` only where the key came as `?key=`.",
    "Vary": "`X-Service-Key`.",
}

_SCENARIO = {
    "X-Test-Scenario": "As `test_scenario`, and before it. Test keys only; not from browsers, which would preflight it."
}
_SERVE_HEADER_PARAMS = {
    "X-Placard-Client": "The client library of an app or server, `NAME/VERSION`; as `client`, and before it.",
    **_SCENARIO,
    "X-Test-Now": "As `test_now`; goes before it. Test keys only, and not from browsers.",
}
_SERVED_HEADERS = {
    "Cache-Control": "`no-store`.",
    "Server-Timing": "With `debug=1`: milliseconds of deciding (`decide`) and of the whole call (`total`).",
}

SERVE = Operation(
    id="serveAd",
    method="GET",
    path="/v1/serve",
    plane=Plane.EDGE,
    tag="Delivery",
    summary="Ask for an ad for a slot",
    description=(
        "Stateless: no cookies, and no CORS preflight where the publishable key comes as `?key=`. Fires nothing "
        "by itself: show the ad, then send its `track_token` to `/v1/track`, or load `impression_url`. "
        "`output=html` gives a whole document for a frame, impression pixel included.\n\n"
        "No fill is 204 without a body, also with `debug=1`; test keys, and secret keys with `debug=1`, see the "
        "reason in `X-No-Fill-Reason`. `explain` and `consent` stand in filled answers only. In test, the slots "
        "`demo-always-fill` and `demo-never-fill` exist on every property.\n\n"
        "Name `slot` up to ten times to fill several slots of a page together: 200 with `data`, one item for each in "
        "the order asked. No advertiser appears in two of them, except a sponsor: the first sponsorship that wins a "
        "slot takes the slots after it too, wherever it has an ad that may be shown there. Each slot counts as a call "
        "against the rate. `output=html` and `preview_ad` take one slot.\n\n"
        "Personalisation fails closed: it needs a signal that allows it (`gdpr=0`, a TC string with purposes 1 to 4, a "
        "US string without an opt-out, `lgpd=1`, or a property whose `consent_policy` is `presumed` where there is no "
        "signal) and none that forbids it, `Sec-GPC: 1` and `DNT: 1` among them. What cannot be read forbids. A "
        "contextual ad is served in any case."
    ),
    auth=_KEYS,
    query=ServeQuery,
    header_params=_SERVE_HEADER_PARAMS,
    answers=(
        Answer(
            200,
            "The ad; where `slot` is named several times, `data` with one item for each.",
            Served,
            headers=_SERVED_HEADERS,
            example=examples.SERVED_AD,
        ),
        Answer(
            204,
            "No fill: there is no ad for this slot now. Not an error.",
            headers={
                **_SERVED_HEADERS,
                "X-No-Fill-Reason": "Which gate dropped the last candidate. Test keys, or debug.",
                "X-Decision-Id": "For `POST /v1/decisions/explain`. Test keys, or debug.",
            },
        ),
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
    description=(
        "A token is single-use per event kind: the first call counts, a replay answers 204 too. The body is parsed as "
        "JSON whatever its content type, so that `sendBeacon` needs no preflight. Retry until you see 204: an event is "
        "counted once, however often it is sent.\n\n"
        "Servers that render ads say with `ip` and `ua` who saw them: with a secret key, or a publishable key of a "
        "property with `server_rendering`, and the filter judges by them. Each goes before what the request itself "
        "shows. Of others they are ignored.\n\n"
        "Of test scenarios, an invalid reason is stored as the verdict; `duplicate` and `expired` store nothing."
    ),
    auth=_KEYS,
    query=TrackQuery,
    header_params=_SCENARIO,
    body=TrackBody,
    body_example=examples.TRACK_BODY,
    answers=(
        Answer(
            204,
            "Counted now, or counted before: a replay is no error.",
            headers={"X-Track-Result": "`counted` or `duplicate`; test keys only."},
        ),
    ),
    errors=(
        ErrorCode.PROPERTY_UNVERIFIED,
        ErrorCode.TOKEN_INVALID,
        ErrorCode.TOKEN_EXPIRED,
        ErrorCode.TOKEN_MISMATCH,
    ),
)

TRACK_MANY = Operation(
    id="trackEvents",
    method="POST",
    path="/v1/track/batch",
    plane=Plane.EDGE,
    tag="Tracking",
    summary="Redeem track tokens for events that were kept while offline",
    description=(
        "Up to 50 events in one call of at most 16 KiB, each counted as a call against the rate. `results` has one "
        "item for each event in the order sent, with the `status` that `POST /v1/track` would have answered to it "
        "alone: 204, or that of its `error`. Send again those with 503, forget the others. Where a field of any event "
        "is at fault nothing is counted: 422 names them all, as `events[3].token`. A test scenario holds for all."
    ),
    auth=_KEYS,
    body_bytes=USUAL_BODY_BYTES,
    query=TrackQuery,
    header_params=_SCENARIO,
    body=TrackManyBody,
    body_example=examples.TRACK_MANY_BODY,
    answers=(Answer(200, "What became of each.", TrackedMany, example=examples.TRACKED_MANY),),
    errors=(ErrorCode.PROPERTY_UNVERIFIED,),
)

IMPRESSION = Operation(
    id="impressionPixel",
    method="GET",
    path="/v1/impression/{token}.gif",
    plane=Plane.EDGE,
    tag="Tracking",
    summary="Count an impression by a signed pixel",
    description=(
        "For pages that run no script of ours. An expired token still gives the image and is not counted; HEAD is "
        "not counted, and a prefetch is an invalid event. A token that is not ours is 404. No call is refused for its "
        "rate: above 200 a second of an address, three times as many at once, each is answered alike and its event is "
        "invalid, `rate_exceeded`."
    ),
    path_params={"token": "The signed token, as `impression_url` carries it."},
    answers=(Answer(200, "A transparent 1×1 GIF of 43 bytes (`image/gif`)."),),
    is_rate_limited=False,
)

CLICK = Operation(
    id="clickRedirect",
    method="GET",
    path="/v1/click/{token}",
    plane=Plane.EDGE,
    tag="Tracking",
    summary="Count a click and go to the ad's destination",
    description=(
        "Leads to the ad's own destination and nowhere else, with `sa_click_id`, a signed id of the click, "
        "added to its query. The token only "
        "decides whether the click counts. A token that is not ours is 404. As `impressionPixel`, it is never refused "
        "for its rate."
    ),
    path_params={"token": "The signed token, as `click_url` carries it."},
    answers=(
        Answer(302, "To the ad's own destination.", headers={"Location": "The destination."}),
    ),
    is_rate_limited=False,
)

FRAME = Operation(
    id="adFrame",
    method="GET",
    path="/v1/frame/{token}",
    plane=Plane.EDGE,
    tag="Delivery",
    summary="An html ad's own document, for a frame",
    description=(
        "For the `src` of a sandboxed frame: the document has a policy of its own, where a `srcdoc` inherits that of "
        "the page, which may forbid the ad's styles and scripts. `{click_url}` in it is filled in. It counts nothing: "
        'track the impression as for any ad. Once it is there it posts the text `{"type":"service-ad"}` to the '
        "page, which could not tell it from a refused frame otherwise, and "
        '`{"type":"service-ad","event":"click"}` where the reader follows `{click_url}`. '
        "It may be had until the ad is gone, 400 days at "
        "most. A token that is not ours, or of an ad of another format, is 404."
    ),
    path_params={
        "token": "The signed token, as `click_url` carries it: put `/v1/frame/` for its `/v1/click/`."
    },
    answers=(
        Answer(
            200,
            "The ad's markup as a document.",
            media_type="text/html",
            headers={
                "Content-Security-Policy": "`sandbox` without `allow-same-origin`: the document has no origin.",
                "Cache-Control": "`private, max-age=300`.",
            },
        ),
    ),
    is_rate_limited=False,
)

FEATURES = Operation(
    id="getFeatures",
    method="GET",
    path="/v1/features",
    plane=Plane.EDGE,
    tag="Delivery",
    summary="What a client library needs to know of its property",
    description=(
        "Slots, consent, tracking and library settings of the key's property. Cache it for `ttl_seconds`, then "
        "ask again with `If-None-Match`. Test scenarios: `kill_switch` and `sdk_too_old` (a least version of every "
        "library that none has) are answered with `no-store`."
    ),
    auth=_KEYS,
    query=FeaturesQuery,
    header_params=_SCENARIO,
    answers=(
        Answer(
            200,
            "The property's features.",
            Features,
            headers=_FEATURES_HEADERS,
            example=examples.FEATURES,
        ),
        Answer(304, "Unchanged since the `If-None-Match` given.", headers=_FEATURES_HEADERS),
    ),
    errors=(ErrorCode.PROPERTY_UNVERIFIED,),
)

EDGE_OPERATIONS: tuple[Operation, ...] = (
    *(SERVE, TRACK, TRACK_MANY, FEATURES, IMPRESSION, CLICK, FRAME),
    *CONVERSION_OPERATIONS,
)
