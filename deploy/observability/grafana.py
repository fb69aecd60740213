"""Renders dashboards into the JSON that Grafana provisions."""

from typing import Any

from deploy.observability.dashboards import DASHBOARDS, Dashboard, Panel

_SCHEMA = 39
"""Version of Grafana's dashboard schema, of Grafana 11."""
_WIDTH, _HEIGHT, _COLUMNS = 8, 8, 24
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def render_dashboards() -> dict[str, dict[str, Any]]:
    """File name without its ending → dashboard."""
    return {name: _render(name, dashboard) for name, dashboard in DASHBOARDS.items()}


def _render(name: str, dashboard: Dashboard) -> dict[str, Any]:
    panels: list[dict[str, Any]] = []
    top = 0
    for title, row in dashboard.rows.items():
        panels.append(_row(len(panels) + 1, title, top))
        top += 1
        for place, panel in enumerate(row):
            left, line = place * _WIDTH % _COLUMNS, place * _WIDTH // _COLUMNS
            grid = {"x": left, "y": top + line * _HEIGHT, "w": _WIDTH, "h": _HEIGHT}
            panels.append(_panel(len(panels) + 1, panel, grid))
        top += -(-len(row) * _WIDTH // _COLUMNS) * _HEIGHT
    return {
        "uid": f"placard-{name}",
        "title": dashboard.title,
        "tags": ["placard"],
        "schemaVersion": _SCHEMA,
        "editable": False,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "timezone": "browser",
        "templating": {
            "list": [
                {
                    "name": "datasource",
                    "label": "Data source",
                    "type": "datasource",
                    "query": "prometheus",
                }
            ]
        },
        "panels": panels,
    }


def _row(number: int, title: str, top: int) -> dict[str, Any]:
    grid = {"x": 0, "y": top, "w": _COLUMNS, "h": 1}
    return {
        "id": number,
        "type": "row",
        "title": title,
        "collapsed": False,
        "gridPos": grid,
        "panels": [],
    }


def _panel(number: int, panel: Panel, grid: dict[str, int]) -> dict[str, Any]:
    return {
        "id": number,
        "type": "timeseries",
        "title": panel.title,
        "description": panel.help,
        "datasource": _SOURCE,
        "gridPos": grid,
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "options": {
            "legend": {"displayMode": "list", "placement": "bottom"},
            "tooltip": {"mode": "multi"},
        },
        "targets": [
            {
                "refId": chr(ord("A") + place),
                "datasource": _SOURCE,
                "expr": query,
                "legendFormat": legend,
            }
            for place, (legend, query) in enumerate(panel.queries.items())
        ],
    }
