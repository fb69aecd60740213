"""Checks of Redis, or of each node of a cluster: reachable, role, persistence, eviction, memory, clock."""

import asyncio
from dataclasses import replace
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import NoPermissionError, ResponseError

from common.service.redis_client import answering, patient_redis
from common.service.redis_cluster import Address, ClusterRedis
from common.values.clock import Clock
from control.operations.doctor.finding import Finding, compare_clocks, error, note, ok, warning

_CALL_S = 5.0
_OLDEST = (6, 2)
_FULL = 0.8
_PRIMARIES = 3
"""With fewer, the loss of one leaves no majority, which promotes a replica."""
_SLOTS = 16_384


class _Unavailable(Exception):
    pass


async def check_redis(
    url: str, clock: Clock, *, is_event_log: bool, variable: str = "PLACARD_REDIS_URL"
) -> list[Finding]:
    """
    *is_event_log*: the event log is on Redis Streams, so that losing Redis's memory loses acknowledged events.
    *variable*: the setting of *url*, which remedies name.
    """
    found = await _examine(url, clock, is_event_log=is_event_log, variable=variable)
    return [replace(one, remedy=one.remedy.replace("PLACARD_REDIS_URL", variable)) for one in found]


async def _examine(url: str, clock: Clock, *, is_event_log: bool, variable: str) -> list[Finding]:
    client = patient_redis(url, connect_s=_CALL_S)
    try:
        async with answering(_CALL_S, _Unavailable, setting=variable):
            if not isinstance(client, ClusterRedis):
                return await _check(client, clock, is_event_log=is_event_log)
            await client.search()
        results = await asyncio.gather(
            *(
                _check_node(client, address, clock, is_event_log=is_event_log)
                for address in sorted(client.primaries)
            )
        )
        return [_check_primaries(client), *(finding for one in results for finding in one)]
    except _Unavailable as failure:
        remedy = "Start the server, or correct PLACARD_REDIS_URL."
        return [error("redis.reachable", f"{failure}", remedy)]
    finally:
        await client.aclose()


def _check_primaries(cluster: ClusterRedis) -> Finding:
    check, count = "redis.cluster", len(cluster.primaries)
    if count < _PRIMARIES:
        text = f"The Redis Cluster has {count} primaries."
        remedy = "Run three on different machines, so that a majority can replace a lost one."
        return warning(check, text, remedy)
    return ok(check, f"The Redis Cluster has {count} primaries.")


async def _check_node(
    cluster: ClusterRedis, address: Address, clock: Clock, *, is_event_log: bool
) -> list[Finding]:
    """Of one primary. Each text begins with its address."""
    node = cluster.node(address)
    try:
        async with answering(_CALL_S, _Unavailable):
            found = await _check(node, clock, is_event_log=is_event_log, is_node=True)
            found.append(await _check_state(node))
    except _Unavailable as failure:
        remedy = "Start this node, or promote its replica."
        found = [error("redis.reachable", f"{failure}", remedy)]
    host, port = address
    return [replace(one, text=f"{host}:{port}: {one.text}") for one in found]


async def _check_state(node: Redis) -> Finding:
    check = "redis.cluster_state"
    try:
        state: dict[str, str] = await node.execute_command("CLUSTER INFO")  # type: ignore[no-untyped-call]
    except NoPermissionError:
        text = "The Redis user may not read CLUSTER INFO, so the state was not checked."
        return note(check, text, "Run the doctor with a user that has `+cluster|info`.")
    served, remedy = int(state["cluster_slots_ok"]), "Look at `redis-cli --cluster check`."
    if state["cluster_state"] != "ok" or served < _SLOTS:
        text = f"`cluster_state` is {state['cluster_state']}, and {served} of {_SLOTS} slots are served."
        return error(check, text, remedy)
    return ok(check, f"`cluster_state` is ok, and all {_SLOTS} slots are served.")


async def _check(
    client: Redis, clock: Clock, *, is_event_log: bool, is_node: bool = False
) -> list[Finding]:
    await client.ping()
    found = [ok("redis.reachable", "Redis responds."), await _check_clock(client, clock)]
    try:
        info: dict[str, Any] = await client.info()
    except NoPermissionError:
        text = "The Redis user may not read INFO, so its settings were not checked."
        return [*found, note("redis.info", text, "Run the doctor with a user that has `+info`.")]
    return [
        *found,
        _check_version(info),
        _check_role(info),
        _check_replicas(info) if is_node else _check_cluster(info),
        _check_persistence(info, is_event_log=is_event_log),
        _check_eviction(info),
        _check_memory(info),
    ]


async def _check_clock(client: Redis, clock: Clock) -> Finding:
    before_ms = clock.now_ms()
    try:
        seconds, micros = await client.time()
    except (NoPermissionError, ResponseError) as failure:
        return note("redis.clock", f"Redis's clock was not read: {failure}", "Allow `+time`.")
    middle_s = (before_ms + clock.now_ms()) / 2000
    return compare_clocks("redis.clock", "Redis", seconds + micros / 1e6 - middle_s)


def _check_version(info: dict[str, Any]) -> Finding:
    version = str(info["redis_version"])
    if tuple(map(int, version.split(".")[:2])) < _OLDEST:
        return error("redis.version", f"Redis {version}.", "Upgrade to Redis 6.2 or newer.")
    return ok("redis.version", f"Redis {version}.")


def _check_role(info: dict[str, Any]) -> Finding:
    if info.get("role") != "master":
        remedy = "Point PLACARD_REDIS_URL at the primary, or promote this server."
        return error("redis.role", "The server is a replica and read-only.", remedy)
    return ok("redis.role", f"The server is a primary with {info['connected_slaves']} replicas.")


def _check_cluster(info: dict[str, Any]) -> Finding:
    if info.get("cluster_enabled"):
        text = "The server is part of a Redis Cluster, of which the URL names one server alone."
        remedy = "Begin PLACARD_REDIS_URL with `redis+cluster://` or `rediss+cluster://`."
        return error("redis.cluster", text, remedy)
    return ok("redis.cluster", "The server is not part of a Cluster.")


def _check_replicas(info: dict[str, Any]) -> Finding:
    if not info.get("connected_slaves"):
        text = "The node has no replica: its keys are unavailable while it is lost."
        return warning("redis.replicas", text, "Give each primary of the cluster a replica.")
    return ok("redis.replicas", f"The node has {info['connected_slaves']} replicas.")


def _check_persistence(info: dict[str, Any], *, is_event_log: bool) -> Finding:
    check = "redis.persistence"
    if info.get("aof_enabled") and info.get("aof_last_write_status") != "ok":
        text = "Redis cannot write its append-only file."
        return error(check, text, "Look at the server's log and its disk.")
    if info.get("aof_enabled"):
        return ok(check, "The append-only file is on.")
    text = "The append-only file is off."
    if is_event_log:
        return error(
            check,
            f"{text} The event log is on Redis Streams, so a restart loses acknowledged events.",
            "Set `appendonly yes`, or use Kafka (PLACARD_KAFKA_BOOTSTRAP_SERVERS).",
        )
    remedy = "Nothing is lost, but after a restart frequency caps begin anew. Set `appendonly yes`."
    return note(check, text, remedy)


def _check_eviction(info: dict[str, Any]) -> Finding:
    policy = str(info.get("maxmemory_policy"))
    if int(info.get("maxmemory", 0)) and policy != "noeviction":
        text = f"`maxmemory-policy` is {policy}: Redis would delete leases, snapshots and caps."
        return error("redis.eviction", text, "Set `maxmemory-policy noeviction`.")
    return ok("redis.eviction", f"`maxmemory-policy` is {policy}.")


def _check_memory(info: dict[str, Any]) -> Finding:
    used, most = int(info["used_memory"]), int(info.get("maxmemory", 0))
    text = f"Redis uses {used // 1_048_576} MiB" + (f" of {most // 1_048_576}." if most else ".")
    if most and used > _FULL * most:
        return warning("redis.memory", text, "Raise `maxmemory`, or move a role to another server.")
    return ok("redis.memory", text)
