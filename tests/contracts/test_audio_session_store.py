"""What every store of audio sessions must do."""

from collections.abc import AsyncIterator

import pytest

from common.service.channels import Channels
from common.service.redis_client import patient_redis
from common.values.clock import SystemClock
from common.values.environment import Environment
from edge.adapters.redis_audio_sessions import RedisAudioSessionStore
from edge.ports import MAX_SENT_SPANS, AudioSessionStore, AudioSessionStoreUnavailable
from tests.support.memory_audio_sessions import MemoryAudioSessionStore
from tests.support.redis_servers import redis_url_of
from tests.support.servers import RedisServer


@pytest.fixture(params=["memory", "redis", "cluster"])
async def store(request: pytest.FixtureRequest, namespace: str) -> AsyncIterator[AudioSessionStore]:
    made: AudioSessionStore = MemoryAudioSessionStore(SystemClock())
    if request.param != "memory":
        redis = patient_redis(redis_url_of(request), connect_s=30)
        made = RedisAudioSessionStore(redis, Channels(namespace), Environment.LIVE, call_s=30)
    yield made
    await made.close()


async def test_the_first_session_stands(store: AudioSessionStore) -> None:
    assert await store.find("s") is None
    assert await store.put_new("s", b"first", 60) == b"first"
    assert await store.put_new("s", b"second", 60) == b"first"
    assert await store.find("s") == b"first"


async def test_a_value_is_replaced_where_it_is_the_known_one(store: AudioSessionStore) -> None:
    assert await store.replace("s", b"another", b"first", 60) is False
    assert await store.replace("s", None, b"first", 60) is True
    assert await store.replace("s", None, b"second", 60) is False
    assert await store.replace("s", b"first", b"third", 60) is True
    assert await store.find("s") == b"third"


async def test_what_was_sent_adds_up_however_it_overlaps(store: AudioSessionStore) -> None:
    sent: set[int] = set()
    for span in [(10, 20), (0, 5), (30, 40), (5, 7), (9, 9), (15, 33), (39, 40), (7, 10), (0, 50)]:
        before = len(sent)
        sent.update(range(*span))
        assert await store.add_sent("sent", span, 60) == (before, len(sent)), span


async def test_what_was_sent_in_many_pieces_has_a_bound(store: AudioSessionStore) -> None:
    for number in range(MAX_SENT_SPANS):
        await store.add_sent("sent", (2 * number, 2 * number + 1), 60)
    apart = await store.add_sent("sent", (1000, 1001), 60)
    touching = await store.add_sent("sent", (1, 2), 60)
    whole = await store.add_sent("sent", (0, 1001), 60)

    assert apart == (MAX_SENT_SPANS, MAX_SENT_SPANS)
    assert touching == (MAX_SENT_SPANS, MAX_SENT_SPANS + 1)
    assert whole == (MAX_SENT_SPANS + 1, 1001)


async def test_a_claim_is_new_once(store: AudioSessionStore) -> None:
    assert [await store.claim("download", 60) for _ in range(2)] == [True, False]


async def test_redis_deletes_a_session_by_itself(redis_server: RedisServer, namespace: str) -> None:
    channels = Channels(namespace)
    redis = patient_redis(redis_server.url, connect_s=30)
    store = RedisAudioSessionStore(redis, channels, Environment.LIVE, call_s=30)
    await store.put_new("s", b"body", 60)
    await store.add_sent("s:0", (0, 1), 60)
    left_s = [await redis.ttl(channels.audio(Environment.LIVE, name)) for name in ("s", "s:0")]
    await store.close()

    assert all(0 < one <= 60 for one in left_s)


async def test_a_store_that_is_unavailable_raises() -> None:
    redis = patient_redis("redis://127.0.0.1:1/0", connect_s=1)
    store = RedisAudioSessionStore(redis, Channels("nobody"), Environment.LIVE)
    with pytest.raises(AudioSessionStoreUnavailable):
        await store.find("s")
    await store.close()
