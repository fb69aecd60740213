"""The unit tests of Prometheus's rules that promtool runs, made from objectives and alerts."""

from collections.abc import Mapping
from typing import Any

from deploy.observability.alerts import ALERTS, Alert
from deploy.observability.objectives import OBJECTIVES
from deploy.observability.render import burn_name

_TEST_STEP_S = 60


def render_tests(rules_file: str) -> dict[str, Any]:
    """The content of a unit test file of promtool, for rules with a factor of 1."""
    return {
        "rule_files": [rules_file],
        "evaluation_interval": f"{_TEST_STEP_S}s",
        "tests": [
            *(_test(burn_name(one), one.burning, 3_600) for one in OBJECTIVES),
            *(_test(alert.name, alert.firing, _span_s(alert)) for alert in ALERTS),
            _silent_test(),
        ],
    }


def _span_s(alert: Alert) -> int:
    """Long enough for the window to fill, and then for the alert to hold."""
    return alert.hold_s + alert.window_s + 300


def _test(name: str, series: Mapping[str, str], span_s: int) -> dict[str, Any]:
    """
    *name* fires after *span_s* of *series*. Checked by a query, because an expectation of promtool's own kind would
    repeat every label and annotation.
    """
    query = f'group by (alertname) (ALERTS{{alertstate="firing",alertname="{name}"}})'
    wanted = [{"labels": f'{{alertname="{name}"}}', "value": 1}]
    return _case(name, series, span_s, query, wanted)


def _silent_test() -> dict[str, Any]:
    """Nothing fires where counters of errors stand still and everything else is usual."""
    still = {selector: "5x200" for one in OBJECTIVES for selector in one.burning}
    usual = {selector: values for alert in ALERTS for selector, values in alert.silent.items()}
    span_s = max(_span_s(alert) for alert in ALERTS)
    query = 'group by (alertname) (ALERTS{alertstate="firing"})'
    return _case("nothing wrong", still | usual, span_s, query, [])


def _case(
    name: str, series: Mapping[str, str], span_s: int, query: str, wanted: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "name": name,
        "interval": f"{_TEST_STEP_S}s",
        "input_series": [
            {"series": selector, "values": values} for selector, values in series.items()
        ],
        "promql_expr_test": [{"expr": query, "eval_time": f"{span_s}s", "exp_samples": wanted}],
    }
