"""The whole stack with its event log on Redis Streams, while one part after the other is taken away from it."""

import os
import signal
from collections import Counter
from typing import Any

import httpx
from redis.asyncio import Redis

from common.service.channels import LOG_PARTITIONS, Channels
from deploy.standalone.background import Background
from tests.e2e.customer import Customer, eventually
from tests.faults.oracle import Traffic, database, dead_letters
from tests.faults.stack import NAMESPACE, SPOOL_MAX_BYTES
from tests.support.servers import PostgresServer, RedisServer

CONTROL = ("api", "ingest", "publish", "work")
CHANNELS = Channels(NAMESPACE)


async def test_a_redis_that_comes_back_empty_loses_no_event_and_counts_none_twice(
    traffic: Traffic, stack: Background, redis: RedisServer
) -> None:
    tokens = await traffic.serve(240)
    (ingest,) = stack.pids_of("control", "ingest")
    os.kill(ingest, signal.SIGSTOP)
    first = await traffic.track(tokens[:80])
    await eventually(lambda: _shipped(redis, 80))
    redis.kill()
    redis.wipe()
    second = await traffic.track(tokens[80:160])
    await traffic.serve(20)
    redis.start()
    os.kill(ingest, signal.SIGCONT)
    third = await traffic.track(tokens[160:])
    replayed = await traffic.track(tokens)
    assert first + second + third + replayed == Counter({204: 480})
    await traffic.check()
    assert await traffic.stored() == 240


async def test_a_frozen_redis_delays_events_and_stops_nothing(
    traffic: Traffic, redis: RedisServer
) -> None:
    tokens = await traffic.serve(150)
    before = await traffic.track(tokens[:50])
    redis.freeze()
    try:
        during = await traffic.track(tokens[50:])
        await traffic.serve(20)
    finally:
        redis.thaw()
    assert before + during == Counter({204: 150})
    await traffic.check()


async def test_without_postgresql_control_answers_503_and_the_edge_serves(
    traffic: Traffic, stack: Background, customer: Customer, postgres: PostgresServer
) -> None:
    ours = {name: stack.pids_of("control", name) for name in CONTROL}
    tokens = await traffic.serve(100)
    before = await traffic.track(tokens[:50])
    postgres.kill()
    refusals = [
        await customer.ask("GET", "/v1/campaigns", token=customer.text("ak_live")),
        await customer.ask("POST", "/v1/campaigns", {}, token=customer.text("ak_live")),
        await customer.ask("GET", "/v1/integration/events"),
        await customer.ask("GET", "/readyz", token=""),
    ]
    during = await traffic.track(tokens[50:])
    more = await traffic.serve(10)
    postgres.start()
    assert [(one.status_code, one.json()["error"]["code"]) for one in refusals] == [
        (503, "unavailable")
    ] * 4
    assert all(int(one.headers["Retry-After"]) >= 1 for one in refusals)
    assert before + during + await traffic.track(more) == Counter({204: 110})
    await traffic.check()
    await Traffic.start(stack, customer)
    assert {name: stack.pids_of("control", name) for name in CONTROL} == ours


async def test_a_full_spool_refuses_and_never_acknowledges_what_it_does_not_keep(
    traffic: Traffic, redis: RedisServer
) -> None:
    tokens = await traffic.serve(2 * SPOOL_MAX_BYTES // 500)
    redis.freeze()
    try:
        answers = await traffic.track(tokens)
        answer = await _refusal(traffic, tokens)
    finally:
        redis.thaw()
    assert set(answers) == {204, 503}
    assert answer.json()["error"]["code"] == "unavailable"
    assert int(answer.headers["Retry-After"]) >= 1
    await traffic.check()
    await eventually(lambda: _all_acknowledged(traffic, tokens))
    await traffic.check()
    assert await traffic.stored() == len(tokens)


async def test_ingest_killed_in_the_middle_of_a_batch_stores_it_once(
    traffic: Traffic, stack: Background
) -> None:
    tokens = await traffic.serve(200)
    (killed,) = stack.pids_of("control", "ingest")
    async with database(stack) as connection, connection.transaction():
        await connection.execute("lock table events in access exclusive mode")
        first = await traffic.track(tokens[:100])
        await eventually(lambda: _waits_for_events(connection))
        os.kill(killed, signal.SIGKILL)
        second = await traffic.track(tokens[100:])
    assert first + second == Counter({204: 200})
    await traffic.check()
    assert stack.pids_of("control", "ingest") not in ([], [killed])


async def test_the_spool_of_a_killed_edge_is_adopted_and_stored(
    traffic: Traffic, stack: Background, redis: RedisServer
) -> None:
    tokens = await traffic.serve(100)
    redis.freeze()
    try:
        first = await traffic.track(tokens)
        for pid in (stack.edge_supervisor("live"), *stack.edge_workers("live")):
            os.kill(pid, signal.SIGKILL)
    finally:
        redis.thaw()
    await eventually(traffic.serves_everywhere)
    again = await traffic.track(tokens)
    assert first + again == Counter({204: 200})
    await traffic.check()
    assert await traffic.stored() == 100


async def test_a_killed_supervisor_takes_its_workers_along_and_another_takes_over(
    traffic: Traffic, stack: Background
) -> None:
    tokens = await traffic.serve(60)
    first = await traffic.track(tokens[:30])
    supervisor, workers = stack.edge_supervisor("live"), stack.edge_workers("live")
    os.kill(supervisor, signal.SIGKILL)

    async def replaced() -> bool | None:
        now = stack.edge_workers("live")
        return True if len(now) == len(workers) and not set(now) & set(workers) else None

    await eventually(replaced)
    await eventually(traffic.serves_everywhere)
    assert first + await traffic.track(tokens[30:]) == Counter({204: 60})
    await traffic.check()


async def test_a_scanners_click_does_not_use_up_the_token_of_the_person(
    stack: Background, customer: Customer
) -> None:
    slot_id = await customer.make_slot("scanned")
    campaign_id = await customer.run_campaign(
        "live", bid_cents=77, slot_ids=(slot_id,), pricing_model="cpc"
    )
    ad = await customer.serve_until_filled("live", campaign_id, slot="scanned")
    robot = {
        "User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
    }
    reader = {
        "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"
    }
    clicks = [await customer.http.get(ad["click_url"], headers=one) for one in (robot, reader)]

    async def both() -> list[Any] | None:
        async with database(stack) as connection:
            rows: list[Any] = await connection.fetch(
                "select kind, valid, reason, charged_micros from events where campaign_id = $1 "
                "order by valid",
                campaign_id,
            )
        return rows if len(rows) == 2 else None

    stored = await eventually(both)
    assert [one.status_code for one in clicks] == [302, 302]
    assert [tuple(row) for row in stored] == [
        ("click", False, "bot_user_agent", 0),
        ("click", True, "ok", 770_000),
    ]


async def test_poison_in_a_stream_goes_to_the_dead_letters_and_holds_nothing_up(
    traffic: Traffic, stack: Background, redis: RedisServer
) -> None:
    tokens = await traffic.serve(60)
    poison = [b"", b"\x00\xff\xfe", b'{"v":1,"edge":"x"}', b'{"v":99}']
    first = await traffic.track(tokens[:30])
    async with Redis.from_url(redis.url, protocol=2) as client:
        placed = {
            (number, _position(await client.xadd(CHANNELS.log_stream(number), {"r": raw})), raw)
            for number, raw in enumerate(poison)
        }
    assert first + await traffic.track(tokens[30:]) == Counter({204: 60})
    await traffic.check()
    found = await dead_letters(stack, poison)
    assert {one[:3] for one in found} == placed
    assert all(reason for *_, reason in found)


async def _shipped(redis: RedisServer, count: int) -> bool | None:
    """Whether the streams hold *count* entries that ingest has not taken."""
    async with Redis.from_url(redis.url, protocol=2) as client:
        lengths = [
            await client.xlen(CHANNELS.log_stream(number)) for number in range(LOG_PARTITIONS)
        ]
    return True if sum(lengths) >= count else None


async def _waits_for_events(connection: Any) -> bool | None:
    """Whether a transaction that has written something waits for the table of events."""
    waiting = await connection.fetchval(
        "select count(*) from pg_locks l join pg_class c on c.oid = l.relation "
        "join pg_stat_activity a on a.pid = l.pid "
        "where c.relname = 'events' and not l.granted and a.backend_xid is not null"
    )
    return True if waiting else None


async def _all_acknowledged(traffic: Traffic, tokens: list[str]) -> bool | None:
    """Sends again what was refused, as a client does."""
    left = [token for token in tokens if not traffic.was_acknowledged(token)]
    answers = await traffic.track(left)
    assert set(answers) <= {204, 503}
    return True if answers[503] == 0 else None


async def _refusal(traffic: Traffic, tokens: list[str]) -> httpx.Response:
    """The answer to one that was not kept, shown again."""

    async def ask() -> httpx.Response | None:
        for token in tokens:
            if not traffic.was_acknowledged(token):
                answer = await traffic.track_one(token)
                if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
                    return answer
        return None

    return await eventually(ask)


def _position(entry_id: bytes | str) -> int:
    text = entry_id if isinstance(entry_id, str) else entry_id.decode()
    milliseconds, _, number = text.partition("-")
    return (int(milliseconds) << 20) + int(number)
