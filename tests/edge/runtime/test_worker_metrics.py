from prometheus_client.parser import text_string_to_metric_families

from edge.context import EdgeContext
from edge.worker.worker_metrics import render_metrics
from tests.support.builders import a_key, a_slot, a_snapshot
from tests.support.edge import running_edge
from tests.support.records import an_event


async def test_a_worker_s_metrics_show_what_it_decided_and_refused() -> None:
    text, row = a_key()
    async with running_edge(a_snapshot(row, a_slot(), version=7)) as edge:
        await edge.serve("slot=top", text.text)
        await edge.serve("slot=none", text.text)
        rendered = (await render_metrics(edge.context)).decode()
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(rendered)
        for sample in family.samples
    }
    assert samples["placard_edge_decisions_total", "no_candidate"] == 1
    assert samples["placard_edge_refusals_total", "slot_not_found"] == 1
    assert samples["placard_edge_worker_snapshot_version",] == 7


async def test_a_worker_s_metrics_count_events_until_the_log_cannot_lose_them() -> None:
    _, row = a_key()
    async with running_edge(a_snapshot(row)) as edge:
        spool = edge.context.spool
        before = await _spool_records(edge.context)
        last = await spool.append(an_event(), b"client")
        appended = await _spool_records(edge.context)
        spool.settle(last)
        settled = await _spool_records(edge.context)
    assert (before, appended, settled) == (0, 1, 0)


async def _spool_records(context: EdgeContext) -> float:
    text = (await render_metrics(context)).decode()
    (family,) = [
        family
        for family in text_string_to_metric_families(text)
        if family.name == "placard_edge_spool_records"
    ]
    return family.samples[0].value
