"""
``Idempotency-Key``: claim, work and stored response are in one transaction, so a crash leaves nothing and a retry
simply runs. Endpoints need no code for it.
The claim is an advisory lock that ends with the transaction. The row it leaves is the response, byte for byte. Only 2xx
responses are stored; those with a secret are sealed.
"""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import orjson
from pydantic import BaseModel
from sqlalchemy import delete, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from common.service.secrets import KeyRing, Purpose
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.storage.tables.idempotency import IdempotencyRow

KEPT = timedelta(hours=24)
_SUCCESS = range(200, 300)


@dataclass(frozen=True, slots=True)
class IdempotencyClaim:
    """
    ``scope``: hash of caller, environment, route and key, 32 bytes. ``fingerprint``: hash of the exact input, 32 bytes.
    ``account_id`` is None for public operations.
    """

    scope: bytes
    fingerprint: bytes
    account_id: str | None


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """A response as it is sent. ``model``: what ``body`` was written from; None where it was stored, or is no model."""

    status: int
    headers: dict[str, str]
    body: bytes
    secret: bool = False
    model: BaseModel | None = None


def new_claim(
    key: str,
    *,
    principal: str,
    account_id: str | None,
    environment: str,
    route: str,
    path: str,
    query: str,
    body: bytes,
) -> IdempotencyClaim:
    """*route* is method and path template. Bodies that differ only in spaces or order of names are equal."""
    scope = _digest(principal, environment, route, key)
    return IdempotencyClaim(scope, _digest(path, query, _canonical(body)), account_id)


async def find_stored_response(
    session: AsyncSession, claim: IdempotencyClaim, keys: KeyRing, now: datetime
) -> StoredResponse | None:
    """Returns the response of a finished call. Raises `Refused` (422) where the key was used with another request."""
    row = await _find_row(session, claim)
    if row is None or row.created_at <= now - KEPT:
        return None
    return _replay(row, claim, keys)


async def run_once(
    session: AsyncSession,
    claim: IdempotencyClaim,
    keys: KeyRing,
    now: datetime,
    work: Callable[[], Awaitable[StoredResponse]],
) -> StoredResponse:
    """
    Returns the stored response of this claim, or that of *work*, stored in the transaction of *session*.

    Raises `Refused`: 409 while the first call runs, 422 where the key was used with another request before.
    """
    locked = await session.scalar(
        text("select pg_try_advisory_xact_lock(:lock)"),
        {"lock": int.from_bytes(claim.scope[:8], "big", signed=True)},
    )
    row = await _find_row(session, claim)
    if row is not None and row.created_at > now - KEPT:
        return _replay(row, claim, keys)  # others may be replaying it too
    if not locked:
        raise Refused(
            ErrorCode.IDEMPOTENCY_IN_PROGRESS,
            Message(
                "The first request with this Idempotency-Key is still running. Try again in a second."
            ),
            retry_after_s=1,
        )
    if row is not None:
        await session.execute(delete(IdempotencyRow).where(IdempotencyRow.scope == claim.scope))  # type: ignore[arg-type]  # as below
    answer = await work()
    if answer.status in _SUCCESS:
        session.add(_row(answer, claim, keys, now))
        await session.flush()
    return answer


async def _find_row(session: AsyncSession, claim: IdempotencyClaim) -> IdempotencyRow | None:
    return await session.scalar(select(IdempotencyRow).where(IdempotencyRow.scope == claim.scope))  # type: ignore[arg-type]  # SQLModel types a column as its value


def _replay(row: IdempotencyRow, claim: IdempotencyClaim, keys: KeyRing) -> StoredResponse:
    if row.fingerprint != claim.fingerprint:
        raise Refused(
            ErrorCode.IDEMPOTENCY_KEY_REUSED,
            Message(
                "This Idempotency-Key was already used for a different request. Use a new key."
            ),
        )
    body = row.answer
    if row.is_sealed:
        body = keys.unseal(Purpose.STORED_ANSWERS, body.decode(), bound_to=claim.scope.hex())
    return StoredResponse(
        row.status, {**row.headers, "Idempotent-Replayed": "true"}, body, row.is_sealed
    )


def _row(
    answer: StoredResponse, claim: IdempotencyClaim, keys: KeyRing, now: datetime
) -> IdempotencyRow:
    body = answer.body
    if answer.secret:
        body = keys.seal(Purpose.STORED_ANSWERS, body, bound_to=claim.scope.hex()).encode()
    return IdempotencyRow(
        scope=claim.scope,
        account_id=claim.account_id,
        fingerprint=claim.fingerprint,
        status=answer.status,
        headers=answer.headers,
        answer=body,
        is_sealed=answer.secret,
        created_at=now,
    )


def _canonical(body: bytes) -> bytes:
    """Returns the body unchanged where it is not JSON, or nested deeper than orjson writes."""
    try:
        return orjson.dumps(orjson.loads(body), option=orjson.OPT_SORT_KEYS)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return body


def _digest(*parts: str | bytes) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        digest.update(len(raw).to_bytes(4, "big"))
        digest.update(raw)
    return digest.digest()
