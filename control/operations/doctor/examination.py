"""`control doctor`: runs every check, prints each finding with its remedy, and derives the exit code."""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from typing import Any

import orjson
import typer

from common.service.channels import Channels
from common.service.kafka_connection import KafkaConnection, KafkaSettingsInvalid
from common.values.clock import Clock, SystemClock
from control.foundation.settings import ControlSettings
from control.operations.doctor.finding import Finding, Level, error
from control.operations.doctor.kafka import check_kafka
from control.operations.doctor.machine import check_machine
from control.operations.doctor.postgresql import check_postgresql
from control.operations.doctor.redis import check_redis
from control.operations.doctor.redundancy import (
    check_certificates,
    check_pooler,
    check_replica,
    check_sentinels,
)
from control.operations.doctor.report_store import check_report_store
from control.operations.doctor.stores import check_mail, check_stores
from control.operations.doctor.tracing import check_tracing

_NOT_AT_START = ("edges.", "mail.", "stores.reports")
"""
Checks of what may be wrong while processes start: edges wait for the new release, the mail server or ClickHouse is
unavailable.
"""


async def run(
    settings: ControlSettings, *, as_json: bool, quiet: bool, at_start: bool = False
) -> int:
    """
    Prints the findings and returns the exit code: 1 where one is an error. *quiet*: no line where all is well.
    *at_start*: 1 only where the error is of something that processes need to start; `stops_start` decides.
    """
    findings = await examine(settings)
    lowest = Level.WARNING if quiet else Level.OK
    if as_json:
        typer.echo(to_json(findings))
    elif not quiet or any(finding.level.at_least(lowest) for finding in findings):
        typer.echo(to_text(findings, lowest=lowest))
    if at_start:
        return int(any(map(stops_start, findings)))
    return int(has_errors(findings))


async def examine(settings: ControlSettings) -> list[Finding]:
    """Runs all checks at once. Each waits a few seconds at most, and changes nothing."""
    clock = SystemClock()
    results = await asyncio.gather(
        asyncio.to_thread(check_machine, settings),
        check_postgresql(settings.direct_database_url, clock),
        *_redis_checks(settings, clock),
        check_pooler(settings),
        check_replica(settings),
        asyncio.to_thread(check_certificates, settings, clock),
        _check_event_log(settings),
        check_mail(settings),
        check_stores(settings),
        check_report_store(settings),
        check_tracing(),
    )
    return [finding for result in results for finding in result]


def has_errors(findings: Iterable[Finding]) -> bool:
    return any(finding.level is Level.ERROR for finding in findings)


def stops_start(finding: Finding) -> bool:
    """Whether no process should start: an error, but not of edges or of the mail server."""
    return finding.level is Level.ERROR and not finding.check.startswith(_NOT_AT_START)


def to_json(findings: Sequence[Finding]) -> str:
    """``{"ok": false, "findings": [{"check", "level", "text", "remedy"}, …]}``, with every check."""
    content = {
        "ok": not has_errors(findings),
        "findings": [finding.to_wire() for finding in findings],
    }
    return orjson.dumps(content, option=orjson.OPT_INDENT_2).decode()


def to_text(findings: Sequence[Finding], *, lowest: Level = Level.OK) -> str:
    """A line for each finding of *lowest* and above, and one for its remedy; the last line counts them."""
    shown = [finding for finding in findings if finding.level.at_least(lowest)]
    counts = Counter(finding.level for finding in findings)
    summary = ", ".join(f"{counts[level]} {level}" for level in reversed(Level) if counts[level])
    return "\n".join([line for finding in shown for line in _lines(finding)] + [summary])


def _lines(finding: Finding) -> Iterator[str]:
    yield f"{finding.level:8} {finding.check:28} {finding.text}"
    if finding.remedy:
        yield f"{'':37} → {finding.remedy}"


def _redis_checks(
    settings: ControlSettings, clock: Clock
) -> Iterator[Coroutine[Any, Any, list[Finding]]]:
    """One each for a server of a role, and for its Sentinels."""
    log = None if settings.kafka_bootstrap_servers else settings.log_redis
    servers = {
        settings.redis_url: "PLACARD_REDIS_URL",
        settings.snapshot_redis: "PLACARD_SNAPSHOT_REDIS_URL",
        settings.lease_redis: "PLACARD_LEASE_REDIS_URL",
        settings.log_redis: "PLACARD_LOG_REDIS_URL",
    }
    servers[settings.redis_url] = "PLACARD_REDIS_URL"
    for url, variable in servers.items():
        yield check_redis(url, clock, is_event_log=url == log, variable=variable)
        yield check_sentinels(url)


async def _check_event_log(settings: ControlSettings) -> list[Finding]:
    if not settings.kafka_bootstrap_servers:
        return []
    try:
        kafka = KafkaConnection.of(settings)
    except KafkaSettingsInvalid as failure:
        return [error("kafka.settings", f"{failure}", "Correct the PLACARD_KAFKA_* settings.")]
    return await check_kafka(kafka, _topics(Channels(settings.namespace)))


def _topics(channels: Channels) -> list[str]:
    return [channels.log_topic, channels.decisions.log_topic]
