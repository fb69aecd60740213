"""The edge's operation that puts ads into audio content."""

from typing import Any

from common.contract.audio_models import StitchBody, Stitched, StitchedTracking
from common.contract.operation import LARGE_BODY_BYTES, Answer, Auth, Operation, Plane
from common.values.errors import ErrorCode

_SESSION = "episode-123.listener-7"
_BODY: dict[str, Any] = {
    "slot": "podcast",
    "content": {
        "id": "episode-123",
        "url": "https://cdn.example.com/episode-123.mp3",
        "kind": "progressive",
        "duration_ms": 2_400_000,
    },
    "breaks": [
        {"id": "pre", "type": "pre", "max_duration_ms": 30_000},
        {
            "id": "mid1",
            "type": "mid",
            "offset_ms": 600_000,
            "max_duration_ms": 60_000,
            "max_ads": 2,
        },
    ],
    "listener": {
        "ip": "198.51.100.7",
        "user_agent": "AppleCoreMedia/1.0.0 (iPhone; U; CPU OS 18_0 like Mac OS X)",
        "consent": {"gdpr": "0"},
    },
    "output": "plan",
    "session_id": _SESSION,
}
_SIGNAL = "https://edge.example/v1/signal/{}/AQAAAgAAAAAAAQGbJ5q….gif"
_ANSWER: dict[str, Any] = {
    "session_id": _SESSION,
    "expires_at": "2026-03-02T12:00:00.000Z",
    "content_type": "audio/mpeg",
    "url": "https://cdn.example.com/episode-123.mp3",
    "filled_ms": 30_000,
    "breaks": [
        {"id": "pre", "offset_ms": 0, "duration_ms": 0, "ads": []},
        {
            "id": "mid1",
            "offset_ms": 600_000,
            "duration_ms": 30_000,
            "ads": [
                {
                    "sequence": 1,
                    "ad_id": "01936e11-02aa-7b41-8d3e-0c8f4f1f2a10",
                    "campaign_id": "01936e10-f4c1-7e07-a2b9-64cbb0a6a001",
                    "duration_ms": 30_000,
                    "media": [
                        {
                            "url": "https://assets.example/shoes.mp3",
                            "mime": "audio/mpeg",
                            "bitrate_kbps": 128,
                            "duration_ms": 30_000,
                        }
                    ],
                    "track_token": "AQAAAgAAAAAAAQGbJ5q…",
                    "impression_url": "https://edge.example/v1/impression/AQAAAgAAAAAAAQGbJ5q….gif",
                    "click_url": "https://edge.example/v1/click/AQAAAgAAAAAAAQGbJ5q…",
                    "tracking": {
                        name: _SIGNAL.format(name) for name in StitchedTracking.model_fields
                    },
                    "companion": None,
                }
            ],
        },
    ],
}

STITCH = Operation(
    id="stitchAudio",
    method="POST",
    path="/v1/audio/stitch",
    plane=Plane.EDGE,
    tag="Delivery",
    summary="Put ads into audio content",
    description=(
        "Fills the ad breaks of one listening session. No two ads of a break are of one advertiser, or of one "
        "category where the slot has `separate_categories`; ads that fill the break come first. The slot's `audio` "
        "limits every break.\n"
        "\n"
        "With `plan` and `vast` your player plays the ads and reports them by their URLs. With `hls` and `file` the "
        "content at `url` contains the ads, and the service counts an ad when all its segments or bytes were sent; "
        "the fields for tracking are then null. These two need ads with an uploaded recording of at most two minutes. "
        "MP3 (22.05, 24, 44.1 and 48 kHz), AAC in ADTS and unencrypted HLS playlists are stitched without encoding the "
        "content again.\n"
        "\n"
        "Playback never breaks: where nothing fits, or the content is slow, gone, encrypted or in another format, the "
        "response is 200 with `filled_ms` 0 and the original `content.url`. The source of the content has 400 ms in a "
        "request; the service goes on fetching it, so that the next listener gets ads. A slot without the format "
        "`audio` is no error either: its breaks stay empty, and its no fills have the reason `format_mismatch`.\n"
        "\n"
        "A repeated request with the same `session_id` and body gets the same response for 24 hours."
    ),
    auth=(Auth.SECRET_KEY,),
    body=StitchBody,
    body_bytes=LARGE_BODY_BYTES,
    body_example=_BODY,
    header_params={
        "X-Test-Scenario": (
            "Simulates an outcome of `GET /v1/serve` for every break. Test keys only."
        ),
        "X-Test-Now": "The time to decide at, as RFC 3339. Test keys only.",
    },
    answers=(
        Answer(
            200,
            "The breaks with their ads, and what to play.",
            Stitched,
            headers={"Cache-Control": "`no-store`."},
            example=_ANSWER,
        ),
    ),
    errors=(
        ErrorCode.PROPERTY_UNVERIFIED,
        ErrorCode.SLOT_NOT_FOUND,
        ErrorCode.IDEMPOTENCY_KEY_REUSED,
    ),
)
