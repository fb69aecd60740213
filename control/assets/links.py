"""Upload links to a local store: signed by us, for one upload of one length, until an instant."""

import base64
import hmac
from datetime import datetime
from hashlib import sha256
from urllib.parse import urlencode

from common.clock import from_ms
from common.errors import ErrorCode, Refused, not_found
from common.secrets import KeyRing, Purpose

PATH = "/v1/assets/uploads"


class UploadLinks:
    def __init__(self, keys: KeyRing, control_url: str) -> None:
        self._keys = keys
        self._base = f"{control_url.rstrip('/')}{PATH}"

    def make(self, upload_id: str, *, size_bytes: int, expires_at: datetime) -> str:
        expires_s = int(expires_at.timestamp())
        query = {
            "bytes": size_bytes,
            "expires": expires_s,
            "sig": self._signature(self._keys.active, upload_id, size_bytes, expires_s),
        }
        return f"{self._base}/{upload_id}?{urlencode(query)}"

    def check(self, upload_id: str, query: dict[str, str], now: datetime) -> int:
        """The promised length. Raises `Refused`: 404 for a link that is not ours, 410 for one that has expired."""
        size, expires, given = (query.get(name, "") for name in ("bytes", "expires", "sig"))
        if not (_is_number(size) and _is_number(expires)):
            raise not_found()
        signatures = (
            self._signature(key_id, upload_id, int(size), int(expires))
            for key_id in self._keys.keys
        )
        if not any(hmac.compare_digest(given.encode(), one.encode()) for one in signatures):
            raise not_found()
        if from_ms(int(expires) * 1000) <= now:
            raise Refused(
                ErrorCode.TOKEN_EXPIRED,
                "The upload link has expired. Create the asset again, and use its new link.",
            )
        return int(size)

    def _signature(self, key_id: str, upload_id: str, size_bytes: int, expires_s: int) -> str:
        message = f"{upload_id}:{size_bytes}:{expires_s}".encode()
        tag = hmac.digest(self._keys.derive(Purpose.UPLOADS, key_id), message, sha256)
        return base64.urlsafe_b64encode(tag).decode().rstrip("=")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 12  # noqa: PLR2004 - seconds until the year 33658
