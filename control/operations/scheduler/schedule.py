"""
The declared jobs, and the loops that run each at its interval. A failed job is logged, counted and retried.

Jobs that state when work waits for them are checked together, in one statement a second.
"""

import asyncio
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from operator import attrgetter

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge
from sqlalchemy import text

from common.values.errors import Unavailable
from control.api.context import ControlContext
from control.api.mail.jobs import sweep_mails
from control.api.mail.send import send_due_mails
from control.billing.invoicing.flat_rate import charge_flat_rates
from control.billing.invoicing.jobs import chase_invoices, end_subscriptions, make_invoices
from control.billing.invoicing.renewing import move_subscriptions
from control.billing.ledger.jobs import check_account_funds, check_ledger, post_spend
from control.dashboard.embed_sessions.queries import sweep_embed_sessions
from control.delivery.pacing.jobs import publish_minor_paces, publish_paces, reconcile_paces
from control.delivery.pacing.traffic import update_traffic_curves
from control.delivery.rate_learning.jobs import update_predicted_rates
from control.delivery.snapshot_publishing.replay import replay_after_upgrade
from control.demand.assets import jobs as assets
from control.events.attribution.jobs import attribute_conversions, sweep_conversions
from control.events.attribution.touches import ensure_touch_partitions
from control.events.ingest.partitions import ensure_partitions
from control.events.reconciliation.job import reconcile
from control.identity.audit_log.jobs import sweep_audit_log
from control.identity.members.jobs import sweep_invitations
from control.identity.passwords.reset import answer_reset_requests
from control.identity.privacy_requests.jobs import answer_privacy_requests, sweep_privacy_requests
from control.identity.users.jobs import sweep_people, sweep_sessions
from control.inventory.api_keys.jobs import update_key_last_used
from control.inventory.api_keys.reminders import remind_of_keys
from control.inventory.domain_verification.jobs import recheck_properties
from control.inventory.signing_secrets.jobs import advance_secret_rotation
from control.operations.scheduler import jobs
from control.operations.scheduler.jobs import Job
from control.reporting.decision_log.retention import ensure_decision_partitions
from control.reporting.exports.jobs import make_exports, sweep_exports
from control.reporting.reports.rollup_job import roll_up_reports
from control.reporting.store.checking import check_report_store
from control.reporting.store.shipping import ship_report_hours

_HOUR_S = 3600.0
_POLL_S = 1.0
_ANYWAY_S = 30.0
_RETRY_S = 10.0
_log: structlog.stdlib.BoundLogger = structlog.get_logger("work")


async def _ensure_partitions(control: ControlContext) -> None:
    today = control.clock.now().date()
    async with control.database.service() as session:
        await ensure_partitions(session, today, kept_days=control.settings.events_retention_days)
        await ensure_decision_partitions(session, today)
        await ensure_touch_partitions(session, today)


JOBS = (
    Job("ensure_partitions", 6 * _HOUR_S, _ensure_partitions),
    Job(
        "attribute_conversions",
        1.0,
        attribute_conversions,
        waiting="exists (select from conversions where try_at <= :now)",
    ),
    Job("sweep_conversions", 24 * _HOUR_S, sweep_conversions),
    Job(
        "complete_campaigns",
        1.0,
        jobs.complete_campaigns,
        waiting="exists (select from campaigns where status in ('active', 'paused') "
        "and (end_at <= :now or goal is not null and status = 'active'))",
    ),
    Job(
        "publish_paces",
        1.0,
        publish_paces,
        waiting="exists (select from campaign_spend "
        "where updated_at >= cast(:now as timestamptz) - interval '3 minutes') "
        "or exists (select from campaigns where updated_at >= cast(:now as timestamptz) - interval '3 minutes')",
    ),
    Job("publish_minor_paces", 20.0, publish_minor_paces),
    Job("reconcile_paces", _HOUR_S / 4, reconcile_paces),
    Job("replay_after_upgrade", 60.0, replay_after_upgrade),
    Job("sweep_outbox", _HOUR_S, jobs.sweep_outbox),
    Job(
        "send_mails",
        1.0,
        send_due_mails,
        waiting="exists (select from mails where sent_at is null and failed_at is null and due_at <= :now)",
    ),
    Job("sweep_mails", _HOUR_S, sweep_mails),
    Job(
        "answer_reset_requests",
        1.0,
        answer_reset_requests,
        waiting="exists (select from reset_requests)",
    ),
    Job("sweep_sessions", _HOUR_S, sweep_sessions),
    Job("sweep_people", _HOUR_S, sweep_people),
    Job("sweep_embed_sessions", _HOUR_S, sweep_embed_sessions),
    Job("purge_idempotency_records", _HOUR_S, jobs.purge_idempotency_records),
    Job("sweep_audit_log", 24 * _HOUR_S, sweep_audit_log),
    Job("sweep_invitations", 24 * _HOUR_S, sweep_invitations),
    Job("answer_privacy_requests", 10.0, answer_privacy_requests),
    Job("sweep_privacy_requests", 24 * _HOUR_S, sweep_privacy_requests),
    Job("update_key_last_used", 60.0, update_key_last_used),
    Job("purge_revoked_keys", _HOUR_S, jobs.purge_revoked_keys),
    Job("remind_of_keys", _HOUR_S, remind_of_keys),
    Job(
        "inspect_assets",
        1.0,
        assets.inspect_assets,
        waiting="exists (select from assets where status = 'processing')",
    ),
    Job("forget_uploads", _HOUR_S, assets.purge_uploads),
    Job("forget_archived_assets", 24 * _HOUR_S, assets.purge_archived),
    Job("sweep_asset_objects", _HOUR_S, assets.sweep_objects),
    Job(
        "make_exports",
        1.0,
        make_exports,
        waiting="exists (select from exports where status in ('queued', 'running'))",
    ),
    Job("sweep_exports", 60.0, sweep_exports),
    Job("renew_advertisers", 24 * _HOUR_S, jobs.renew_advertisers),
    Job("purge_archived_ads", 24 * _HOUR_S, jobs.purge_archived_ads),
    Job("check_account_funds", 1.0, check_account_funds),
    Job("post_spend", 10.0, post_spend),
    Job("charge_flat_rates", 60.0, charge_flat_rates),
    Job("make_invoices", _HOUR_S / 4, make_invoices),
    Job("chase_invoices", _HOUR_S, chase_invoices),
    Job("move_subscriptions", _HOUR_S, move_subscriptions),
    Job("end_subscriptions", _HOUR_S, end_subscriptions),
    Job("roll_up_reports", 60.0, roll_up_reports),
    Job(
        "ship_report_hours",
        1.0,
        ship_report_hours,
        waiting="exists (select from report_store)",
    ),
    Job("check_report_store", _HOUR_S, check_report_store),
    Job("check_ledger", 24 * _HOUR_S, check_ledger),
    Job("update_traffic_curves", 300.0, update_traffic_curves),
    Job("update_predicted_rates", attrgetter("learning_every_s"), update_predicted_rates),
    Job("reconcile", attrgetter("reconcile_every_s"), reconcile),
    Job("recheck_properties", 60.0, recheck_properties),
    Job(
        "advance_secret_rotation",
        1.0,
        advance_secret_rotation,
        waiting="exists (select from property_secrets where state <> 'sign')",
    ),
)
"""Each runs once at the start and then at its interval."""


class WorkMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.runs = Counter(
            "placard_job_runs", "Runs of a job, by outcome.", ["job", "outcome"], registry=registry
        )
        # Prometheus sees no increase in a counter that begins with its first failure.
        for job in JOBS:
            for outcome in ("ok", "waited", "failed"):
                self.runs.labels(job.name, outcome)
        self.last_success = Gauge(
            "placard_job_last_success_timestamp_seconds",
            "When a job last succeeded, in seconds since the epoch.",
            ["job"],
            registry=registry,
        )


class Schedule:
    def __init__(
        self, control: ControlContext, all_jobs: Iterable[Job], metrics: WorkMetrics
    ) -> None:
        self._control = control
        self._jobs = tuple(all_jobs)
        self._metrics = metrics

    async def run(self) -> None:
        """Runs until cancelled."""
        conditional = [job for job in self._jobs if job.waiting]
        async with asyncio.TaskGroup() as tasks:
            for job in self._jobs:
                if not job.waiting:
                    tasks.create_task(self._repeat(job))
            await self._run_waiting(conditional, tasks)

    async def _run_waiting(self, conditional: Sequence[Job], tasks: asyncio.TaskGroup) -> None:
        """Starts each of *conditional* where work waits for it, and in any case every `_ANYWAY_S`."""
        running: dict[str, asyncio.Task[bool]] = {}
        ran_s = dict.fromkeys((job.name for job in conditional), float("-inf"))
        while True:
            waiting = await self.find_waiting(conditional)
            now_s = self._control.clock.monotonic_s()
            for job in conditional:
                if job.name in running and not running[job.name].done():
                    continue
                if job.name in waiting or now_s - ran_s[job.name] >= _ANYWAY_S:
                    ran_s[job.name] = now_s
                    running[job.name] = tasks.create_task(self._run_once(job))
                else:
                    self._succeeded(job)
            await asyncio.sleep(_POLL_S)

    async def find_waiting(self, conditional: Sequence[Job]) -> AbstractSet[str]:
        """Names of the jobs for which work waits; of all if the database does not respond, which each job reports."""
        conditions = text("select " + ", ".join(job.waiting for job in conditional))
        try:
            async with self._control.database.service() as session:
                found = (
                    await session.execute(conditions, {"now": self._control.clock.now()})
                ).one()
        except Unavailable:
            return {job.name for job in conditional}
        except Exception:  # noqa: BLE001 - as with a job: the others run, and these look themselves
            _log.exception("waiting_jobs_query_failed")
            return {job.name for job in conditional}
        return {job.name for job, waits in zip(conditional, found, strict=True) if waits}

    async def _repeat(self, job: Job) -> None:
        while True:
            ended_well = await self._run_once(job)
            settings = self._control.settings
            await asyncio.sleep(job.pause_s(settings) if ended_well else self._retry_s(job))

    def _retry_s(self, job: Job) -> float:
        return min(job.pause_s(self._control.settings), _RETRY_S)

    async def _run_once(self, job: Job) -> bool:
        try:
            await job.act(self._control)
        except Unavailable as error:
            _log.warning(
                "job_backend_unavailable",
                job=job.name,
                reason=error.message,
                retry_in_s=self._retry_s(job),
            )
            self._metrics.runs.labels(job.name, "waited").inc()
            return False
        except Exception:  # noqa: BLE001 - a job's bug must not keep the other jobs from running
            _log.exception("job_failed", job=job.name)
            self._metrics.runs.labels(job.name, "failed").inc()
            return False
        self._metrics.runs.labels(job.name, "ok").inc()
        self._succeeded(job)
        return True

    def _succeeded(self, job: Job) -> None:
        self._metrics.last_success.labels(job.name).set(self._control.clock.now_ms() / 1000)
