"""
Links that expire: to files of a store that is a folder (an upload of a fixed length, a finished export), and to the
preview of an html ad.

A link is signed with a key derived from the key file, so nothing of it is stored.
The signature is an HMAC-SHA-256 in base64url over the parts of the link, joined by colons.
"""

import base64
import hmac
from datetime import datetime
from hashlib import sha256
from urllib.parse import urlencode

from common.service.secrets import KeyRing, Purpose
from common.values.clock import from_ms
from common.values.errors import ErrorCode, Refused, not_found
from common.values.messages import Message

UPLOADS_PATH = "/v1/assets/uploads"
EXPORTS_PATH = "/v1/exports"
_MAX_DIGITS = 12
"""Digits of an instant in seconds: enough until the year 33658."""


class UploadLinks:
    def __init__(self, keys: KeyRing, control_url: str) -> None:
        self._signer = _Signer(keys, Purpose.UPLOADS)
        self._base = f"{control_url.rstrip('/')}{UPLOADS_PATH}"

    def make(self, upload_id: str, *, size_bytes: int, expires_at: datetime) -> str:
        expires_s = int(expires_at.timestamp())
        query = {
            "bytes": size_bytes,
            "expires": expires_s,
            "sig": self._signer.sign(upload_id, size_bytes, expires_s),
        }
        return f"{self._base}/{upload_id}?{urlencode(query)}"

    def check(self, upload_id: str, query: dict[str, str], now: datetime) -> int:
        """Returns the promised length. Raises `Refused`: 404 for a link that is not ours, 410 for an expired one."""
        size, expires, signature = (query.get(name, "") for name in ("bytes", "expires", "sig"))
        if not _is_number(size):
            raise not_found()
        self._signer.check(
            signature,
            (upload_id, size),
            expires,
            now,
            Message("The upload link has expired. Create the asset again, and use its new link."),
        )
        return int(size)


class ExportLinks:
    def __init__(self, keys: KeyRing, control_url: str) -> None:
        self._signer = _Signer(keys, Purpose.EXPORTS)
        self._base = f"{control_url.rstrip('/')}{EXPORTS_PATH}"

    def make(self, export_id: str, filename: str, expires_at: datetime) -> str:
        expires_s = int(expires_at.timestamp())
        signature = self._signer.sign(export_id, filename, expires_s)
        query = {"expires": expires_s, "signature": signature}
        return f"{self._base}/{export_id}/{filename}?{urlencode(query)}"

    def check(self, export_id: str, filename: str, query: dict[str, str], now: datetime) -> None:
        """Raises `Refused`: 404 for a link that is not ours, 410 for an expired one."""
        self._signer.check(
            query["signature"],
            (export_id, filename),
            query["expires"],
            now,
            Message("The link has expired. Read the export again to get a new link."),
        )


class PreviewLinks:
    def __init__(self, keys: KeyRing) -> None:
        self._signer = _Signer(keys, Purpose.PREVIEWS)

    def make(self, path: str, ad_id: str, version: int, expires_at: datetime) -> str:
        expires_s = int(expires_at.timestamp())
        signature = self._signer.sign(ad_id, version, expires_s)
        query = {"version": version, "expires": expires_s, "signature": signature}
        return f"{path}/{ad_id}?{urlencode(query)}"

    def check(self, ad_id: str, query: dict[str, str], now: datetime) -> None:
        """Raises `Refused`: 404 for a link that is not ours, 410 for an expired one."""
        self._signer.check(
            query["signature"],
            (ad_id, query["version"]),
            query["expires"],
            now,
            Message("This preview has expired. Reload the page that shows it."),
        )


class _Signer:
    def __init__(self, keys: KeyRing, purpose: Purpose) -> None:
        self._keys = keys
        self._purpose = purpose

    def sign(self, *parts: str | int) -> str:
        return self._signature(self._keys.active, *parts)

    def check(
        self,
        signature: str,
        parts: tuple[str, ...],
        expires: str,
        now: datetime,
        expired_message: Message,
    ) -> None:
        """*parts*: the signed parts before *expires* (seconds). A signature by any key of the file is valid."""
        if not _is_number(expires):
            raise not_found()
        expected = [self._signature(key_id, *parts, expires) for key_id in self._keys.keys]
        if not any(hmac.compare_digest(signature.encode(), one.encode()) for one in expected):
            raise not_found()
        if from_ms(int(expires) * 1000) <= now:
            raise Refused(ErrorCode.TOKEN_EXPIRED, expired_message)

    def _signature(self, key_id: str, *parts: str | int) -> str:
        message = ":".join(map(str, parts)).encode()
        tag = hmac.digest(self._keys.derive(self._purpose, key_id), message, sha256)
        return base64.urlsafe_b64encode(tag).decode().rstrip("=")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS
