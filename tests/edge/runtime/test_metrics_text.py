"""Several workers' metrics as one text."""

from edge.metrics_text import merge_metrics

_ONE = """\
# HELP serve_total Decisions.
# TYPE serve_total counter
serve_total{outcome="fill"} 3.0
serve_total 4.0
# HELP age Age.
# TYPE age gauge
age 1.5
"""


def test_each_family_stands_once_with_the_samples_of_all_workers() -> None:
    assert merge_metrics({"0": _ONE, "1": _ONE}).splitlines() == [
        "# HELP serve_total Decisions.",
        "# TYPE serve_total counter",
        'serve_total{worker="0",outcome="fill"} 3.0',
        'serve_total{worker="0"} 4.0',
        'serve_total{worker="1",outcome="fill"} 3.0',
        'serve_total{worker="1"} 4.0',
        "# HELP age Age.",
        "# TYPE age gauge",
        'age{worker="0"} 1.5',
        'age{worker="1"} 1.5',
    ]


def test_a_family_that_only_one_worker_has_is_kept() -> None:
    text = merge_metrics({"0": "", "1": "# TYPE up gauge\nup 1.0\n"})
    assert text == '# TYPE up gauge\nup{worker="1"} 1.0\n'


def test_no_workers_give_no_text() -> None:
    assert merge_metrics({}) == ""
