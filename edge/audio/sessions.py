"""Sessions of stitched audio: what was put into one listener's content, kept for a day under an unguessable key."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import orjson

SESSION_LIFE_S: Final = 86_400


@dataclass(frozen=True, slots=True)
class SessionAd:
    """``media_url``: of the uploaded sound, which names its renditions. ``track_token``: the server counts with it."""

    media_url: str
    duration_ms: int
    track_token: str


@dataclass(frozen=True, slots=True)
class SessionBreak:
    """``offset_ms``: None for the end of the content."""

    offset_ms: int | None
    ads: Sequence[SessionAd]


@dataclass(frozen=True, slots=True)
class AudioSession:
    """
    ``request_digest``: of the request's body, to recognise its repetition. ``answer``: the response as it was sent.
    ``content_id``: the caller's own. ``content_digest``: SHA-256 of the content at the time; empty where it was not
    read. ``content_lufs``: its loudness, if it was known then. ``document``: the VMAP document of ``vast``.
    """

    property_id: str
    request_digest: str
    answer: str
    output: str
    expires_ms: int
    content_url: str | None = None
    content_id: str = ""
    content_type: str = ""
    content_digest: str = ""
    content_lufs: float | None = None
    ad_markers: str = ""
    document: str = ""
    breaks: Sequence[SessionBreak] = ()

    def encode(self) -> bytes:
        return orjson.dumps(asdict(self))

    @classmethod
    def parse(cls, body: bytes) -> "AudioSession":
        """Raises ValueError, KeyError or TypeError for what `encode` did not write."""
        values: dict[str, Any] = orjson.loads(body)
        values["breaks"] = tuple(
            SessionBreak(one["offset_ms"], tuple(SessionAd(**ad) for ad in one["ads"]))
            for one in values["breaks"]
        )
        return cls(**values)


def session_key(secret: bytes, property_id: str, session_id: str) -> str:
    """*secret*: a key of the edges. The result names the session in URLs: 32 hexadecimal digits."""
    named = f"audio session\0{property_id}\0{session_id}".encode()
    return hmac.new(secret, named, hashlib.sha256).hexdigest()[:32]
