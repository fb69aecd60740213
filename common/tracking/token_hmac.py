"""The MAC over a token's payload, and the text of both: HMAC-SHA-512, and base64url without padding."""

import binascii
import hashlib
from typing import Any, Final

TAG_BYTES: Final = 21
TAGS: Final = 3
_BLOCK_BYTES: Final = 128
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))
_URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")


def prepare_key(secret: bytes) -> Any:
    """
    Returns HMAC's two hash states after the key (RFC 2104). Continuing from them for each token costs half of
    `hmac.digest`, which looks up the algorithm and hashes the key each time. For `mac` and `sign_and_encode` of this
    module only.
    """
    block = hashlib.sha512(secret).digest() if len(secret) > _BLOCK_BYTES else secret
    padded = block.ljust(_BLOCK_BYTES, b"\0")
    return hashlib.sha512(padded.translate(_INNER)), hashlib.sha512(padded.translate(_OUTER))


def mac(key: Any, raw: bytes) -> bytes:
    """HMAC-SHA-512, 64 bytes."""
    inner, outer = key
    taken = inner.copy()
    taken.update(raw)
    whole = outer.copy()
    whole.update(taken.digest())
    digest: bytes = whole.digest()
    return digest


def sign_and_encode(key: Any, raw: bytes) -> tuple[bytes, bytes, bytes, bytes]:
    """
    Returns the text of *raw*, and of the first three `TAG_BYTES` of its MAC.

    *raw*: a multiple of three bytes, like a tag, so that texts can be concatenated. Raises ValueError.
    """
    if len(raw) % 3:
        raise ValueError("not a multiple of three bytes")
    tags = mac(key, raw)
    parts = [tags[at * TAG_BYTES : (at + 1) * TAG_BYTES] for at in range(TAGS)]
    return _text(raw), _text(parts[0]), _text(parts[1]), _text(parts[2])


def _text(raw: bytes) -> bytes:
    return binascii.b2a_base64(raw, newline=False).translate(_URL_SAFE)
