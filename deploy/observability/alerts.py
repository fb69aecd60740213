"""Alerts on causes that no objective shows yet, or that lose money or data. Each has a page in docs/runbooks."""

from dataclasses import dataclass, field
from typing import Final

from deploy.observability.objectives import PAGE, TICKET


@dataclass(frozen=True, slots=True)
class Alert:
    """
    *expression*: PromQL with ``$window``, for a window of *window_s*. *hold_s*: how long it must be true.
    *firing* and *silent*: series of two unit tests, in promtool's notation, with values every minute.
    """

    name: str
    summary: str
    severity: str
    expression: str
    firing: dict[str, str]
    silent: dict[str, str]
    hold_s: int = 0
    window_s: int = 300
    labels: dict[str, str] = field(default_factory=dict)


def _grows(name: str, summary: str, severity: str, series: str, hold_s: int = 0) -> Alert:
    """Fires where a counter that should stand still increased within the window."""
    selector = series.replace('!="ok"', '="failed"')
    return Alert(
        name,
        summary,
        severity,
        f"increase({series}[$window]) > 0",
        {selector: "0+1x200"},
        {selector: "7x200"},
        hold_s,
    )


def _has_grown(series: str) -> str:
    """
    An increase within the window. A series that is new counts from 0: what a process counts before its first scrape
    would be no increase.
    """
    return f"(increase({series}[$window]) > 0) or ({series} unless {series} offset $window) > 0"


_DEAD = 'placard_ingest_records_total{outcome="dead"}'
_LEDGER = 'placard_job_runs_total{exported_job="check_ledger",outcome="failed"}'

ALERTS: Final = (
    Alert(
        "ProcessDown",
        "{{ $labels.job }} on {{ $labels.instance }} does not respond to Prometheus.",
        PAGE,
        'up{job=~"edge|api|ingest|publish|pace|work"} == 0',
        {'up{job="ingest",instance="a"}': "0x200"},
        {'up{job="ingest",instance="a"}': "1x200"},
        hold_s=60,
    ),
    Alert(
        "NoLeader",
        "No {{ $labels.job }} process leads: its work stands still.",
        PAGE,
        'sum by (job) (placard_leader{job=~"publish|pace|work"}) == 0',
        {'placard_leader{job="pace",instance="a"}': "0x200"},
        {
            'placard_leader{job="pace",instance="a"}': "0x200",
            'placard_leader{job="pace",instance="b"}': "1x200",
        },
        hold_s=60,
    ),
    Alert(
        "SnapshotOld",
        "The snapshot of {{ $labels.instance }} has not been confirmed for over a minute.",
        PAGE,
        "placard_edge_snapshot_age_seconds > 60",
        {'placard_edge_snapshot_age_seconds{instance="a"}': "61+15x200"},
        {'placard_edge_snapshot_age_seconds{instance="a"}': "1x200"},
        hold_s=60,
    ),
    Alert(
        "WorkersBehind",
        "{{ $value }} workers of {{ $labels.environment }} have not acknowledged what was published a minute ago.",
        PAGE,
        "count by (environment) (max by (environment, worker) (placard_edges_worker_version)"
        " < on () group_left () max(placard_publish_version offset $window))",
        {
            'placard_edges_worker_version{environment="live",worker="a/0"}': "5x200",
            "placard_publish_version": "7x200",
        },
        {
            'placard_edges_worker_version{environment="live",worker="a/0"}': "1+3x200",
            "placard_publish_version": "4+3x200",
        },
        window_s=60,
    ),
    Alert(
        "SnapshotRejected",
        "Worker {{ $labels.worker }} cannot adopt the newest snapshot.",
        PAGE,
        "placard_edges_worker_accepted == 0",
        {'placard_edges_worker_accepted{environment="live",worker="a/0"}': "0x200"},
        {'placard_edges_worker_accepted{environment="live",worker="a/0"}': "1x200"},
        hold_s=30,
    ),
    Alert(
        "WorkersRestarting",
        "Worker {{ $labels.worker }} of {{ $labels.instance }} restarts again and again.",
        TICKET,
        "increase(placard_edge_worker_restarts_total[$window]) > 2",
        {'placard_edge_worker_restarts_total{worker="0"}': "0+1x200"},
        {'placard_edge_worker_restarts_total{worker="0"}': "1x200"},
        window_s=900,
    ),
    Alert(
        "SpoolNotShipping",
        "The spool of {{ $labels.instance }} does not empty: the event log settles no events, or fewer than arrive.",
        PAGE,
        "placard_edge_spool_stalled_seconds > 10"
        # A sound spool holds what is on its way, and one segment of 8 MiB.
        " or (min_over_time(placard_edge_spool_bytes[$window]) > 1e8"
        " and delta(placard_edge_spool_bytes[$window]) > 0)",
        {'placard_edge_spool_bytes{worker="0"}': "1.1e8+100000x200"},
        {
            'placard_edge_spool_bytes{worker="0"}': "4e6+20000x200",
            'placard_edge_spool_stalled_seconds{worker="0"}': "0 0.4 2 0.7x200",
        },
        hold_s=60,
    ),
    _grows(
        "SpoolFull",
        "{{ $labels.instance }} rejects events because its spool is full.",
        PAGE,
        "placard_edge_spool_refused_total",
    ),
    Alert(
        "SpoolUnreadable",
        "{{ $value }} segments of the spool of {{ $labels.instance }} cannot be read.",
        PAGE,
        "placard_edge_spool_segments_unreadable > 0",
        {"placard_edge_spool_segments_unreadable": "1x200"},
        {"placard_edge_spool_segments_unreadable": "0x200"},
    ),
    _grows(
        "IngestFailing",
        "Ingest cannot reach the event log or PostgreSQL, or no record can be stored.",
        PAGE,
        "placard_ingest_backend_errors_total",
        hold_s=120,
    ),
    Alert(
        "DeadLetters",
        "Records could not be decoded and were set aside.",
        TICKET,
        _has_grown(_DEAD),
        {_DEAD: "_x10 1x200"},
        {_DEAD: "3x200"},
    ),
    Alert(
        "RecordsMissing",
        "{{ $value }} records that edges appended never arrived.",
        PAGE,
        "placard_reconcile_missing_records > 0",
        {"placard_reconcile_missing_records": "5x200"},
        {"placard_reconcile_missing_records": "0x200"},
        hold_s=60,
    ),
    Alert(
        "RecordsUnaccounted",
        "{{ $value }} stored records are in no hourly sum.",
        PAGE,
        "placard_reconcile_unaccounted_records > 0",
        {"placard_reconcile_unaccounted_records": "5x200"},
        {"placard_reconcile_unaccounted_records": "0x200"},
        hold_s=60,
    ),
    Alert(
        "LedgerWrong",
        "The check of the ledger found a total that does not add up.",
        PAGE,
        _has_grown(_LEDGER),
        {_LEDGER: "_x100 1x200"},
        {_LEDGER: "2x200"},
        window_s=7_200,
    ),
    Alert(
        "JobFailing",
        "The job {{ $labels.exported_job }} fails.",
        TICKET,
        'sum by (exported_job) (increase(placard_job_runs_total{outcome!="ok"}[$window])) > 2',
        {'placard_job_runs_total{exported_job="make_exports",outcome="failed"}': "0+1x200"},
        {'placard_job_runs_total{exported_job="make_exports",outcome="failed"}': "2x200"},
        window_s=1_800,
    ),
    _grows(
        "PublishFailing",
        "Publish cannot reach PostgreSQL or Redis.",
        PAGE,
        "placard_publish_failures_total",
        hold_s=120,
    ),
    _grows(
        "LeasesFailing",
        "Budgets are not granted: campaigns with a budget stop when their leases end.",
        PAGE,
        "placard_lease_failures_total",
        hold_s=120,
    ),
    Alert(
        "CapsUnknown",
        "Over 0.1 % of serve requests of {{ $labels.instance }} could not check frequency caps.",
        TICKET,
        "sum by (instance) (rate(placard_edge_cap_lookups_failed_total[$window]))"
        " > 0.001 * sum by (instance) (rate(placard_edge_cap_lookups_total[$window]))",
        {
            'placard_edge_cap_lookups_failed_total{instance="a"}': "0+1x200",
            'placard_edge_cap_lookups_total{instance="a"}': "0+100x200",
        },
        {
            'placard_edge_cap_lookups_failed_total{instance="a"}': "5x200",
            'placard_edge_cap_lookups_total{instance="a"}': "0+100x200",
        },
        hold_s=300,
    ),
    _grows(
        "TokenStoreUnavailable",
        "Events are stored without asking Redis whether their token was used.",
        TICKET,
        "placard_edge_token_store_unavailable_total",
        hold_s=300,
    ),
    Alert(
        "MailsWaiting",
        "{{ $value }} mails wait: the mail server does not accept them.",
        TICKET,
        "min_over_time(placard_mails_waiting[$window]) > 0",
        {"placard_mails_waiting": "4x200"},
        {"placard_mails_waiting": "0 3 0 2 0x200"},
        window_s=900,
        hold_s=900,
    ),
    Alert(
        "EventLoopBlocked",
        "Worker {{ $labels.worker }} of {{ $labels.instance }} delays requests by more than 100 ms.",
        TICKET,
        'placard_edge_event_loop_longest_lag_seconds{part="own"} > 0.1',
        {'placard_edge_event_loop_longest_lag_seconds{part="own",worker="0"}': "0.3x200"},
        {'placard_edge_event_loop_longest_lag_seconds{part="own",worker="0"}': "0.004x200"},
        hold_s=300,
    ),
    Alert(
        "GeoDatabaseOld",
        "The geo database of {{ $labels.instance }} is older than 60 days.",
        TICKET,
        "time() - (placard_edge_geo_built_timestamp_seconds != 0) > 60 * 86400",
        {'placard_edge_geo_built_timestamp_seconds{worker="0"}': "-6000000x200"},
        {'placard_edge_geo_built_timestamp_seconds{worker="0"}': "0x200"},
        hold_s=3_600,
    ),
    Alert(
        "ConnectionsRefused",
        "{{ $labels.job }} on {{ $labels.instance }} closes connections because too many are open.",
        TICKET,
        'increase({__name__=~"placard_(edge|control)_connections_refused_total"}[$window]) > 100',
        {'placard_edge_connections_refused_total{instance="a",job="edge"}': "0+50x200"},
        {'placard_edge_connections_refused_total{instance="a",job="edge"}': "9x200"},
    ),
)
