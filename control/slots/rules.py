"""A slot's rules, pure: its key, which tags in the wild carry and which therefore never changes."""

import re
import unicodedata

from pydantic_core import PydanticCustomError

from common.errors import invalid

RESERVED_PREFIX = "demo-"
_MOST_CHARS = 64
_NOT_IN_KEYS = re.compile(r"[^a-z0-9]+")


def parse_slot_key(key: str) -> str:
    """Raises PydanticCustomError for keys that every property has in test already."""
    if key.startswith(RESERVED_PREFIX):
        raise PydanticCustomError(
            "key_reserved", "Keys that start with demo- are reserved. Choose another."
        )
    return key


def key_from_name(name: str) -> str:
    """``Häader – top!`` gives ``haader-top``. Raises 422 where nothing is left, or a reserved key."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    key = _NOT_IN_KEYS.sub("-", plain).strip("-")[:_MOST_CHARS].rstrip("-")
    if not key or key.startswith(RESERVED_PREFIX):
        raise invalid(
            "key", "required", "No key can be made from this name. Give a key of your own."
        )
    return key
