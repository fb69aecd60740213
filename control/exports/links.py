"""Links to a finished file where the store is a folder: signed by us, for one file, until an instant."""

import base64
import hmac
from datetime import datetime
from hashlib import sha256
from urllib.parse import urlencode

from common.clock import from_ms
from common.errors import ErrorCode, Refused, not_found
from common.secrets import KeyRing, Purpose

PATH = "/v1/exports"


class ExportLinks:
    def __init__(self, keys: KeyRing, control_url: str) -> None:
        self._keys = keys
        self._base = f"{control_url.rstrip('/')}{PATH}"

    def make(self, export_id: str, filename: str, expires_at: datetime) -> str:
        expires_s = int(expires_at.timestamp())
        signature = self._signature(self._keys.active, export_id, filename, expires_s)
        query = {"expires": expires_s, "signature": signature}
        return f"{self._base}/{export_id}/{filename}?{urlencode(query)}"

    def check(self, export_id: str, filename: str, query: dict[str, str], now: datetime) -> None:
        """Raises `Refused`: 404 for a link that is not ours, 410 for one that has expired."""
        expires, given = query["expires"], query["signature"]
        if not (expires.isascii() and expires.isdigit() and len(expires) <= 12):  # noqa: PLR2004 - seconds until the year 33658
            raise not_found()
        signatures = (
            self._signature(key_id, export_id, filename, int(expires)) for key_id in self._keys.keys
        )
        if not any(hmac.compare_digest(given.encode(), one.encode()) for one in signatures):
            raise not_found()
        if from_ms(int(expires) * 1000) <= now:
            raise Refused(
                ErrorCode.TOKEN_EXPIRED,
                "The link has expired. Read the export again for a new one.",
            )

    def _signature(self, key_id: str, export_id: str, filename: str, expires_s: int) -> str:
        message = f"{export_id}:{filename}:{expires_s}".encode()
        tag = hmac.digest(self._keys.derive(Purpose.EXPORTS, key_id), message, sha256)
        return base64.urlsafe_b64encode(tag).decode().rstrip("=")
