"""The rules of privacy requests: how the uid is stored, and when the answer is due."""

import hmac
from datetime import datetime, timedelta
from hashlib import sha256

from common.service.secrets import KeyRing, Purpose
from common.values.ids import new_id
from control.identity.privacy_requests.schemas import PrivacyRequestCreate, PrivacyStatus
from control.storage.tables.privacy_requests import PrivacyRequestRow

DUE_AFTER = timedelta(days=30)


def new_request(
    body: PrivacyRequestCreate,
    *,
    account_id: str,
    user_id: str,
    keys: KeyRing,
    now: datetime,
) -> PrivacyRequestRow:
    """A new request. It holds the sealed uid until the search is done, and after that only the uid's hash."""
    request_id = new_id()
    return PrivacyRequestRow(
        id=request_id,
        account_id=account_id,
        kind=body.kind.value,
        status=PrivacyStatus.PENDING.value,
        uid_hash=uid_hash(body.uid, account_id, keys),
        sealed_uid=keys.seal(Purpose.PRIVACY_REQUESTS, body.uid.encode(), bound_to=request_id),
        requested_by=user_id,
        found=[],
        created_at=now,
        due_at=now + DUE_AFTER,
    )


def uid_hash(uid: str, account_id: str, keys: KeyRing) -> bytes:
    """A keyed hash, different in every account: it hides the uid, and nobody can match users across accounts."""
    return _hash(keys.derive(Purpose.PRIVACY_REQUESTS), uid, account_id)


def uid_hashes(uid: str, account_id: str, keys: KeyRing) -> list[bytes]:
    """`uid_hash` by every key of the key file, because an earlier request may have used a replaced key."""
    derived = [keys.derive(Purpose.PRIVACY_REQUESTS, key_id) for key_id in keys.keys]
    return [_hash(key, uid, account_id) for key in derived]


def _hash(key: bytes, uid: str, account_id: str) -> bytes:
    return hmac.digest(key, f"{account_id}:{uid}".encode(), sha256)


def open_uid(row: PrivacyRequestRow, keys: KeyRing) -> str:
    """The uid of a pending request. Raises `SealBroken` if the key file no longer has the sealing key."""
    sealed = row.sealed_uid or ""
    return keys.unseal(Purpose.PRIVACY_REQUESTS, sealed, bound_to=row.id).decode()
