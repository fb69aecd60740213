"""`deploy/redis/users.acl`, as the embedded Redis has it: each role does its own work, and none does another's."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from redis.asyncio import Redis as Client
from redis.exceptions import ConnectionError as ConnectionRefused
from redis.exceptions import NoPermissionError

from common.service.channels import LOG_PARTITIONS, Channels
from common.service.redis_client import patient_redis
from common.tracking.reconcile import ReplayRequest, Retained
from common.values.clock import SystemClock
from common.values.environment import Environment
from control.adapters.redis_channel import RedisSnapshotChannel
from control.adapters.redis_leases import RedisLeaseMailbox
from control.adapters.redis_person_counts import RedisFrequencyCounts
from control.adapters.redis_rates import RedisRateLimitSync
from control.adapters.redis_reconcile import RedisReplayMailbox as ControlDesk
from control.adapters.redis_stream_source import RedisStreamEventSource
from control.operations.doctor.finding import Level
from control.operations.doctor.redis import check_redis
from control.ports.rates import Spend
from deploy.standalone.redis_users import ROLES, RedisUsers, make_users
from edge.adapters.redis_caps import RedisCapStore
from edge.adapters.redis_leases import RedisLeaseStore
from edge.adapters.redis_limits import RedisLimitStore
from edge.adapters.redis_reconcile import RedisReplayRequests as EdgeDesk
from edge.adapters.redis_salts import RedisSaltStore
from edge.adapters.redis_snapshots import RedisSnapshotSource
from edge.adapters.redis_stream_events import RedisStreamEventLog
from edge.adapters.redis_tokens import RedisTokenStore
from edge.ports import Seen, token_key_of
from tests.edge.snapshots.published import Published
from tests.support.records import some_records
from tests.support.redis_servers import ClusterOfRedis, started_cluster
from tests.support.servers import RedisServer
from tests.support.waiting import PATIENCE_S

LIVE = Environment.LIVE
NAMES = Channels("guarded")
PERSON = b"somebody"


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> RedisUsers:
    return make_users(tmp_path_factory.mktemp("users"), NAMES.namespace)


@pytest.fixture(scope="module")
def server(users: RedisUsers, servers_folder: Path) -> Iterator[RedisServer]:
    server = RedisServer(servers_folder / "guarded", users=users.render())
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def cluster(users: RedisUsers, servers_folder: Path) -> Iterator[ClusterOfRedis]:
    # Debian's Redis 7.0 has no CLIENT SETINFO, and refuses its name.
    text = users.render().replace(" +client|setinfo", "")
    rules = [line.split()[1:] for line in text.splitlines()]
    rules.sort(key=lambda words: words[0] == "default")  # It may only ping from then on.
    with started_cluster(servers_folder / "guarded-cluster") as cluster:
        for node in cluster.primaries:
            for words in rules:
                node.query("ACL SETUSER", *words)
        yield cluster


@pytest.fixture(scope="module", params=["server", "cluster"])
def url(request: pytest.FixtureRequest, users: RedisUsers) -> Callable[[str], str]:
    server = request.getfixturevalue(request.param).url

    def of(role: str) -> str:
        return users.url(server, role)

    return of


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def clients(users: RedisUsers, server: RedisServer) -> AsyncIterator[dict[str, Client]]:
    urls = {role: users.url(server.url, role) for role in ROLES}
    made = {role: patient_redis(url, connect_s=PATIENCE_S) for role, url in urls.items()}
    yield made
    for client in made.values():
        await client.aclose()


async def test_publish_writes_snapshots_and_the_receiver_reads_them(
    url: Callable[[str], str],
) -> None:
    channel = RedisSnapshotChannel(url("publish"), NAMES, ring=1)
    source = RedisSnapshotSource(url("receiver"), NAMES, LIVE)
    published = Published()
    published.put("home")
    await channel.put_full(LIVE, published.full())
    delta, beat = published.put("sports"), published.beat()
    await channel.put_delta(LIVE, delta)
    await channel.put_full(LIVE, published.full())
    subscription = source.subscribe()
    received = asyncio.ensure_future(anext(subscription))
    async with asyncio.timeout(PATIENCE_S):
        while not received.done():
            await channel.beat(LIVE, beat)
            await asyncio.sleep(0.01)
    assert received.result() == beat
    await subscription.aclose()
    assert await source.head() == beat
    assert await source.full() == published.full()
    assert list(await source.deltas(1, 2) or ()) == [delta]
    assert await channel.has_deltas(LIVE, 1, 2)
    assert await channel.has_full(LIVE, published.epoch) == 2
    await source.close()
    await channel.close()


async def test_the_receiver_reports_and_publish_reads(url: Callable[[str], str]) -> None:
    channel = RedisSnapshotChannel(url("publish"), NAMES, ring=1)
    source = RedisSnapshotSource(url("receiver"), NAMES, LIVE)
    assert await source.report({"edge-1/0": b"{}"})
    assert await channel.find_workers(LIVE) == {"edge-1/0": b"{}"}
    await channel.remove_workers(LIVE, ["edge-1/0"])
    assert await channel.find_workers(LIVE) == {}
    await source.close()
    await channel.close()


async def test_an_edge_divides_rate_limits(url: Callable[[str], str]) -> None:
    store = RedisLimitStore.open(url("edge"), NAMES, LIVE)
    assert await store.replace((await store.read()).version, b"table")
    assert (await store.read()).raw == b"table"
    await store.close()


async def test_an_edge_claims_counts_and_appends(url: Callable[[str], str]) -> None:
    clock = SystemClock()
    names = NAMES.on(url("edge"))
    tokens = RedisTokenStore.open(url("edge"), names, LIVE, clock, call_s=PATIENCE_S)
    turn = token_key_of(uuid4(), "click")
    await tokens.claim([(turn, 60)])
    assert await tokens.seen([turn]) == [True]
    await tokens.close()
    caps = RedisCapStore(
        patient_redis(url("edge"), connect_s=PATIENCE_S),
        names,
        LIVE,
        clock,
        call_s=PATIENCE_S,
        wait_s=PATIENCE_S,
    )
    await caps.add([Seen(PERSON, ("c1:impression:3600",), clock.now_ms())])
    assert await caps.counts(PERSON, clock.now_ms()) == {"c1:impression:3600": 1}
    await caps.close()
    for names in (NAMES, NAMES.decisions):
        log = RedisStreamEventLog.open(url("edge"), names)
        await log.append(some_records(3))
        assert await log.generation()
        await log.close()


async def test_ingest_reads_the_log_and_work_answers_people(url: Callable[[str], str]) -> None:
    for names in (NAMES, NAMES.decisions):
        source = RedisStreamEventSource(url("ingest"), names)
        assert len(await source.assigned()) == LOG_PARTITIONS
        for partition in range(LOG_PARTITIONS):
            await source.seek(partition, None)
        batches = await source.poll(most=10, wait_ms=1)
        for batch in batches:
            await source.settle(batch.partition, batch.records[-1].position, {"edge-a/0": 3})
        await source.close()
    people = RedisFrequencyCounts(url("work"), NAMES)
    assert await people.read([PERSON]) is not None
    assert await people.erase([PERSON]) >= 0
    await people.close()


async def test_work_requests_records_and_edges_report_what_they_retain(
    url: Callable[[str], str],
) -> None:
    clock = SystemClock()
    control, edge = ControlDesk(url("work"), NAMES, clock), EdgeDesk(url("edge"), NAMES)
    wanted = {"edge-1/a": ReplayRequest(clock.now_ms(), ((1, 3),))}
    await control.request_replay(wanted)
    assert await edge.wanted() == wanted
    await edge.report_retained(
        {"edge-1/a": Retained(clock.now_ms(), 40), "edge-2/a": Retained(1, 40)}
    )
    assert set(await control.retained()) == {"edge-1/a"}
    await control.close()
    await edge.close()


async def test_pace_grants_the_leases_that_edges_request(url: Callable[[str], str]) -> None:
    edge, pace = (
        RedisLeaseStore.open(url("edge"), NAMES, call_s=PATIENCE_S),
        RedisLeaseMailbox(url("pace"), NAMES),
    )
    assert await edge.exchange("edge-1/a", b"asks") is None
    assert await pace.reports() == {"edge-1/a": b"asks"}
    await pace.put({"edge-1/a": b"granted"})
    assert await edge.exchange("edge-1/a", b"asks") == b"granted"
    await pace.delete(["edge-1/a"])
    assert await pace.reports() == {}
    await edge.close()
    await pace.close()


async def test_edges_agree_on_the_salt_of_a_day(url: Callable[[str], str]) -> None:
    store = RedisSaltStore.open(url("edge"), NAMES, LIVE)
    until_ms = SystemClock().now_ms() + 60_000
    assert [await store.agree(1, salt, until_ms) for salt in (b"a", b"b")] == [b"a", b"a"]
    await store.close()


async def test_api_processes_share_rates(url: Callable[[str], str]) -> None:
    first, second = RedisRateLimitSync(url("api"), NAMES), RedisRateLimitSync(url("api"), NAMES)
    await second.receive()
    await first.report({"key:1": Spend(1.0, 2.0)})
    assert await second.receive() == [{"key:1": Spend(1.0, 2.0)}]
    await first.close()
    await second.close()


_HEAD, _BELL = NAMES.snapshot_head(LIVE), NAMES.snapshot_changes(LIVE)
_STREAM, _LEASE = NAMES.log_stream(0), NAMES.log_lease(0)
_PERSON_KEY = NAMES.person_counts(LIVE, PERSON.hex())
_TOKEN = NAMES.token_claim(LIVE, "t:click")


@pytest.mark.parametrize(
    ("role", "command"),
    [
        ("receiver", ("SET", _HEAD, "forged")),
        ("receiver", ("DEL", _HEAD)),
        ("receiver", ("PUBLISH", _BELL, "forged")),
        ("receiver", ("GET", _TOKEN)),
        ("receiver", ("SUBSCRIBE", "another")),
        ("edge", ("SET", _HEAD, "forged")),
        ("edge", ("GET", _HEAD)),
        ("edge", ("PUBLISH", _BELL, "forged")),
        ("edge", ("HSET", NAMES.edge_workers(LIVE), "edge-9/0", "forged")),
        ("edge", ("SET", _LEASE, "mine")),
        ("edge", ("XTRIM", _STREAM, "MAXLEN", "0")),
        ("edge", ("XRANGE", _STREAM, "-", "+")),
        ("edge", ("EVAL", "return redis.call('SET', KEYS[1], 'x')", "1", _HEAD)),
        ("ingest", ("SET", _HEAD, "forged")),
        ("ingest", ("XADD", _STREAM, "*", "r", "forged")),
        ("ingest", ("GET", _TOKEN)),
        ("publish", ("HGETALL", _PERSON_KEY)),
        ("publish", ("XADD", _STREAM, "*", "r", "forged")),
        ("api", ("GET", _HEAD)),
        ("api", ("HSET", NAMES.lease_grants, "edge-1/a", "forged")),
        ("ingest", ("HGETALL", NAMES.lease_reports)),
        ("pace", ("GET", _HEAD)),
        ("pace", ("GET", _TOKEN)),
        ("api", ("HGETALL", _PERSON_KEY)),
        ("work", ("XADD", NAMES.rates, "*", "by", "me")),
        ("work", ("SET", _HEAD, "forged")),
        *(
            (role, command)
            for role in ROLES
            if role != "operator"
            for command in (("KEYS", "*"), ("FLUSHALL",), ("CONFIG", "GET", "*"), ("ACL", "LIST"))
        ),
    ],
)
async def test_no_role_does_anothers_work(
    role: str, command: tuple[str, ...], clients: dict[str, Client]
) -> None:
    with pytest.raises(NoPermissionError):
        await clients[role].execute_command(*command)  # type: ignore[no-untyped-call]  # redis-py left it bare


async def test_the_doctor_reads_the_settings_of_the_server_as_an_edge(
    url: Callable[[str], str],
) -> None:
    """In containers it has this role's login: `redis.info` and `redis.clock` name what a login may not read."""
    found = {
        one.check: one for one in await check_redis(url("edge"), SystemClock(), is_event_log=False)
    }
    assert {"redis.version", "redis.role", "redis.persistence", "redis.eviction"} <= found.keys()
    assert "redis.info" not in found
    assert "clock of Redis" in found["redis.clock"].text
    assert [one for one in found.values() if one.level is Level.ERROR] == []


async def test_an_unauthenticated_client_may_only_ping(server: RedisServer) -> None:
    async with Client.from_url(server.url) as nobody:
        assert await nobody.ping()
        with pytest.raises(NoPermissionError):
            await nobody.get(_HEAD)


async def test_a_wrong_password_is_refused(server: RedisServer) -> None:
    outsider = RedisUsers(NAMES.namespace, dict.fromkeys(ROLES, "guessed"))
    async with Client.from_url(outsider.url(server.url, "operator")) as client:
        with pytest.raises(ConnectionRefused, match="invalid username-password"):
            await client.ping()


def test_passwords_are_made_once_and_shown_to_nobody(tmp_path: Path) -> None:
    first, again = make_users(tmp_path, "n"), make_users(tmp_path, "n")
    assert first == again
    assert len(set(first.passwords.values())) == len(ROLES)
    assert (tmp_path / "redis-users.json").stat().st_mode & 0o777 == 0o600
    assert not any(password in repr(first) for password in first.passwords.values())


@pytest.mark.parametrize("names", [NAMES, NAMES.on("redis+cluster://nodes")])
def test_every_name_there_is_belongs_to_a_role(users: RedisUsers, names: Channels) -> None:
    """A name that `common.service.channels` has and the file lacks fails where Redis has these users."""
    patterns = [
        word[1:]
        for line in users.render().splitlines()
        if not line.startswith("user operator")
        for word in line.split()
        if word[0] in "~&"
    ]
    unknown = [
        name for name in _all_names(names) if not any(fnmatchcase(name, p) for p in patterns)
    ]
    assert not unknown


def _all_names(names: Channels) -> list[str]:
    """Those in Redis; topic and group are Kafka's."""
    found = []
    for name, member in inspect.getmembers(Channels):
        if name.startswith("_") or name in ("decisions", "log_topic", "log_group", "on"):
            continue
        if isinstance(member, property):
            found.append(getattr(names, name))
        elif inspect.isfunction(member):
            found.append(member(names, *_arguments(member)))
    return found


def _arguments(member: Any) -> list[Any]:
    kinds = {Environment: LIVE, int: 1, str: "a"}
    given = list(inspect.signature(member).parameters.values())[1:]
    return [kinds[one.annotation] for one in given]
