"""The dashboards of operators, declared as rows of panels; `grafana` renders them."""

from dataclasses import dataclass
from typing import Final

from deploy.observability.objectives import OBJECTIVES


@dataclass(frozen=True, slots=True)
class Panel:
    """*queries*: legend to PromQL. *unit*: one of Grafana's. *help*: what to look for."""

    title: str
    help: str
    unit: str
    queries: dict[str, str]


@dataclass(frozen=True, slots=True)
class Dashboard:
    title: str
    rows: dict[str, tuple[Panel, ...]]


def _quantiles(histogram: str, labels: str = "") -> dict[str, str]:
    only = f"{{{labels}}}" if labels else ""
    return {
        f"p{share}": f"histogram_quantile(0.{share}, sum by (le) (rate({histogram}_bucket{only}[$__rate_interval])))"
        for share in (50, 95, 99)
    }


def _rates(legend: str, series: str) -> dict[str, str]:
    """One line for each value of the label *legend*."""
    return {f"{{{{{legend}}}}}": f"sum by ({legend}) (rate({series}[$__rate_interval]))"}


_SERVE = 'operation="serveAd"'
_TRACK = 'operation="trackEvent"'

DASHBOARDS: Final = {
    "overview": Dashboard(
        "Placard: overview",
        {
            "Objectives": tuple(
                Panel(
                    objective.title,
                    f"Share of bad ones over an hour; the objective allows {objective.budget:.2%}.",
                    "percentunit",
                    {"last hour": f"placard:{objective.name}:bad_ratio_1h"},
                )
                for objective in OBJECTIVES
            ),
            "Traffic": (
                Panel(
                    "Requests by operation",
                    "Requests a second of all edges.",
                    "reqps",
                    _rates("operation", "placard_edge_request_seconds_count"),
                ),
                Panel(
                    "Serve outcomes",
                    "Fills, and the reasons of no fill.",
                    "reqps",
                    _rates("outcome", "placard_edge_decisions_total"),
                ),
                Panel(
                    "Events",
                    "Stored by edges, and stored in PostgreSQL by ingest.",
                    "eps",
                    {
                        "stored by edges": "sum(rate(placard_edge_events_stored_total[$__rate_interval]))",
                        "in PostgreSQL": 'sum(rate(placard_ingest_records_total{outcome="events"}[$__rate_interval]))',
                    },
                ),
            ),
            "Health": (
                Panel(
                    "Processes that respond",
                    "By kind; a missing one is an alert.",
                    "short",
                    {"{{job}}": "sum by (job) (up)"},
                ),
                Panel(
                    "Age of snapshots",
                    "Seconds since the control plane confirmed each edge's snapshot; usually below 2.",
                    "s",
                    {"{{instance}}": "placard_edge_snapshot_age_seconds"},
                ),
                Panel(
                    "Workers behind",
                    "Workers that have not acknowledged the newest version.",
                    "short",
                    {"{{environment}}": "placard_edges_behind"},
                ),
            ),
        },
    ),
    "edge": Dashboard(
        "Placard: edges",
        {
            "Requests": (
                Panel(
                    "Serve latency",
                    "From the request's head to its response.",
                    "s",
                    _quantiles("placard_edge_request_seconds", _SERVE),
                ),
                Panel(
                    "Track latency",
                    "Includes the grouped write to disk.",
                    "s",
                    _quantiles("placard_edge_request_seconds", _TRACK),
                ),
                Panel(
                    "Error responses",
                    "By error code.",
                    "reqps",
                    {
                        "{{code}}": "sum by (code) (rate(placard_edge_refusals_total[$__rate_interval])) or vector(0)"
                    },
                ),
                Panel(
                    "Answered on the fast path",
                    "Share of requests that the C serve cache and the short HTTP path answered.",
                    "percentunit",
                    {
                        "share": "sum(rate(placard_edge_fast_path_requests_total[$__rate_interval]))"
                        " / sum(rate(placard_edge_request_seconds_count[$__rate_interval]))"
                    },
                ),
                Panel(
                    "Decisions without a cached match",
                    "Share; a miss costs about 50 µs instead of 10.",
                    "percentunit",
                    {
                        "share": "sum(rate(placard_edge_match_cache_misses_total[$__rate_interval]))"
                        " / sum(rate(placard_edge_decisions_total[$__rate_interval]))"
                    },
                ),
                Panel(
                    "Event loop lag",
                    "Longest lag that the worker itself caused.",
                    "s",
                    {
                        "{{instance}} {{worker}}": 'placard_edge_event_loop_longest_lag_seconds{part="own"}'
                    },
                ),
            ),
            "Events": (
                Panel(
                    "Spool",
                    "Bytes on disk: events that the event log has not settled, and one segment.",
                    "bytes",
                    {"{{instance}} {{worker}}": "placard_edge_spool_bytes"},
                ),
                Panel(
                    "Invalid and duplicate events",
                    "Stored with their reason and never billed; duplicates are not stored.",
                    "eps",
                    {
                        "invalid": "sum(rate(placard_edge_events_invalid_total[$__rate_interval]))",
                        "duplicate": "sum(rate(placard_edge_events_duplicate_total[$__rate_interval]))",
                    },
                ),
                Panel(
                    "Tokens",
                    "Rejected for their signature, and expired.",
                    "eps",
                    {
                        "rejected": "sum(rate(placard_edge_tokens_rejected_total[$__rate_interval]))",
                        "expired": "sum(rate(placard_edge_tokens_expired_total[$__rate_interval]))",
                    },
                ),
            ),
            "State": (
                Panel(
                    "Snapshot version",
                    "Of each worker; they are equal within a second.",
                    "short",
                    {"{{instance}} {{worker}}": "placard_edge_worker_snapshot_version"},
                ),
                Panel(
                    "Frequency caps not checked",
                    "Share of serve requests with a capped ad whose counts were not available in time.",
                    "percentunit",
                    {
                        "share": "sum(rate(placard_edge_cap_lookups_failed_total[$__rate_interval]))"
                        " / (sum(rate(placard_edge_cap_lookups_total[$__rate_interval])) > 0) or vector(0)"
                    },
                ),
                Panel(
                    "Budget in flight",
                    "Committed to served ads and not charged yet, in millionths of the currencies.",
                    "short",
                    {"in flight": "sum(placard_edge_budget_in_flight_micros)"},
                ),
                Panel(
                    "Processor time",
                    "Cores used by each worker.",
                    "short",
                    {
                        "{{instance}} {{worker}}": 'rate(process_cpu_seconds_total{job="edge"}[$__rate_interval])'
                    },
                ),
                Panel(
                    "Memory",
                    "Resident memory of each worker.",
                    "bytes",
                    {"{{instance}} {{worker}}": 'process_resident_memory_bytes{job="edge"}'},
                ),
                Panel(
                    "Open connections",
                    "By edge.",
                    "short",
                    {"{{instance}}": "sum by (instance) (placard_edge_connections_open)"},
                ),
            ),
        },
    ),
    "control": Dashboard(
        "Placard: control plane",
        {
            "Management API": (
                Panel(
                    "Requests by code",
                    "`ok` and error codes.",
                    "reqps",
                    _rates("code", "placard_control_requests_total"),
                ),
                Panel(
                    "Latency",
                    "From a parsed request to its response.",
                    "s",
                    _quantiles("placard_control_request_seconds"),
                ),
                Panel(
                    "Slowest operations",
                    "95th percentile of the ten slowest.",
                    "s",
                    {
                        "{{operation}}": "topk(10, histogram_quantile(0.95, sum by (operation, le)"
                        " (rate(placard_control_request_seconds_bucket[$__rate_interval]))))"
                    },
                ),
            ),
            "Events": (
                Panel(
                    "Delay of events",
                    "Age of the oldest event of a batch at its commit.",
                    "s",
                    _quantiles("placard_ingest_delay_seconds"),
                ),
                Panel(
                    "Records by outcome",
                    "Of ingest.",
                    "eps",
                    _rates("outcome", "placard_ingest_records_total"),
                ),
                Panel(
                    "Charged",
                    "Millionths of the currencies a second.",
                    "short",
                    {"charged": "sum(rate(placard_ingest_charged_micros_total[$__rate_interval]))"},
                ),
                Panel(
                    "Missing and unaccounted records",
                    "Both are 0 in a sound installation.",
                    "short",
                    {
                        "missing": "placard_reconcile_missing_records",
                        "unaccounted": "placard_reconcile_unaccounted_records",
                    },
                ),
            ),
            "Publishing and budgets": (
                Panel(
                    "Delay of changes",
                    "From a change's transaction to its announcement.",
                    "s",
                    _quantiles("placard_publish_delay_seconds"),
                ),
                Panel(
                    "Leaders",
                    "One of each kind leads.",
                    "short",
                    {"{{job}}": "sum by (job) (placard_leader)"},
                ),
                Panel(
                    "Open leases",
                    "The most that may still be delivered without further grants, in millionths of the currencies.",
                    "short",
                    {"open": "sum(placard_lease_outstanding_micros)"},
                ),
                Panel(
                    "Rounds of leases",
                    "Rounds a second, and those that failed.",
                    "ops",
                    {
                        "rounds": "sum(rate(placard_lease_rounds_total[$__rate_interval]))",
                        "failed": "sum(rate(placard_lease_failures_total[$__rate_interval]))",
                    },
                ),
            ),
            "Jobs and mails": (
                Panel(
                    "Runs of jobs by outcome",
                    "Of the scheduler.",
                    "ops",
                    _rates("outcome", "placard_job_runs_total"),
                ),
                Panel(
                    "Time since a job's last success",
                    "The ten longest.",
                    "s",
                    {
                        "{{exported_job}}": "topk(10, time() - (placard_job_last_success_timestamp_seconds > 0))"
                    },
                ),
                Panel(
                    "Mails waiting", "In the queue.", "short", {"waiting": "placard_mails_waiting"}
                ),
            ),
        },
    ),
}


def expressions() -> list[str]:
    """The PromQL of every panel, as written."""
    return [
        query
        for dashboard in DASHBOARDS.values()
        for panels in dashboard.rows.values()
        for panel in panels
        for query in panel.queries.values()
    ]
