"""
Last step of a transaction that changed snapshot objects: stores the new objects, their former state and the delta, and
moves the head.

Versions have no gaps and commit in order, because one row orders them and stays locked until the commit. That lock is
taken last, by the single statement that moves the head. An advisory lock per object, taken before the object is read,
keeps two transactions from compiling it at once.
"""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

import orjson
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from common.service.secrets import KeyRing
from common.snapshot.digest import EMPTY, moved, object_hash
from common.snapshot.model import ObjectType
from common.values.environment import Environment
from control.outbox.changes import Changes
from control.outbox.compile import CompileContext, Compiled, ObjectName, compile_objects

NOTIFY_CHANNEL = "placard_outbox"
"""PostgreSQL sends a notification on it at the commit of every version."""

_LOCK_CLASS = 0x504C
_LOCK_BUCKETS = 1024
"""Objects share this many locks, so that a transaction over thousands of objects does not fill the lock table."""

_LOCK = text(
    "select count(pg_advisory_xact_lock(cast(:kind as integer), bucket))"
    " from unnest(cast(:buckets as integer[])) bucket"
)
_NAMES = "unnest(cast(:types as text[]), cast(:ids as text[])) as name (type, id)"
_STORED = text(f"""
select o.type, o.id, o.environment, o.account_id, o.body
from snapshot_objects o join {_NAMES} on o.type = name.type and o.id = name.id
""")  # noqa: S608 - constants only
_DELETE = text(f"""
delete from snapshot_objects o using {_NAMES} where o.type = name.type and o.id = name.id
""")  # noqa: S608 - constants only
_PUT = text("""
insert into snapshot_objects (type, id, environment, account_id, body)
select * from unnest(
    cast(:types as text[]), cast(:ids as text[]), cast(:environments as text[]),
    cast(:accounts as text[]), cast(:bodies as bytea[])
)
on conflict (type, id) do update set body = excluded.body
""")
_MOVE_HEAD = text(f"""
with head as (
    update snapshot_head set
        version = version + 1,
        digest_test = mod(digest_test + cast(:test as numeric), {1 << 256}),
        digest_live = mod(digest_live + cast(:live as numeric), {1 << 256})
    where id = 1
    returning epoch, version, digest_test, digest_live
), step as (
    insert into outbox (version, epoch, at, digest_test, digest_live, entries)
    select version, epoch, cast(:at as timestamptz), digest_test, digest_live, cast(:entries as bytea)
    from head
), past as (
    insert into snapshot_past (type, id, until_version, environment, account_id, at, body)
    select o.type, o.id, head.version, o.environment, o.account_id, cast(:at as timestamptz), o.body
    from head, unnest(
        cast(:types as text[]), cast(:ids as text[]), cast(:environments as text[]),
        cast(:accounts as text[]), cast(:bodies as bytea[])
    ) as o (type, id, environment, account_id, body)
)
select version, pg_notify('{NOTIFY_CHANNEL}', version::text) from head
""")  # noqa: S608 - constants only


@dataclass(frozen=True, slots=True)
class _ObjectChange:
    kind: ObjectType
    id: str
    before: Compiled | None
    after: Compiled | None

    def reaches(self, environment: Environment) -> bool:
        return self._side.environment in (None, environment)

    @property
    def hash_change(self) -> int:
        """Change of the digest by this change, modulo 2^256."""
        return moved(EMPTY, added=self._hash(self.after), removed=self._hash(self.before))

    @property
    def row(self) -> list[str | None]:
        body = None if self.after is None else self.after.body.decode()
        return [self.kind, self.id, self._side.environment, body]

    @property
    def was(self) -> Compiled:
        """The object before the change, or after it where the object is new."""
        side = self.before or self.after
        if side is None:
            raise RuntimeError("an object change without a state before or after it")
        return side

    @property
    def _side(self) -> Compiled:
        side = self.after or self.before
        if side is None:
            raise RuntimeError("an object change without a state before or after it")
        return side

    def _hash(self, side: Compiled | None) -> int:
        return EMPTY if side is None else object_hash(self.kind, self.id, side.body)


async def flush(
    session: AsyncSession, changes: Changes, *, keys: KeyRing, now: datetime
) -> int | None:
    """
    Returns the version that this transaction creates when it commits, or None where it changes nothing for edges.

    Call it last, or almost last: until the commit, no other transaction can create a version.
    """
    if not changes:
        return None
    await session.flush()
    await _lock(session, changes.touched)
    before = await _stored(session, changes.touched)
    source = CompileContext(session, before, keys, now)
    object_changes = _object_changes(before, await compile_objects(source, changes.touched))
    if not object_changes:
        return None
    await _store(session, object_changes)
    return await _move_head(session, object_changes, now)


async def _lock(session: AsyncSession, touched: Sequence[ObjectName]) -> None:
    """Locks in the same order everywhere, so that transactions cannot deadlock."""
    buckets = sorted(
        {zlib.crc32(f"{kind}|{name}".encode()) % _LOCK_BUCKETS for kind, name in touched}
    )
    await session.execute(_LOCK, {"kind": _LOCK_CLASS, "buckets": buckets})


async def _stored(
    session: AsyncSession, touched: Sequence[ObjectName]
) -> dict[ObjectName, Compiled]:
    names = {"types": [kind.value for kind, _ in touched], "ids": [name for _, name in touched]}
    rows = await session.execute(_STORED, names)
    return {
        (ObjectType(kind), object_id): Compiled(environment, account_id, bytes(body))
        for kind, object_id, environment, account_id, body in rows
    }


def _object_changes(
    before: Mapping[ObjectName, Compiled], after: Mapping[ObjectName, Compiled | None]
) -> list[_ObjectChange]:
    return [
        _ObjectChange(*name, before.get(name), item)
        for name, item in after.items()
        if item != before.get(name)
    ]


async def _store(session: AsyncSession, object_changes: Sequence[_ObjectChange]) -> None:
    gone = [one for one in object_changes if one.after is None]
    put = [(one, one.after) for one in object_changes if one.after is not None]
    if gone:
        await session.execute(_DELETE, _names(gone))
    if put:
        columns = {
            "environments": [after.environment for _, after in put],
            "accounts": [after.account_id for _, after in put],
            "bodies": [after.body for _, after in put],
        }
        await session.execute(_PUT, _names([one for one, _ in put]) | columns)


def _names(object_changes: Sequence[_ObjectChange]) -> dict[str, list[Any]]:
    return {
        "types": [one.kind.value for one in object_changes],
        "ids": [one.id for one in object_changes],
    }


async def _move_head(
    session: AsyncSession, object_changes: Sequence[_ObjectChange], now: datetime
) -> int:
    change = {
        environment.value: Decimal(
            sum(one.hash_change for one in object_changes if one.reaches(environment)) % (1 << 256)
        )
        for environment in Environment
    }
    entries = orjson.dumps([one.row for one in object_changes])
    past = {
        "environments": [one.was.environment for one in object_changes],
        "accounts": [one.was.account_id for one in object_changes],
        "bodies": [None if one.before is None else one.before.body for one in object_changes],
    }
    values = {**change, **_names(object_changes), **past, "at": now, "entries": entries}
    found = await session.execute(_MOVE_HEAD, values)
    version: int = found.one()[0]
    return version
