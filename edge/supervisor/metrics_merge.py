"""Merges the metrics of a machine's processes into one set of families, with a label for the worker."""

from collections.abc import Iterable, Mapping

from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as parse_openmetrics,
)
from prometheus_client.parser import text_string_to_metric_families as parse_text

_OPENMETRICS_END = "# EOF\n"


def merge_metrics(own: Iterable[Metric], texts: Mapping[str, str]) -> list[Metric]:
    """
    *own*: the supervisor's families, which get no label. *texts*: worker → its Prometheus text, or its OpenMetrics
    where traces are on. Each family appears once, with the samples of all workers that have it.
    """
    merged: dict[str, Metric] = {}
    for family in own:
        _add(merged, family, {})
    for worker, text in texts.items():
        parse = parse_openmetrics if text.endswith(_OPENMETRICS_END) else parse_text
        for family in parse(text):
            _add(merged, family, {"worker": worker})
    return list(merged.values())


def _add(merged: dict[str, Metric], family: Metric, labels: dict[str, str]) -> None:
    into = merged.get(family.name)
    if into is None:
        into = merged[family.name] = Metric(family.name, family.documentation, family.type)
    for sample in family.samples:
        into.add_sample(sample.name, labels | sample.labels, sample.value, exemplar=sample.exemplar)
