"""
The edge's operations. They are declared here, not in `edge`, because the control plane
publishes their description.
"""

from common.contract import edge_examples as examples
from common.contract.audio import STITCH
from common.contract.conversions import CONVERSION_OPERATIONS
from common.contract.edge_models import Served
from common.contract.edge_queries import FeaturesQuery, ServeQuery, TrackQuery
from common.contract.emails import EMAIL_OPERATIONS
from common.contract.features_models import Features
from common.contract.operation import USUAL_BODY_BYTES, Answer, Auth, Operation, Plane
from common.contract.track_models import TrackBody, TrackedMany, TrackManyBody
from common.decision.rules.kinds import HEADERS
from common.values.errors import ErrorCode

_KEYS = (Auth.PUBLISHABLE_KEY, Auth.SECRET_KEY)
_FEATURES_HEADERS = {
    "ETag": "Strong validator; changes with the content.",
    "Cache-Control": "`max-age=300`; `public` only if the key was sent as `?key=`.",
    "Vary": "`X-Service-Key`.",
}

_SCENARIO = {
    "X-Test-Scenario": (
        "Same as `test_scenario`, over which it takes precedence. Test keys only. Not for browsers, where it would "
        "cause a CORS preflight."
    )
}
_SERVE_HEADER_PARAMS = {
    **{header.name: header.description for header in HEADERS},
    "X-Device-IP": (
        "Same as `ip`, which takes precedence: from servers that stitch ads into streams, on pixels too if the "
        "property has `server_rendering`."
    ),
    "X-Device-User-Agent": "Same as `ua`, likewise.",
    "X-Placard-Client": "The client library of an app or server, as `NAME/VERSION`. Takes precedence over `client`.",
    **_SCENARIO,
    "X-Test-Now": "Same as `test_now`, over which it takes precedence. Test keys only; not for browsers.",
}
_SERVED_HEADERS = {
    "Cache-Control": "`no-store`.",
    "Server-Timing": "With `debug=1`: milliseconds for the decision (`decide`) and the whole request (`total`).",
}

SERVE = Operation(
    id="serveAd",
    method="GET",
    path="/v1/serve",
    plane=Plane.EDGE,
    tag="Delivery",
    summary="Request an ad for a slot",
    description=(
        "Stateless: it sets no cookies, and needs no CORS preflight if the publishable key is sent as `?key=`. It "
        "does not count an impression: show the ad, then send its `track_token` to `/v1/track`, or load "
        "`impression_url`. `output=html` returns a complete document for an iframe, impression pixel included.\n"
        "\n"
        "`output=vast` returns a VAST document (`application/xml`) with video or audio ads, whose URLs report their "
        "impressions, clicks and quality signals. `output=vmap` returns the `breaks` of one content, each with the ad "
        "tag that requests its ads. `output=amp` returns an AMPHTML ad that reports its impression itself. "
        "`output=amp-rtc` returns `targeting` for another ad server: nothing is counted, and no token is issued.\n"
        "\n"
        "No fill returns 204 without a body, also with `debug=1`. The header `X-No-Fill-Reason` gives the reason for "
        "test keys, and for secret keys with `debug=1`. `explain` and `consent` are part of filled responses only. In "
        "test, every property has the slots `demo-always-fill` and `demo-never-fill`.\n"
        "\n"
        "Repeat `slot` up to ten times to fill several slots of a page together: the response is 200 with `data`, one "
        "item per slot in the order requested. An advertiser appears in only one of them, except a sponsor: the first "
        "sponsorship that wins a slot also takes the following slots in which it has an eligible ad. Each slot counts "
        "as one request against the rate limit. `preview_ad` and every `output` except `json` accept one slot only.\n"
        "\n"
        "Personalisation fails closed. It needs a signal that allows it (`gdpr=0`, a TC string with purposes 1 to 4, "
        "a US string without an opt-out, `lgpd=1`, or a property with `consent_policy` `presumed` and no signal) and "
        "no signal that forbids it, such as `Sec-GPC: 1` or `DNT: 1`. An unreadable signal forbids it. Contextual ads "
        "are served in every case."
    ),
    auth=_KEYS,
    query=ServeQuery,
    header_params=_SERVE_HEADER_PARAMS,
    answers=(
        Answer(
            200,
            "The ad. If `slot` is repeated: `data` with one item per slot.",
            Served,
            documents=("text/html", "application/xml"),
            headers=_SERVED_HEADERS,
            example=examples.SERVED_AD,
        ),
        Answer(
            204,
            "No fill: no ad for this slot now. Not an error.",
            headers={
                **_SERVED_HEADERS,
                "X-No-Fill-Reason": (
                    "The rule that excluded the last candidate. Test keys, or secret keys with `debug=1`."
                ),
                "X-Decision-Id": (
                    "Decision id for `POST /v1/decisions/explain`. Test keys, or secret keys with `debug=1`."
                ),
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
    summary="Track an event",
    description=(
        "Redeems the track token of a served ad. A token counts once per kind of event: a repeated request also "
        "returns 204, and counts nothing. The body is parsed as JSON whatever its content type, so `sendBeacon` needs "
        "no preflight. Repeat a request after 429, 5xx or a lost connection: the event counts once, however often it "
        "is sent.\n"
        "\n"
        "Servers that render ads send the visitor's address and user agent as `ip` and `ua`, with a secret key or "
        "with a publishable key of a property with `server_rendering`. The traffic filter uses them instead of the "
        "request's own. From other callers they are ignored.\n"
        "\n"
        "A test scenario that is an invalid reason is stored as the verdict; `duplicate` and `expired` store nothing."
    ),
    auth=_KEYS,
    query=TrackQuery,
    header_params=_SCENARIO,
    body=TrackBody,
    body_example=examples.TRACK_BODY,
    answers=(
        Answer(
            204,
            "Counted now, or already counted: a repeated request is not an error.",
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
    summary="Track a batch of events",
    description=(
        "For events recorded offline: up to 50 events in one request of at most 64 KiB, each counted as one request "
        "against the rate limit. `results` has one item per event in the order sent, with the `status` that `POST "
        "/v1/track` would have returned for it alone: 204, or the status of its `error`. Retry those with 503 and "
        "drop the others. If a field of any event is invalid, nothing is counted: the response is 422 and names all "
        "of them, such as `events[3].token`. A test scenario applies to all events."
    ),
    auth=_KEYS,
    body_bytes=USUAL_BODY_BYTES,
    query=TrackQuery,
    header_params=_SCENARIO,
    body=TrackManyBody,
    body_example=examples.TRACK_MANY_BODY,
    answers=(Answer(200, "One result per event.", TrackedMany, example=examples.TRACKED_MANY),),
    errors=(ErrorCode.PROPERTY_UNVERIFIED,),
)

IMPRESSION = Operation(
    id="impressionPixel",
    method="GET",
    path="/v1/impression/{token}.gif",
    plane=Plane.EDGE,
    tag="Tracking",
    summary="Count an impression by pixel",
    description=(
        "For pages without our script. An expired token still returns the image but does not count. HEAD requests do "
        "not count, and a prefetch is stored as an invalid event. An unknown token returns 404. Requests are never "
        "refused for their rate: above 200 a second from one address (bursts of 600), the response is the same but "
        "the event is invalid with `rate_exceeded`."
    ),
    path_params={"token": "The signed token from `impression_url`."},
    answers=(Answer(200, "A transparent 1×1 GIF of 43 bytes (`image/gif`)."),),
    is_rate_limited=False,
)

SIGNAL = Operation(
    id="signalPixel",
    method="GET",
    path="/v1/signal/{event}/{token}.gif",
    plane=Plane.EDGE,
    tag="Tracking",
    summary="Count a quality signal by pixel",
    description=(
        "For players of a VAST document, which contains these URLs: the same as `event` of `POST /v1/track`, with the "
        "rules of `impressionPixel`. `click` counts a click whose destination the player opens itself. `error` takes "
        "the error code of VAST as `code`."
    ),
    path_params={
        "event": (
            "`viewable`, `start`, `first_quartile`, `midpoint`, `third_quartile`, `complete`, `skip`, `error` or "
            "`click`."
        ),
        "token": "The signed token from the document.",
    },
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
        "Redirects to the ad's destination and nowhere else, and appends `sa_click_id`, a signed id of the click, to "
        "its query. An expired token still redirects; it only does not count. An unknown token returns 404. Like "
        "`impressionPixel`, requests are never refused for their rate."
    ),
    path_params={"token": "The signed token from `click_url`."},
    answers=(
        Answer(302, "Redirect to the ad's destination.", headers={"Location": "The destination."}),
    ),
    is_rate_limited=False,
)

FRAME = Operation(
    id="adFrame",
    method="GET",
    path="/v1/frame/{token}",
    plane=Plane.EDGE,
    tag="Delivery",
    summary="Get an html ad as a document for a frame",
    description=(
        "For the `src` of a sandboxed iframe. The document has its own content security policy, whereas a `srcdoc` "
        "inherits the page's policy, which may forbid the ad's styles and scripts. `{click_url}` is filled in. It "
        "does not count an impression: track it as for any ad. When loaded, the document posts the text "
        '`{"type":"service-ad"}` to the page, so that the page can distinguish it from a refused frame, and '
        '`{"type":"service-ad","event":"click"}` when the visitor follows `{click_url}`. Available while the ad '
        "exists, at most 400 days. An unknown token, or one of an ad of another format, returns 404."
    ),
    path_params={
        "token": "The signed token from `click_url`: replace `/v1/click/` by `/v1/frame/`."
    },
    answers=(
        Answer(
            200,
            "The ad's markup as an HTML document.",
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
    summary="Get the client configuration",
    description=(
        "Slots, consent, tracking and library settings of the key's property. Cache the response for `ttl_seconds`, "
        "then request it again with `If-None-Match`. The test scenarios `kill_switch` and `sdk_too_old` (a minimum "
        "version that no library meets) are returned with `no-store`."
    ),
    auth=_KEYS,
    query=FeaturesQuery,
    header_params=_SCENARIO,
    answers=(
        Answer(
            200,
            "The property's client configuration.",
            Features,
            headers=_FEATURES_HEADERS,
            example=examples.FEATURES,
        ),
        Answer(304, "Unchanged since the `If-None-Match` version.", headers=_FEATURES_HEADERS),
    ),
    errors=(ErrorCode.PROPERTY_UNVERIFIED,),
)

EDGE_OPERATIONS: tuple[Operation, ...] = (
    *(SERVE, TRACK, TRACK_MANY, FEATURES, IMPRESSION, SIGNAL, CLICK, FRAME),
    *CONVERSION_OPERATIONS,
    STITCH,
    *EMAIL_OPERATIONS,
)
