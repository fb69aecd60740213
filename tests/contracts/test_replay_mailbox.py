"""The replay mailbox between control and edges, with both of its ends on one Redis."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from common.service.channels import Channels
from common.service.redis_client import patient_redis
from common.tracking.reconcile import ReplayRequest, Retained
from common.values.clock import FixedClock
from common.values.errors import Unavailable
from control.adapters.redis_reconcile import RedisReplayMailbox as ControlDesk
from edge.adapters.redis_reconcile import RedisReplayRequests as EdgeDesk
from edge.ports import ReplayRequestsUnavailable
from tests.support.redis_servers import redis_url_of

NOW_MS = 1_790_000_000_000
DAY_MS = 86_400_000
NOWHERE = "redis://127.0.0.1:1/0"


@dataclass(frozen=True, slots=True)
class Mailbox:
    control: ControlDesk
    edge: EdgeDesk
    clock: FixedClock


@pytest.fixture(params=["redis", "cluster"])
def url(request: pytest.FixtureRequest) -> str:
    return redis_url_of(request)


@pytest.fixture
async def mailbox(url: str, namespace: str) -> AsyncIterator[Mailbox]:
    channels, clock = Channels(namespace), FixedClock(NOW_MS)
    made = Mailbox(ControlDesk(url, channels, clock), EdgeDesk(url, channels), clock)
    yield made
    await made.control.close()
    await made.edge.close()


async def test_edges_read_the_requested_records(mailbox: Mailbox) -> None:
    wanted = {
        "edge-1/a": ReplayRequest(NOW_MS, ((1, 3), (7, 7))),
        "edge-2/b": ReplayRequest(NOW_MS, ((2, 2),)),
    }
    await mailbox.control.request_replay(wanted)
    assert await mailbox.edge.wanted() == wanted


async def test_a_new_pass_replaces_the_old_one(mailbox: Mailbox) -> None:
    await mailbox.control.request_replay({"edge-1/a": ReplayRequest(NOW_MS, ((1, 3),))})
    await mailbox.control.request_replay({"edge-1/b": ReplayRequest(NOW_MS + 1, ((4, 4),))})
    assert await mailbox.edge.wanted() == {"edge-1/b": ReplayRequest(NOW_MS + 1, ((4, 4),))}
    await mailbox.control.request_replay({})
    assert await mailbox.edge.wanted() == {}


async def test_control_reads_what_machines_retain(mailbox: Mailbox) -> None:
    await mailbox.edge.report_retained({"edge-1/a": Retained(NOW_MS, 40)})
    await mailbox.edge.report_retained({"edge-2/b": Retained(NOW_MS, 7, NOW_MS, 3)})
    found = await mailbox.control.retained()
    assert found == {"edge-1/a": Retained(NOW_MS, 40), "edge-2/b": Retained(NOW_MS, 7, NOW_MS, 3)}


async def test_a_machine_silent_for_a_day_is_removed(mailbox: Mailbox) -> None:
    await mailbox.edge.report_retained(
        {"edge-1/a": Retained(NOW_MS, 40), "edge-1/b": Retained(NOW_MS + 2, 5)}
    )
    mailbox.clock.advance(ms=DAY_MS + 1)
    assert list(await mailbox.control.retained()) == ["edge-1/b"]
    mailbox.clock.advance(ms=-DAY_MS)
    assert list(await mailbox.control.retained()) == ["edge-1/b"]


async def test_unreadable_entries_are_skipped(mailbox: Mailbox, url: str, namespace: str) -> None:
    channels = Channels(namespace)
    async with patient_redis(url, connect_s=30) as client:
        for name in (channels.records_wanted, channels.records_kept):
            await client.hset(name, "edge-1/x", b'{"nonsense":1}')
    assert await mailbox.edge.wanted() == {}
    assert await mailbox.control.retained() == {}


async def test_an_unavailable_redis_raises(namespace: str) -> None:
    control = ControlDesk(NOWHERE, Channels(namespace), FixedClock(NOW_MS))
    edge = EdgeDesk(NOWHERE, Channels(namespace))
    with pytest.raises(Unavailable, match="PLACARD_REDIS_URL"):
        await control.retained()
    with pytest.raises(Unavailable):
        await control.request_replay({})
    with pytest.raises(ReplayRequestsUnavailable, match="PLACARD_REDIS_URL"):
        await edge.wanted()
    await control.close()
    await edge.close()
