"""Checks of PostgreSQL: reachable, roles, schema, durability, replication, and which elected processes run."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
from sqlalchemy.engine import make_url

from common.values.clock import Clock
from control.operations.doctor.finding import Finding, compare_clocks, error, note, ok, warning
from control.storage.database import DatabaseRole
from control.storage.leader_election import Leadership
from control.storage.migrate import head_revision, is_known_revision
from control.storage.postgres_connector import PostgresConnector

_CONNECT_S = 5.0
_OLDEST = 140_000
"""`server_version_num` of the oldest supported server, 14."""
_CONNECTIONS = 100
"""PostgreSQL's default. Each process of the control plane holds at most 22 to 42 connections, usually about five."""
_AWAY = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError)


async def check_postgresql(url: str, clock: Clock) -> list[Finding]:
    """*url*: as in PLACARD_DATABASE_URL."""
    where = make_url(url).render_as_string(hide_password=True)
    try:
        async with _connected(url) as server:
            return [
                ok("postgresql.reachable", f"PostgreSQL at {where} responds."),
                await _check_version(server),
                await _check_clock(server, clock),
                *await _check_schema(server),
                *await _check_durability(server),
                await _check_standbys(server),
                await _check_connections(server),
                *await _check_leaders(server),
                *await _check_edges(server),
            ]
    except _AWAY as failure:
        return [
            error(
                "postgresql.reachable",
                f"PostgreSQL at {where} cannot be used: {failure!r}.",
                "Start the server, or correct PLACARD_DATABASE_URL.",
            )
        ]


@asynccontextmanager
async def _connected(url: str) -> AsyncIterator[asyncpg.Connection]:
    server = await PostgresConnector(url).connect(command_timeout=_CONNECT_S)
    try:
        yield server
    finally:
        await server.close(timeout=_CONNECT_S)


async def _check_version(server: asyncpg.Connection) -> Finding:
    number = int(await server.fetchval("show server_version_num"))
    text = f"PostgreSQL {await server.fetchval('show server_version')}."
    if number < _OLDEST:
        return error("postgresql.version", text, "Upgrade the server to PostgreSQL 14 or newer.")
    return ok("postgresql.version", text)


async def _check_clock(server: asyncpg.Connection, clock: Clock) -> Finding:
    before_ms = clock.now_ms()
    theirs_s = float(await server.fetchval("select extract(epoch from clock_timestamp())"))
    return compare_clocks(
        "postgresql.clock", "PostgreSQL", theirs_s - (before_ms + clock.now_ms()) / 2000
    )


async def _check_schema(server: asyncpg.Connection) -> list[Finding]:
    remedy = "Run `python -m control migrate`."
    missing = [role for role in DatabaseRole if not await _may_act_as(server, role)]
    if missing:
        names = ", ".join(missing)
        text = f"The login cannot act as {names}."
        return [error("postgresql.roles", text, remedy)]
    roles = ok("postgresql.roles", "The login can act as the three roles of the service.")
    if await server.fetchval("select to_regclass('alembic_version')") is None:
        return [roles, error("postgresql.schema", "The database has no schema.", remedy)]
    async with server.transaction():
        await server.execute(f"set local role {DatabaseRole.SERVICE}")
        found = str(await server.fetchval("select version_num from alembic_version"))
    newest = head_revision()
    if found == newest:
        return [roles, ok("postgresql.schema", f"The schema is at revision {found}.")]
    if is_known_revision(found):
        text = f"The schema is at revision {found}, this release needs {newest}."
        return [roles, error("postgresql.schema", text, remedy)]
    text = f"A newer release migrated the schema to revision {found}; this one made {newest}."
    newer = "Start that release again. Until then, run no release but the one directly before it."
    return [roles, warning("postgresql.schema", text, newer)]


async def _may_act_as(server: asyncpg.Connection, role: DatabaseRole) -> bool:
    return bool(
        await server.fetchval(
            "select coalesce(bool_or(pg_has_role(oid, 'USAGE')), false) from pg_roles where rolname = $1",
            role.value,
        )
    )


async def _check_durability(server: asyncpg.Connection) -> list[Finding]:
    found: list[Finding] = []
    if await server.fetchval("select pg_is_in_recovery()"):
        remedy = "Point PLACARD_DATABASE_URL at the primary, or promote this server."
        return [error("postgresql.primary", "The server is a standby and read-only.", remedy)]
    for setting in ("fsync", "full_page_writes", "synchronous_commit"):
        value = str(await server.fetchval(f"show {setting}"))
        name = f"postgresql.{setting}"
        if value == "off":
            text = f"`{setting}` is off: a crash loses committed charges and events."
            found.append(error(name, text, f"Set `{setting} = on` and reload the server."))
        else:
            found.append(ok(name, f"`{setting}` is {value}."))
    if await server.fetchval("show archive_mode") == "off":
        text = "`archive_mode` is off: no backup can be restored to a point in time."
        remedy = "Archive the WAL (pgBackRest, WAL-G, or your provider's backups)."
        found.append(note("postgresql.archive", text, remedy))
    return found


async def _check_standbys(server: asyncpg.Connection) -> Finding:
    check = "postgresql.standbys"
    states = await server.fetch("select state, sync_state from pg_stat_replication")
    streaming = [row for row in states if row["state"] == "streaming"]
    if not states:
        text = "No standby is connected: the loss of this server's disk loses data."
        return note(check, text, "Run a synchronous standby in production.")
    if len(streaming) < len(states):
        text = f"{len(states) - len(streaming)} of {len(states)} standbys do not stream."
        return warning(check, text, "Look at the standby's log and at `pg_stat_replication`.")
    if not any(row["sync_state"] in {"sync", "quorum"} for row in streaming):
        text = f"{len(streaming)} standbys stream, none synchronously: a failover can lose commits."
        return warning(check, text, "Set `synchronous_standby_names`.")
    return ok(check, f"{len(streaming)} standbys stream.")


async def _check_connections(server: asyncpg.Connection) -> Finding:
    check = "postgresql.connections"
    most = int(await server.fetchval("show max_connections"))
    used = int(await server.fetchval("select count(*) from pg_stat_activity"))
    text = f"{used} of {most} connections are in use."
    if most < _CONNECTIONS or used > 0.8 * most:
        remedy = f"Raise `max_connections` to at least {max(_CONNECTIONS, 2 * used)}."
        return warning(check, text, remedy)
    return ok(check, text)


async def _check_leaders(server: asyncpg.Connection) -> list[Finding]:
    """One leader each is elected among the processes of a name."""
    held = {
        int(row["lock"])
        for row in await server.fetch(
            "select (classid::bigint << 32) + objid::bigint as lock from pg_locks"
            " where locktype = 'advisory' and granted and objsubid = 1"
            " and database = (select oid from pg_database where datname = current_database())"
        )
    }
    return [
        ok(f"process.{role.name.lower()}", f"A `control {role.name.lower()}` leads.")
        if int(role) in held
        else note(
            f"process.{role.name.lower()}",
            f"No `control {role.name.lower()}` leads.",
            f"Start `python -m control {role.name.lower()}`, if the service should be running.",
        )
        for role in Leadership
    ]


async def _check_edges(server: asyncpg.Connection) -> list[Finding]:
    """Empty without a schema, which is a finding of its own."""
    if await server.fetchval("select to_regclass('edge_workers')") is None:
        return []
    async with server.transaction():
        await server.execute(f"set local role {DatabaseRole.SERVICE}")
        rows = await server.fetch(
            "select environment, worker, ok, nack_reason from edge_workers"
            " where seen_at > clock_timestamp() - interval '10 seconds'"
        )
    if not rows:
        text = "No edge has reported in the last ten seconds."
        return [note("edges.present", text, "Start `python -m edge`, if ads should be served.")]
    refusing = [row for row in rows if not row["ok"]]
    if refusing:
        first = refusing[0]
        text = (
            f"{len(refusing)} of {len(rows)} edge workers cannot adopt the newest snapshot. "
            f"{first['environment']}/{first['worker']}: {first['nack_reason']}."
        )
        return [error("edges.present", text, "Run the same release on edges and control plane.")]
    counts = Counter(str(row["environment"]) for row in rows)
    text = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    return [ok("edges.present", f"Edge workers with the newest snapshot: {text}.")]
