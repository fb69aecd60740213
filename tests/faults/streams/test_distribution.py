"""Changes reach the edges although parts between them and the control plane fail, and earlier ones are kept."""

import os
import signal
from collections import Counter

import httpx

from common.values.clock import SystemClock
from common.values.environment import Environment
from deploy.standalone.background import Background
from edge.snapshots.disk_store import SnapshotDiskStore
from tests.e2e.customer import Customer, eventually
from tests.faults.oracle import Traffic, database
from tests.support.http_client import http_client
from tests.support.servers import RedisServer

CONTROL = ("api", "ingest", "publish", "work")


async def answers(customer: Customer, key: str, *, slot: str | None = None) -> set[int]:
    """Statuses over fresh connections, which come to any worker."""
    headers = {"Authorization": f"Bearer {key}", "User-Agent": "Mozilla/5.0 Firefox/144.0"}
    params = {"slot": slot or customer.slot_key}
    found = set()
    async with http_client(is_fresh=True) as fresh:
        for _ in range(12):
            try:
                answer = await fresh.get(
                    f"{customer.edge('live')}/v1/serve", params=params, headers=headers
                )
            except httpx.TransportError:
                found.add(0)
                continue
            found.add(answer.status_code)
    return found


async def is_on_disk(stack: Background) -> bool | None:
    """Whether the live edge has written the newest version."""
    async with database(stack) as connection:
        head = await connection.fetchval("select max(version) from snapshot_head")
    loaded = SnapshotDiskStore(stack.state / "snapshot" / "live", Environment.LIVE).load()
    return True if loaded is not None and loaded.state.version == head else None


async def a_key(customer: Customer) -> tuple[str, str]:
    """A live secret key's id and text, known to every worker."""
    body = {
        "property_id": customer.property_id,
        "kind": "secret",
        "environment": "live",
        "name": "to be revoked",
    }
    made = await customer.call("POST", "/v1/sdk-keys", body)

    async def is_known() -> bool | None:
        return True if await answers(customer, made["key"]) <= {200, 204} else None

    await eventually(is_known)
    return made["id"], made["key"]


async def test_a_key_revoked_without_redis_is_refused_by_every_worker(
    customer: Customer, redis: RedisServer
) -> None:
    key_id, key = await a_key(customer)
    redis.kill()
    try:
        await customer.call("POST", f"/v1/sdk-keys/{key_id}/revoke")

        async def is_refused() -> bool | None:
            return True if await answers(customer, key) == {403} else None

        await eventually(is_refused)
    finally:
        redis.start()


async def test_without_redis_control_still_knows_which_workers_have_a_change(
    customer: Customer, redis: RedisServer
) -> None:
    redis.kill()
    try:
        body = {"property_id": customer.property_id, "name": "Side", "formats": ["banner"]}
        made = await customer.http.post(
            f"{customer.demo['control_url']}/v1/slots",
            json={**body, "key": f"s{SystemClock().now_ms()}"},
            headers={"Authorization": f"Bearer {customer.access_token}"},
        )
        version = made.raise_for_status().headers["x-snapshot-version"]

        async def is_everywhere() -> bool | None:
            found = await customer.call("GET", f"/v1/propagation/{version}")
            return found["complete"] or None

        await eventually(is_everywhere)
    finally:
        redis.start()


async def test_a_shared_secret_rotates_under_traffic_and_no_token_is_refused(
    traffic: Traffic, customer: Customer
) -> None:
    statuses: Counter[int] = Counter()
    kids = set()
    path = f"/v1/properties/{customer.property_id}/secret/rotate"
    for _ in range(3):
        kept = await traffic.serve(10)

        async def begins() -> str | None:
            statuses.update(await traffic.track(await traffic.serve(5)))
            answer = await customer.ask("POST", path)
            return str(answer.json()["kid"]) if answer.status_code == 202 else None

        kids.add(await eventually(begins))
        statuses.update(await traffic.track(kept))
    assert set(statuses) == {204}
    assert len(kids) == 3
    await traffic.check()


async def test_without_the_control_plane_and_redis_a_restarted_edge_serves_from_disk(
    traffic: Traffic, stack: Background, customer: Customer, redis: RedisServer
) -> None:
    key_id, key = await a_key(customer)
    await eventually(lambda: is_on_disk(stack))
    ours = [pid for name in CONTROL for pid in stack.pids_of("control", name)]
    before = stack.edge_supervisor("live")
    for pid in ours:
        os.kill(pid, signal.SIGSTOP)
    redis.kill()
    redis.wipe()
    try:
        await traffic.serve(40)
        os.kill(before, signal.SIGKILL)

        async def replaced() -> bool | None:
            return True if stack.edge_supervisor("live") != before else None

        await eventually(replaced)
        await eventually(traffic.serves_everywhere)
        await traffic.serve(40)
    finally:
        redis.start()
        for pid in ours:
            os.kill(pid, signal.SIGCONT)

    async def is_revoked() -> bool | None:
        answer = await customer.ask("POST", f"/v1/sdk-keys/{key_id}/revoke")
        return True if answer.status_code != 503 else None

    await eventually(is_revoked)

    async def is_refused() -> bool | None:
        return True if await answers(customer, key) == {403} else None

    await eventually(is_refused)
