"""Renders objectives and alerts into Prometheus's rules."""

from collections.abc import Iterator
from typing import Any

from deploy.observability.alerts import ALERTS, Alert
from deploy.observability.objectives import BURN_RATES, OBJECTIVES, BurnRate, Objective

Rule = dict[str, Any]

_SHORTEST_S = 5
"""A rate needs two scrapes; test stacks are scraped every second."""
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
