from prometheus_client.parser import text_string_to_metric_families

from edge.worker.worker_metrics import render_metrics
from tests.support.builders import a_key, a_slot, a_snapshot
from tests.support.edge import running_edge


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
