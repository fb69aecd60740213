"""
URLs of sessions. Where a session contains content, its URL carries the content's address, signed: a session that is
lost leads there, so that playback goes on.
"""

import base64
import binascii
import hashlib
import hmac
from typing import Final

from edge.audio.parts import AudioParts
from edge.context import EdgeContext

PATH: Final = "/v1/audio/sessions"
_TAG_CHARS: Final = 32


def session_url(
    edge: EdgeContext, audio: AudioParts, key: str, extension: str, content_url: str | None = None
) -> str:
    url = f"{edge.settings.edge_url}{PATH}/{key}.{extension}"
    if content_url is None:
        return url
    text = base64.urlsafe_b64encode(content_url.encode()).decode().rstrip("=")
    return f"{url}?content={text}.{_tag(audio, key, content_url)}"


def find_content_url(audio: AudioParts, key: str, signed: str | None) -> str | None:
    """The address in the parameter ``content``; None where this service did not sign it for *key*."""
    text, _, tag = (signed or "").rpartition(".")
    try:
        url = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode()
    except (binascii.Error, ValueError):
        return None
    # Of two texts, compare_digest takes ASCII alone.
    is_signed = hmac.compare_digest(tag.encode(), _tag(audio, key, url).encode())
    return url if text and is_signed else None


def _tag(audio: AudioParts, key: str, url: str) -> str:
    named = f"audio content\0{key}\0{url}".encode()
    return hmac.new(audio.secret, named, hashlib.sha256).hexdigest()[:_TAG_CHARS]
