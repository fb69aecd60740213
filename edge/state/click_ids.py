"""
Click ids as the landing page's address carries them: ``UUID.TAG``. The tag proves that this service issued the id. The
conversion pixel needs no key; the tag prevents calls to it with made-up clicks (ADR 46).
"""

import hmac
import re
from base64 import b32encode
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from common.service.secrets import KeyRing, Purpose
from common.values.environment import Environment

_TAG_BYTES = 10
"""80 bits, 16 characters of base32. Case does not matter, because some systems write addresses in capitals."""
_CLICK_ID = re.compile(
    r"([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})(?:\.([A-Za-z2-7]{16}))?"
)


@dataclass(frozen=True, slots=True)
class ClickId:
    """``is_signed``: it carried a valid tag."""

    id: UUID
    is_signed: bool


class ClickIds:
    """
    Signs and parses click ids of one environment. Tags made by an older key of the ring are valid while the key is in
    the file.
    """

    def __init__(self, keys: KeyRing, environment: Environment) -> None:
        older = [name for name in keys.names if name != keys.active]
        self._keys = [keys.derive(Purpose.CLICK_IDS, name) for name in (keys.active, *older)]
        self._environment = environment.value.encode()

    def sign(self, click_id: UUID) -> str:
        return f"{click_id}.{self._tag(self._keys[0], click_id)}"

    def find(self, text: object) -> ClickId | None:
        """None if *text* is not a UUID, or has a wrong tag."""
        found = _CLICK_ID.fullmatch(text) if isinstance(text, str) else None
        if found is None:
            return None
        click_id, tag = UUID(found[1]), found[2]
        if tag is None:
            return ClickId(click_id, is_signed=False)
        given = tag.lower().encode()
        if any(hmac.compare_digest(given, self._tag(key, click_id).encode()) for key in self._keys):
            return ClickId(click_id, is_signed=True)
        return None

    def _tag(self, key: bytes, click_id: UUID) -> str:
        mac = hmac.digest(key, self._environment + click_id.bytes, sha256)
        return b32encode(mac[:_TAG_BYTES]).decode().lower()
