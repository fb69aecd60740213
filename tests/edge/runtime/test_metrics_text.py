"""Metrics of several processes as one set of families."""

from prometheus_client.core import GaugeMetricFamily

from common.service.exposition import Families, expose
from edge.supervisor.metrics_merge import merge_metrics

_ONE = """\
# HELP serve_total Decisions.
# TYPE serve_total counter
serve_total{outcome="fill"} 3.0
# HELP age Age.
# TYPE age gauge
age 1.5
"""


def test_each_family_appears_once_with_the_samples_of_all_workers() -> None:
    own = [GaugeMetricFamily("age", "Age.", value=9)]

    body, _ = expose(Families(merge_metrics(own, {"0": _ONE, "1": _ONE})), None)

    assert body.decode().splitlines() == [
        "# HELP age Age.",
        "# TYPE age gauge",
        "age 9.0",
        'age{worker="0"} 1.5',
        'age{worker="1"} 1.5',
        "# HELP serve_total Decisions.",
        "# TYPE serve_total counter",
        'serve_total{outcome="fill",worker="0"} 3.0',
        'serve_total{outcome="fill",worker="1"} 3.0',
    ]


def test_a_family_that_only_one_worker_has_is_kept() -> None:
    (family,) = merge_metrics([], {"0": "", "1": "# TYPE up gauge\nup 1.0\n"})

    assert [(one.name, one.labels, one.value) for one in family.samples] == [
        ("up", {"worker": "1"}, 1.0)
    ]


def test_no_workers_give_no_families() -> None:
    assert merge_metrics([], {}) == []
