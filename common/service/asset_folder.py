"""
How a stored asset is named, in any store: by the SHA-256 of its bytes, so that a name never means two things.

The name's extension alone says the media type that it is served with.
"""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

MEDIA_TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "avif": "image/avif",
    "mp3": "audio/mpeg",
    "aac": "audio/aac",
    "m4a": "audio/mp4",
    "ogg": "audio/ogg",
    "wav": "audio/wav",
    "mp4": "video/mp4",
    "webm": "video/webm",
    "html": "text/html; charset=utf-8",
}
"""Extension to what stands in ``Content-Type``. There is no SVG: it is a document that runs scripts."""

CACHE_FOR_EVER = "public, max-age=31536000, immutable"
HTML_POLICY = "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox"
"""An uploaded page runs in an origin of its own: it reaches no cookie, no storage and no other asset as itself."""

_NAME = re.compile(
    r"(?P<first>[0-9a-f]{2})/(?P<second>[0-9a-f]{2})/(?P<digest>(?P=first)(?P=second)[0-9a-f]{60})"
    rf"\.(?P<extension>{'|'.join(MEDIA_TYPES)})"
)


def object_name(digest: bytes, extension: str) -> str:
    """``aa/bb/<sha256>.<ext>``: two folders deep, so that no folder grows too long."""
    text = digest.hex()
    return f"{text[:2]}/{text[2:4]}/{text}.{extension}"


def find_media_type(name: str) -> str | None:
    """None where *name* is not exactly what `object_name` gives."""
    found = _NAME.fullmatch(name)
    return MEDIA_TYPES[found["extension"]] if found else None


def digest_of(name: str) -> str:
    """The hexadecimal SHA-256 in a good object name."""
    return name.rsplit("/", 1)[-1].partition(".")[0]


def find_local_folder(store: str, state: Path) -> Path | None:
    """
    The folder of a local asset store, None where the store is a bucket. *store* is ``PLACARD_ASSETS_STORE``; empty
    means ``assets`` in the state's folder.
    """
    if not store:
        return state / "assets"
    parts = urlsplit(store)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None
