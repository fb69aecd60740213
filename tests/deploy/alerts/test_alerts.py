"""Each alert fires when the thing breaks on which it alerts. Windows are those of production, divided by 360."""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import pytest
import pytest_asyncio

from deploy.observability.render import alert_names
from tests.deploy.alerts import faults_of_edges as edges
from tests.deploy.alerts import faults_of_events as events
from tests.deploy.alerts import faults_of_servers as servers
from tests.deploy.alerts.world import World, running_world
from tests.support.printing import say


@dataclass(frozen=True, slots=True)
class Fault:
    """``fires``: alerts during the fault. ``fires_after``: alerts that show it only once it is over."""

    begin: Callable[[World], AbstractAsyncContextManager[None]]
    fires: tuple[str, ...]
    fires_after: tuple[str, ...] = ()

    @property
    def alerts(self) -> tuple[str, ...]:
        return self.fires + self.fires_after


FAULTS = (
    Fault(servers.mails_are_refused, ("MailsWaiting",)),
    Fault(edges.the_geo_database_is_old, ("GeoDatabaseOld",)),
    Fault(edges.a_worker_is_frozen, ("WorkersBehind",)),
    Fault(edges.a_worker_dies_at_each_start, ("WorkersRestarting",)),
    Fault(edges.a_worker_stalls, ("EventLoopBlocked",)),
    Fault(edges.too_many_connections_are_opened, ("ConnectionsRefused",)),
    Fault(events.a_record_is_damaged, ("DeadLetters",)),
    Fault(events.a_sum_lacks_a_record, ("RecordsUnaccounted",)),
    Fault(servers.a_job_lacks_a_right, ("JobFailing",)),
    Fault(servers.the_ledger_is_changed_by_hand, ("LedgerWrong",)),
    Fault(edges.objects_do_not_match_the_digest, ("SnapshotRejected",)),
    Fault(
        servers.redis_is_frozen,
        ("TokenStoreUnavailable", "CapsUnknown", "PublishFailing", "LeasesFailing"),
        ("PropagationBurning",),
    ),
    Fault(servers.redis_is_slow, ("ServeLatencyBurning",)),
    Fault(
        servers.postgres_is_killed,
        ("ManagementAvailabilityBurning", "NoLeader", "IngestFailing"),
    ),
    Fault(servers.ingest_waits_for_a_lock, ("EventFreshnessBurning",)),
    Fault(servers.publish_is_frozen, ("ProcessDown", "SnapshotOld")),
    Fault(edges.an_edge_has_no_snapshot, ("ServeAvailabilityBurning",)),
    Fault(
        edges.ingest_is_frozen_until_a_spool_is_full,
        ("SpoolNotShipping", "SpoolFull", "TrackAvailabilityBurning"),
    ),
    Fault(edges.a_segment_cannot_be_read, ("SpoolUnreadable",)),
    Fault(events.a_disk_and_the_log_are_lost, ("RecordsMissing",)),
)
"""In this order, because an edge that is gone counts as behind for a minute."""


@pytest_asyncio.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    async with running_world(tmp_path_factory.mktemp("prometheus")) as found:
        yield found


def test_every_alert_has_a_fault_that_fires_it() -> None:
    tried = Counter(name for fault in FAULTS for name in fault.alerts)
    assert sorted(tried.elements()) == sorted(alert_names())


@pytest.mark.drills
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: "-".join(fault.alerts))
async def test_a_fault_fires_its_alerts(
    world: World, fault: Fault, capsys: pytest.CaptureFixture[str]
) -> None:
    await world.await_silence(fault.alerts)
    async with fault.begin(world):
        took_s = await world.await_firing(fault.fires)
    took_s |= await world.await_firing(fault.fires_after)
    for name, seconds in took_s.items():
        say(capsys, f"  {fault.begin.__name__}: {name} after {seconds:.0f} s")
