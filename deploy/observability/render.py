"""Renders objectives and alerts into Prometheus's rules, and into the unit tests that promtool runs."""

from collections.abc import Iterator, Mapping
from typing import Any

from deploy.observability.alerts import ALERTS, Alert
from deploy.observability.objectives import BURN_RATES, OBJECTIVES, BurnRate, Objective

Rule = dict[str, Any]

_SHORTEST_S = 5
"""A rate needs two scrapes; test stacks are scraped every second."""
_TEST_STEP_S = 60
_RUNBOOKS = "docs/runbooks"


def render_rules(factor: float = 1.0) -> dict[str, Any]:
    """
    Returns the content of a rules file. *factor* scales every window and every time that a condition must hold: 1 in
    production; a test that breaks things on purpose uses less.
    """
    windows = sorted({window for rate in BURN_RATES for window in (rate.long_s, rate.short_s)})
    recorded = [
        _record(objective, window, factor) for objective in OBJECTIVES for window in windows
    ]
    burning = [_burn_alert(objective, rate) for objective in OBJECTIVES for rate in BURN_RATES]
    return {
        "groups": [
            {"name": "placard_objectives", "rules": recorded},
            {"name": "placard_burn_rates", "rules": burning},
            {"name": "placard_causes", "rules": [_alert(alert, factor) for alert in ALERTS]},
        ]
    }


def alert_names() -> Iterator[str]:
    """Every alert's name once; each is a page in docs/runbooks."""
    yield from (burn_name(objective) for objective in OBJECTIVES)
    yield from (alert.name for alert in ALERTS)


def burn_name(objective: Objective) -> str:
    return f"{objective.name.title().replace('_', '')}Burning"


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


def _record(objective: Objective, window_s: int, factor: float) -> Rule:
    window = _duration(window_s, factor)
    bad, every = (part.replace("$window", window) for part in (objective.bad, objective.all))
    return {
        "record": _recorded(objective, window_s),
        # Without a request there is no error, so the ratio is 0 and not "not a number".
        "expr": f"(({bad}) / ({every} > 0)) or vector(0)",
        "labels": {"objective": objective.name},
    }


def _burn_alert(objective: Objective, rate: BurnRate) -> Rule:
    limit = f"{rate.factor * objective.budget:.6g}"
    selector = f'{{objective="{objective.name}"}}'
    long, short = (_recorded(objective, window) for window in (rate.long_s, rate.short_s))
    return {
        "alert": burn_name(objective),
        "expr": f"{long}{selector} > {limit} and {short}{selector} > {limit}",
        "labels": {"severity": rate.severity, "window": _duration(rate.long_s, 1.0)},
        "annotations": {
            "summary": f"{objective.title}: fewer than the objective of {objective.target:.2%}."
            f" The error budget burns {rate.factor:g} times too fast.",
            "runbook": f"{_RUNBOOKS}/{burn_name(objective)}.md",
        },
    }


def _alert(alert: Alert, factor: float) -> Rule:
    expression = alert.expression.replace("$window", _duration(alert.window_s, factor))
    rule: Rule = {"alert": alert.name, "expr": expression}
    if alert.hold_s:
        rule["for"] = _duration(alert.hold_s, factor, shortest_s=1)
    rule["labels"] = {"severity": alert.severity, **alert.labels}
    rule["annotations"] = {
        "summary": alert.summary,
        "runbook": f"{_RUNBOOKS}/{alert.name}.md",
    }
    return rule


def _recorded(objective: Objective, window_s: int) -> str:
    return f"placard:{objective.name}:bad_ratio_{_duration(window_s, 1.0)}"


def _duration(seconds: int, factor: float, *, shortest_s: int = _SHORTEST_S) -> str:
    scaled = max(shortest_s, round(seconds * factor))
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if scaled % length == 0:
            return f"{scaled // length}{unit}"
    return f"{scaled}s"


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
