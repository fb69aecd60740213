"""Examples of an asset's request and response for the API description."""

from typing import Any

from common.values.enums import AssetStatus
from control.demand.assets.schemas import AssetCreate, AssetPublic
from control.foundation.openapi_examples import ASSET_ID, MADE_AT
from control.foundation.resource_models import created_example

_SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

ASSET_BODY: dict[str, Any] = {
    "kind": "video",
    "filename": "spring.mp4",
    "mime": "video/mp4",
    "bytes": 4_194_304,
    "sha256": _SHA256,
}

ASSET_FORM: dict[str, Any] = {"file": "the bytes of spring.mp4", "kind": "video"}

ASSET = created_example(
    AssetPublic,
    AssetCreate,
    ASSET_BODY,
    id=ASSET_ID,
    width=1280,
    height=720,
    duration_ms=15_000,
    media={
        "container": "mp4",
        "audio_codec": "aac",
        "video_codec": "h264",
        "bitrate_kbps": 2237,
        "sample_rate_hz": 48_000,
        "channels": 2,
        "fps": 25.0,
        "loudness_lufs": -16.1,
    },
    status=AssetStatus.READY,
    url=f"https://assets.placard.example/{_SHA256[:2]}/{_SHA256[2:4]}/{_SHA256}.mp4",
    rejection_reason=None,
    is_test=False,
    created_at=MADE_AT,
    updated_at=MADE_AT,
)

_UNSEEN: dict[str, Any] = dict.fromkeys(("width", "height", "duration_ms", "media", "url"))

PROCESSING: dict[str, Any] = ASSET | _UNSEEN | {"status": "processing"}

NEW_ASSET: dict[str, Any] = (
    ASSET
    | _UNSEEN
    | {
        "status": "uploading",
        "upload": {
            "method": "PUT",
            "url": "https://control.placard.example/v1/assets/uploads/01940b3e?bytes=4194304&expires=1771589700&sig=…",
            "headers": {"Content-Type": "video/mp4", "Content-Length": "4194304"},
            "expires_at": "2026-02-20T12:15:00.000Z",
        },
    }
)
