"""
Names of stored assets, in any store: the SHA-256 of their bytes, so that a name always means the same content.

The name's extension alone determines the media type of the response.
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
    "renditions": "application/octet-stream",
}
"""
Extension to the value of ``Content-Type``. There is no SVG: it is a document that can run scripts. The last one is of
`common.service.rendition_pack`.
"""

CACHE_FOR_EVER = "public, max-age=31536000, immutable"
HTML_POLICY = "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox"
"""
An uploaded page runs in an origin of its own:
it has no access to cookies, storage or other assets of this origin.
"""

_NAME = re.compile(
    r"(?P<first>[0-9a-f]{2})/(?P<second>[0-9a-f]{2})/(?P<digest>(?P=first)(?P=second)[0-9a-f]{60})"
    rf"\.(?P<extension>{'|'.join(MEDIA_TYPES)})"
)


def object_name(digest: bytes, extension: str) -> str:
    """Returns ``aa/bb/<sha256>.<ext>``: two folders deep, so that no folder grows too long."""
    text = digest.hex()
    return f"{text[:2]}/{text[2:4]}/{text}.{extension}"


def find_media_type(name: str) -> str | None:
    """Returns None where *name* is not exactly a result of `object_name`."""
    found = _NAME.fullmatch(name)
    return MEDIA_TYPES[found["extension"]] if found else None


def find_object_name(url: str) -> str | None:
    """Returns the object name at the end of a URL; None where there is none."""
    name = "/".join(url.rsplit("/", 3)[1:])
    return name if _NAME.fullmatch(name) else None


def digest_of(name: str) -> str:
    """Returns the hexadecimal SHA-256 in a valid object name."""
    return name.rsplit("/", 1)[-1].partition(".")[0]


def find_local_folder(store: str, state: Path) -> Path | None:
    """
    Returns the folder of a local asset store, None where the store is a bucket. *store* is ``PLACARD_ASSETS_STORE``;
    empty means ``assets`` in the state's folder.
    """
    if not store:
        return state / "assets"
    parts = urlsplit(store)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None
