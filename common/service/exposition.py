"""The metrics endpoint of every process: metrics about the process itself, and the text for a scraper."""

import platform
import sys
from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, ProcessCollector, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from common.service.compiled import compiled_mode
from common.service.deprecated_names import METRICS
from common.service.tracing import Tracer
from common.service.version import VERSION


def add_process_metrics(registry: CollectorRegistry) -> None:
    """
    Adds ``process_*`` (memory, processor time, open files) and ``placard_build_info``.

    Series named ``_created`` are disabled for the whole process: they double every counter, and Prometheus reads them
    only behind a feature flag.
    """
    disable_created_metrics()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    ProcessCollector(registry=registry)
    registry.register(_BuildInfo())


def expose(families: Collector, accept: str | None) -> tuple[bytes, str]:
    """
    Returns the body and its content type: OpenMetrics where *accept* (the header) names it, else Prometheus text 0.0.4.

    Histograms have fixed buckets in both: the client library writes no native ones. Renamed metrics are also exposed
    under their former names.
    """
    encode, content_type = choose_encoder(accept or "")
    return encode(_WithFormerNames(families)), content_type


class Families(Collector):
    """Metrics that were already collected."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = tuple(metrics)

    def collect(self) -> Iterable[Metric]:
        return self._metrics


class TraceCollector(Collector):
    """Counts of spans, of a process whose traces are on."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def collect(self) -> Iterable[Metric]:
        family = CounterMetricFamily(
            "placard_trace_spans",
            "Spans, by outcome: exported, queue_full or export_failed. The last two are lost.",
            labels=["outcome"],
        )
        for outcome, count in {"exported": self._tracer.exported, **self._tracer.dropped}.items():
            family.add_metric([outcome], count)
        return [family]


class _WithFormerNames(Collector):
    """*families*, and a copy of each renamed one under every former name."""

    def __init__(self, families: Collector) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        for family in self._families.collect():
            yield family
            for former in _FORMER_METRICS.get(family.name, ()):
                yield _renamed(family, former)


_FORMER_METRICS: dict[str, list[str]] = {}
for _former, _present in METRICS.items():
    _FORMER_METRICS.setdefault(_present, []).append(_former)


def _renamed(family: Metric, name: str) -> Metric:
    present = f"{family.name}_total" if family.type == "counter" else family.name
    copy = Metric(name, f"Deprecated: use {present}.", family.type)
    copy.samples = [
        sample._replace(name=name + sample.name.removeprefix(family.name))
        for sample in family.samples
    ]
    return copy


_COMPILED_LABELS = {"1": "true", "source": "false"}
"""By mode, as they were before there were others; another mode is its own label."""


class _BuildInfo(Collector):
    def collect(self) -> Iterable[Metric]:
        family = GaugeMetricFamily(
            "placard_build_info",
            "Always 1; the labels say what runs.",
            labels=["version", "python", "compiled"],
        )
        mode = compiled_mode(sys.meta_path)
        compiled = _COMPILED_LABELS.get(mode, mode)
        family.add_metric([VERSION, platform.python_version(), compiled], 1)
        return [family]
