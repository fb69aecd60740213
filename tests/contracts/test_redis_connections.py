"""The client of both planes works with TLS, users, Sentinels and a Cluster, which its URL must name."""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote, urlencode
from uuid import uuid4

import pytest
from redis.asyncio import Redis

from common.service.redis_client import answering, patient_redis
from common.service.redis_settings import RedisSettings
from common.service.redis_url import parse_redis_url
from deploy.standalone.sockets import find_free_ports
from tests.support.certificates import Authority
from tests.support.redis_servers import SecuredRedis, SentinelServer, TcpRedis
from tests.support.servers import started
from tests.support.waiting import until

_SECRET = "a-pass@word"
_USERS = f"user default on nopass -@all +ping\nuser edge on >{_SECRET} ~* &* +@all\n"
_CALL_S = 5.0


class _AwayError(Exception):
    pass


@dataclass(frozen=True)
class Secured:
    server: SecuredRedis
    authority: Authority
    certificate: Path
    key: Path

    def url(self, user: str = f"edge:{quote(_SECRET)}", **changes: str | Path | None) -> str:
        files = {
            "ca_file": self.authority.file,
            "certificate_file": self.certificate,
            "certificate_key_file": self.key,
        }
        query = {name: str(value) for name, value in (files | changes).items() if value is not None}
        return f"rediss://{user}@127.0.0.1:{self.server.port}/0?{urlencode(query)}"


@pytest.fixture(scope="module")
def secured(servers_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    authority = Authority(tmp_path_factory.mktemp("authority"))
    certificate, key = authority.issue("edge")
    server = SecuredRedis(servers_folder / "redis-tls", authority, users=_USERS)
    with started(server):
        yield Secured(server, authority, certificate, key)


async def ping(url: str) -> bool:
    async with connected(url) as client, answering(_CALL_S, _AwayError):
        return bool(await client.ping())


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Redis]:
    client = patient_redis(url, connect_s=_CALL_S)
    try:
        yield client
    finally:
        await client.aclose()


async def test_a_user_signs_in_over_mutual_tls(secured: Secured) -> None:
    assert await ping(secured.url())


async def test_the_password_is_read_from_its_file_at_each_connection(
    secured: Secured, tmp_path: Path
) -> None:
    file = tmp_path / "password"
    file.write_text("of yesterday\n")
    async with connected(secured.url("edge", password_file=file)) as client:
        with pytest.raises(_AwayError, match="invalid username-password pair"):
            async with answering(_CALL_S, _AwayError):
                await client.ping()
        file.write_text(f"{_SECRET}\n")
        async with answering(_CALL_S, _AwayError):
            assert await client.ping()


async def test_a_renewed_certificate_is_used_without_a_restart(
    secured: Secured, tmp_path: Path
) -> None:
    foreign = Authority(tmp_path)
    certificate, key = (shown.rename(tmp_path / shown.name) for shown in foreign.issue("renewed"))
    url = secured.url(certificate_file=certificate, certificate_key_file=key)
    async with connected(url) as client:
        with pytest.raises(_AwayError):
            async with answering(_CALL_S, _AwayError):
                await client.ping()
        certificate.write_bytes(secured.certificate.read_bytes())
        key.write_bytes(secured.key.read_bytes())
        async with answering(_CALL_S, _AwayError):
            assert await client.ping()


async def test_a_client_without_a_certificate_is_refused(secured: Secured) -> None:
    with pytest.raises(_AwayError):
        await ping(secured.url(certificate_file=None, certificate_key_file=None))


async def test_a_server_of_another_authority_is_refused(secured: Secured, tmp_path: Path) -> None:
    with pytest.raises(_AwayError, match="certificate verify failed"):
        await ping(secured.url(ca_file=Authority(tmp_path).file))


async def test_a_server_of_another_name_is_refused(secured: Secured) -> None:
    with pytest.raises(_AwayError, match=r"certificate is not valid for 'localhost'"):
        await ping(secured.url().replace("127.0.0.1", "localhost"))


async def test_a_wrong_password_is_refused(secured: Secured) -> None:
    with pytest.raises(_AwayError, match="invalid username-password pair"):
        await ping(secured.url("edge:wrong"))


@dataclass(frozen=True)
class Watched:
    primary: TcpRedis
    replica: TcpRedis
    sentinels: list[SentinelServer]

    @property
    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{one.port}" for one in self.sentinels)
        return f"redis+sentinel://{hosts}/0?primary=placard"


@pytest.fixture
def watched(servers_folder: Path) -> Iterator[Watched]:
    with ExitStack() as stack:
        folder = servers_folder / f"redis-{uuid4().hex[:8]}"
        primary = stack.enter_context(started(TcpRedis(folder / "a")))
        follows = {"replicaof": f"127.0.0.1 {primary.port}", "repl-diskless-sync-delay": "0"}
        replica = stack.enter_context(started(TcpRedis(folder / "b", follows)))
        sentinels = [
            stack.enter_context(started(SentinelServer(folder / str(number), primary, quorum=2)))
            for number in range(3)
        ]
        yield Watched(primary, replica, sentinels)


async def watch_begins(watched: Watched) -> None:
    """Until each Sentinel knows the others and the replica, and the replica holds the primary's data."""
    for sentinel in watched.sentinels:
        async with connected(f"redis://127.0.0.1:{sentinel.port}") as client:

            async def is_ready(client: Redis = client) -> bool:
                state = await client.sentinel_master("placard")
                assert isinstance(state, dict)
                return bool(
                    state["num-slaves"] == 1
                    and state["num-other-sentinels"] == len(watched.sentinels) - 1
                )

            await until(is_ready)
    async with connected(watched.replica.tcp_url) as client:

        async def is_linked() -> bool:
            return bool((await client.info("replication"))["master_link_status"] == "up")

        await until(is_linked)


async def is_written(client: Redis, name: str) -> bool:
    try:
        async with answering(1.0, _AwayError):
            await client.set(name, b"1")
    except _AwayError:
        return False
    return True


@pytest.mark.parametrize("fault", ["kill", "freeze"])
async def test_writes_reach_the_promoted_replica(
    watched: Watched, namespace: str, fault: str
) -> None:
    await watch_begins(watched)
    async with connected(watched.url) as client, connected(watched.replica.tcp_url) as replica:
        assert await is_written(client, f"{namespace}:before")
        getattr(watched.primary, fault)()
        await until(lambda: is_written(client, f"{namespace}:after"))
        assert (await replica.info("replication"))["role"] == "master"
        assert await replica.exists(f"{namespace}:after")


async def test_a_frozen_sentinel_does_not_hide_the_primary(
    watched: Watched, namespace: str
) -> None:
    await watch_begins(watched)
    watched.sentinels[0].freeze()
    async with connected(watched.url) as client:
        await until(lambda: is_written(client, namespace))


async def test_an_unknown_name_of_a_primary_is_unavailable(watched: Watched) -> None:
    with pytest.raises(_AwayError, match="no Sentinel knows a primary named other"):
        await ping(watched.url.replace("=placard", "=other"))


async def test_a_server_of_a_cluster_is_named_as_the_cause(servers_folder: Path) -> None:
    settings = {"cluster-enabled": "yes", "cluster-port": str(find_free_ports(1)[0])}
    with started(TcpRedis(servers_folder / "cluster", settings)) as server:
        async with connected(server.tcp_url) as client:
            with pytest.raises(_AwayError, match="name it by `redis\\+cluster://`"):
                async with answering(_CALL_S, _AwayError):
                    await client.set("a", b"1")
            server.run_command("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
            await until(lambda: is_written(client, "a"))
            with pytest.raises(_AwayError, match="name it by `redis\\+cluster://`"):
                async with answering(_CALL_S, _AwayError):
                    await client.mget("a", "b")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://h", "must begin with"),
        ("redis+cluster://h/1", "only database 0"),
        ("redis+cluster://h?primary=n", "`primary`"),
        ("redis://h?ca_file=f", "need `rediss://`"),
        ("rediss://h?certificate_file=f", "belong together"),
        ("rediss://h?ssl_cert_reqs=none", "unknown parameter `ssl_cert_reqs`"),
        ("redis://:p@h?password_file=f", "Keep one"),
        ("redis://a,b", "several hosts need"),
        ("redis+sentinel://a,b", "`primary`"),
        ("redis://h?primary=n", "`primary`"),
        ("redis://h:x", "a port"),
        ("redis://h/x", "must be a number"),
    ],
)
def test_a_contradiction_is_refused(url: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_redis_url(url)


def test_each_role_can_have_a_server_of_its_own() -> None:
    own = RedisSettings(redis_url="redis://a", lease_redis_url="redis://b")
    assert (own.snapshot_redis, own.lease_redis, own.log_redis) == (
        "redis://a",
        "redis://b",
        "redis://a",
    )


async def test_a_caller_that_stops_waiting_does_not_end_the_search(
    watched: Watched, namespace: str
) -> None:
    await watch_begins(watched)
    watched.sentinels[0].freeze()
    async with connected(watched.url) as client:

        async def is_found_soon() -> bool:
            try:
                async with answering(0.2, _AwayError):
                    await client.set(namespace, b"1")
            except _AwayError:
                return False
            return True

        await until(is_found_soon)


def test_sentinels_have_a_port_and_user_of_their_own() -> None:
    found = parse_redis_url("redis+sentinel://u:p@a,b:1/2?primary=n&sentinel_user=s")
    assert found.addresses == (("a", 26379), ("b", 1))
    assert (found.user, found.password, found.db, found.sentinel_user) == ("u", "p", 2, "s")


def test_several_nodes_of_a_cluster_are_named() -> None:
    found = parse_redis_url("rediss+cluster://u:p@a,b:1?ca_file=f")
    assert (found.addresses, found.is_cluster, found.is_encrypted) == (
        (("a", 6379), ("b", 1)),
        True,
        True,
    )
    assert not parse_redis_url("redis://a").is_cluster


async def test_a_server_outside_of_a_cluster_is_named_as_the_cause(secured: Secured) -> None:
    with pytest.raises(_AwayError, match="cluster support disabled"):
        await ping(secured.url().replace("rediss:", "rediss+cluster:"))


async def test_a_cluster_is_used_with_its_users_over_mutual_tls(
    servers_folder: Path, secured: Secured, namespace: str
) -> None:
    cluster = {"cluster-enabled": "yes", "tls-cluster": "yes"}
    ports = {"cluster-port": str(find_free_ports(1)[0])}
    folder = servers_folder / "redis-tls-cluster"
    server = SecuredRedis(folder, secured.authority, users=_USERS, settings={**cluster, **ports})
    with started(server):
        server.run_command(
            "--user", "edge", "-a", _SECRET, "CLUSTER", "ADDSLOTSRANGE", "0", "16383"
        )
        url = replace(secured, server=server).url().replace("rediss:", "rediss+cluster:")
        async with connected(url) as client:
            await until(lambda: is_written(client, namespace))
            assert await client.get(namespace) == b"1"
