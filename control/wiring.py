"""Builds what a process of the control plane shares. Nothing is connected before its first use."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from common.fetching.guarded_fetcher import GuardedFetcher
from common.service.asset_folder import find_local_folder
from common.service.channels import Channels
from common.service.secrets import KeyRing
from common.values.clock import Clock, SystemClock
from control.adapters.clickhouse_report_store import ClickHouseReportStore
from control.adapters.dns_resolver import DnsResolver
from control.adapters.eml_mailer import EmlMailer
from control.adapters.local_assets import LocalAssets
from control.adapters.local_exports import LocalExports
from control.adapters.manual_payments import ManualPayments
from control.adapters.redis_person_counts import RedisFrequencyCounts
from control.adapters.redis_rates import RedisRateLimitSync
from control.adapters.redis_reconcile import RedisReplayMailbox
from control.adapters.smtp_mailer import SmtpMailer, parse_smtp_url
from control.api.context import ControlContext
from control.demand.assets.inspection import Inspector
from control.events.events_api.fanout import EventStreams, StreamLimits
from control.foundation.nameserver_addresses import parse_nameservers
from control.foundation.password_hashing import Passwords
from control.foundation.public_suffixes import use_suffix_list
from control.foundation.settings import ControlSettings
from control.foundation.signed_links import ExportLinks, UploadLinks
from control.foundation.store_folder import find_folder
from control.ports.assets import AssetStore
from control.ports.exports import ExportStore
from control.ports.mail import Mailer
from control.ports.report_store import NoReportStore, ReportStore
from control.storage.database import Database


@asynccontextmanager
async def open_control(settings: ControlSettings) -> AsyncIterator[ControlContext]:
    """
    Raises `KeyFileInvalid` where the key file cannot be read, and OSError or `SuffixListInvalid` for the list of public
    suffixes, and `ReportStoreUrlInvalid`. An unavailable database raises only at first use.
    """
    use_suffix_list(settings.public_suffix_list)
    keys, clock = settings.key_ring(), SystemClock()
    resolver = DnsResolver(
        parse_nameservers(settings.dns_servers), timeout_s=settings.dns_timeout_s
    )
    control = ControlContext(
        settings=settings,
        clock=clock,
        database=Database(
            settings.database_url,
            timeout_s=settings.database_timeout_s,
            statement_s=settings.database_statement_timeout_s,
            is_pooled=bool(settings.database_direct_url),
            read_url=settings.database_read_url,
            read_max_lag_s=settings.database_read_max_lag_s,
        ),
        keys=keys,
        assets=open_assets(settings, keys, clock),
        exports=open_exports(settings, keys, clock),
        mailer=open_mailer(settings, clock),
        rates=RedisRateLimitSync(settings.redis_url, Channels(settings.namespace)),
        person_counts=RedisFrequencyCounts(settings.redis_url, Channels(settings.namespace)),
        replay_mailbox=RedisReplayMailbox(settings.redis_url, Channels(settings.namespace), clock),
        resolver=resolver,
        fetcher=GuardedFetcher(
            resolver, user_agent=f"PlacardVerification/1.0 (+{settings.control_url})"
        ),
        payments=ManualPayments(settings.top_up_instructions),
        report_store=open_report_store(settings),
    )
    control.put(Inspector(at_once=settings.asset_inspections))
    control.put(
        EventStreams(
            StreamLimits(
                per_account=settings.event_streams_per_account,
                max_streams=settings.event_streams,
                heartbeat_s=settings.event_stream_heartbeat_s,
            )
        )
    )
    try:
        yield control
    finally:
        control.get(Passwords).close()
        await control.report_store.close()
        await control.replay_mailbox.close()
        await control.person_counts.close()
        await control.rates.close()
        await control.mailer.close()
        await control.database.close()


def open_mailer(settings: ControlSettings, clock: Clock) -> Mailer:
    """Raises `MailUrlInvalid`."""
    url = settings.mail_url or (settings.state.absolute() / "mail").as_uri()
    if url.startswith("file:"):
        return EmlMailer(Path(unquote(urlsplit(url).path)), sender=settings.mail_from, clock=clock)
    return SmtpMailer(parse_smtp_url(url), sender=settings.mail_from, clock=clock)


def open_assets(settings: ControlSettings, keys: KeyRing, clock: Clock) -> AssetStore:
    """Raises `StoreInvalid`."""
    folder = find_local_folder(settings.assets_store, settings.state)
    if folder is not None:
        return LocalAssets(folder, UploadLinks(keys, settings.control_url))
    from control.adapters.s3_assets import S3Assets  # takes a while to load

    return S3Assets.open(settings.assets_store, clock)


def open_exports(settings: ControlSettings, keys: KeyRing, clock: Clock) -> ExportStore:
    """Raises `StoreInvalid`."""
    folder = find_folder(settings.exports_store, settings.state)
    if folder is not None:
        return LocalExports(folder, ExportLinks(keys, settings.control_url))
    from control.adapters.s3_exports import S3Exports  # takes a while to load

    return S3Exports.open(settings.exports_store, clock)


def open_report_store(settings: ControlSettings) -> ReportStore:
    """Raises `ReportStoreUrlInvalid`."""
    url = settings.report_store_url
    return ClickHouseReportStore(url) if url else NoReportStore()
