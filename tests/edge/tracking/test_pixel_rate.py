"""Above the rate of an address, pixel, click and frame answer as ever, and what they would count is invalid."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from common.contract.edge import CLICK, FRAME, IMPRESSION
from common.tracking.event import CounterRecord
from common.tracking.record import parse_record
from common.values.enums import EventKind, QualitySignal, Reason
from common.values.errors import ErrorCode
from control.events.ingest.record_validation import find_fault
from edge.context import EdgeContext
from edge.endpoints.impression import GIF
from edge.spool.exceeded_share import ExceededShare
from tests.edge.tracking.track_clients import TrackClients, open_track_clients
from tests.support.worker import events_of, later

_RATE_S = 2
_BURST = 3 * _RATE_S
_GMAIL = "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)"


@pytest.fixture
async def live(tmp_path: Path) -> AsyncIterator[TrackClients]:
    async with open_track_clients(tmp_path) as clients:
        limit(clients, pixel_per_ip_s=_RATE_S)
        yield clients


def limit(clients: TrackClients, **settings: Any) -> None:
    clients.edge.settings = clients.edge.settings.model_copy(update=settings)


async def show(clients: TrackClients, count: int, **headers: str) -> None:
    """*count* ads, each by its pixel; each call gets the picture."""
    for _ in range(count):
        answer = await clients.get(f"/v1/impression/{clients.tokens().impression}.gif", **headers)
        assert (answer.status_code, answer.content) == (200, GIF)


async def reasons(edge: EdgeContext) -> Counter[Reason]:
    return Counter([event.reason for event in await events_of(edge)])


async def sums(edge: EdgeContext) -> Counter[str]:
    """Events that were summed, by kind, of records that ingest accepts."""
    await edge.counters.flush()
    found = Counter[str]()
    for encoded in await edge.spool.read(0, 1_000_000):
        record = parse_record(encoded.raw)
        if isinstance(record.body, CounterRecord):
            assert find_fault(record, edge.clock.now_ms()) is None
            for row in record.body.exceeded:
                found[row[4]] += row[-1]
    return found


async def test_pixels_beyond_the_rate_are_images_and_invalid_events(live: TrackClients) -> None:
    await show(live, _BURST + 4)

    assert await reasons(live.edge) == {Reason.OK: _BURST, Reason.RATE_EXCEEDED: 4}
    assert live.edge.redemptions.counts.exceeded == 4


async def test_a_click_beyond_the_rate_redirects_and_its_token_stays_unused(
    live: TrackClients,
) -> None:
    tokens = live.tokens()
    await show(live, _BURST)

    answer = await live.get(f"/v1/click/{tokens.click}")
    later(live.edge, s=5)
    await live.get(f"/v1/click/{tokens.click}")

    assert answer.status_code == 302
    clicks = [one.reason for one in await events_of(live.edge) if one.kind is EventKind.CLICK]
    assert clicks == [Reason.RATE_EXCEEDED, Reason.OK]


async def test_beyond_the_share_of_the_spool_they_are_summed_once_a_token_and_kind(
    live: TrackClients,
) -> None:
    live.edge.exceeded = ExceededShare(live.edge.spool, 2 * 1024)
    tokens = live.tokens()
    await show(live, _BURST + 5)
    for _ in range(3):
        await live.get(f"/v1/click/{tokens.click}")

    assert await reasons(live.edge) == {Reason.OK: _BURST, Reason.RATE_EXCEEDED: 2}
    assert await sums(live.edge) == {EventKind.IMPRESSION: 3, EventKind.CLICK: 1}


@pytest.mark.parametrize("signal", list(QualitySignal))
async def test_quality_signals_beyond_the_share_are_summed(
    live: TrackClients, signal: QualitySignal
) -> None:
    live.edge.exceeded = ExceededShare(live.edge.spool, 0)
    await show(live, _BURST)
    await live.get(f"/v1/signal/{signal}/{live.tokens().impression}.gif")

    assert await sums(live.edge) == {signal: 1}


async def test_previews_are_in_no_sum(live: TrackClients) -> None:
    live.edge.exceeded = ExceededShare(live.edge.spool, 0)
    await show(live, _BURST)
    await live.get(f"/v1/impression/{live.tokens(preview=True).impression}.gif")

    assert await sums(live.edge) == {}


async def test_shipped_events_make_room_in_the_share(live: TrackClients) -> None:
    live.edge.exceeded = ExceededShare(live.edge.spool, 1024)
    await show(live, _BURST + 2)
    live.edge.spool.settle(live.edge.spool.last_sequence)
    await show(live, 1)

    assert (await reasons(live.edge))[Reason.RATE_EXCEEDED] == 2
    assert await sums(live.edge) == {EventKind.IMPRESSION: 1}


async def test_sums_that_a_full_spool_refused_are_written_later(live: TrackClients) -> None:
    live.edge.exceeded = ExceededShare(live.edge.spool, 0)
    await show(live, _BURST + 3)
    most, live.edge.spool._max_bytes = live.edge.spool._max_bytes, 0
    await live.edge.counters.flush()
    live.edge.spool._max_bytes = most

    assert await sums(live.edge) == {EventKind.IMPRESSION: 3}


async def test_a_mail_proxy_and_a_named_one_have_a_rate_of_their_own(live: TrackClients) -> None:
    limit(live, pixel_per_proxy_s=1)
    await show(live, _BURST + 4, **{"User-Agent": _GMAIL})
    assert live.edge.redemptions.counts.exceeded == 1
    limit(live, pixel_per_proxy_s=100, pixel_proxies=("127.0.0.0/8",))
    later(live.edge, s=5)
    await show(live, _BURST + 5)
    assert live.edge.redemptions.counts.exceeded == 1


async def test_a_frame_is_never_refused(live: TrackClients) -> None:
    requested = [live.get(f"/v1/frame/{live.tokens().click}") for _ in range(_BURST * 3)]
    statuses = {answer.status_code for answer in await asyncio.gather(*requested)}
    assert statuses == {404}  # its ad is a banner


@pytest.mark.parametrize("operation", [IMPRESSION, CLICK, FRAME], ids=lambda one: one.id)
def test_the_description_of_pixel_and_click_has_no_429(operation: Any) -> None:
    assert ErrorCode.RATE_LIMITED not in operation.all_errors
