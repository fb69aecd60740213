"""Settings of the control plane, shared by api, ingest, publish and work."""

from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import DirectoryPath, Field, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from common.ivt.windows import LIMITS
from common.service.channels import LOG_PARTITIONS
from common.service.secrets import KeyFileInvalid, KeyRing
from common.service.settings import CommonSettings, secret_files
from control.foundation.nameserver_addresses import parse_nameservers
from control.foundation.subscription_terms import Term, parse_days

_MIB = 1_048_576


def is_loopback(url: str) -> bool:
    """Whether the host of *url* is a loopback address, or ``localhost``."""
    host = urlsplit(url).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class DatabaseSettings(BaseSettings):
    """The settings that `control migrate` needs."""

    model_config = SettingsConfigDict(env_prefix="PLACARD_", extra="ignore", frozen=True)

    database_url: str = Field(
        description="PostgreSQL, as a login that can create the service's roles."
    )
    database_direct_url: str = Field("", description="As in `ControlSettings`.")
    secrets_dir: DirectoryPath | None = Field(None, description="As in `CommonSettings`.")

    @property
    def direct_database_url(self) -> str:
        return self.database_direct_url or self.database_url

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the library gives it by name
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the library gives it by name
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, secret_files(settings_cls)


class ControlSettings(CommonSettings):
    database_url: str = Field(
        description="PostgreSQL, as a login that can use the service's roles."
    )
    database_timeout_s: float = Field(
        12.0, description="Maximum wait for PostgreSQL before a request gets 503."
    )
    database_direct_url: str = Field(
        "",
        description=(
            "PostgreSQL without a pooler, for elections, ingest and migrations; set it where `PLACARD_DATABASE_URL` is "
            "a pooler in transaction mode. Empty: that URL is direct."
        ),
    )
    database_statement_timeout_s: float = Field(
        10.0,
        gt=0,
        description="PostgreSQL's own limit of a statement; keep it below `PLACARD_DATABASE_TIMEOUT_S`.",
    )
    database_read_url: str = Field(
        "",
        description="A replica for reports and exports, not through a pooler; empty: `PLACARD_DATABASE_URL`.",
    )
    database_read_max_lag_s: float = Field(
        10.0,
        gt=0,
        description="A replica that is further behind than this is not used, and the primary is.",
    )
    budget_settle_s: float = Field(
        660.0,
        gt=0,
        description=(
            "How long after a serve its events can still arrive and be charged: ten minutes of a web token, its "
            "leeway, and half a minute to the ledger. A worker's commits count as in flight for this time."
        ),
    )
    public_suffix_list: Path | None = Field(
        None,
        description=(
            "A public suffix list in the format of publicsuffix.org; none: the release's own. Advertiser domains and "
            "verification use it from the next start."
        ),
    )
    control_host: str = Field("127.0.0.1", description="Address the API listens on.")
    control_port: int = Field(8000, description="Port the API listens on.")
    control_url: str = Field(description="Public URL of the control plane.")
    edge_live_url: str = Field(description="Public URL of the live edge.")
    edge_test_url: str = Field(description="Public URL of the test edge.")
    assets_url: str = Field(
        default_factory=lambda known: f"{known.get('edge_live_url', '')}/assets",
        description="Base URL of assets; default: the live edge.",
    )
    asset_image_bytes: int = Field(
        10 * _MIB, gt=0, description="Maximum size of an image in bytes."
    )
    asset_html_bytes: int = Field(
        65_536,
        gt=0,
        description="Maximum size of an HTML file in bytes; an ad can hold 64 KiB.",
    )
    asset_audio_bytes: int = Field(
        50 * _MIB, gt=0, description="Maximum size of an audio file in bytes."
    )
    asset_video_bytes: int = Field(
        100 * _MIB, gt=0, description="Maximum size of a video file in bytes."
    )
    asset_account_bytes: int = Field(
        10 * 1024 * _MIB, gt=0, description="Maximum total size of an account's assets in bytes."
    )
    asset_inspections: int = Field(
        2, ge=1, description="Concurrent inspections of files, each in its own process."
    )
    exports_store: str = Field(
        "",
        description=(
            "Export storage: `file:///folder` shared by API and scheduler, or a private bucket, "
            "`s3://bucket/prefix?endpoint=URL&region=NAME`; empty: the folder `exports` in the state."
        ),
    )
    report_store_url: str = Field(
        "",
        description=(
            "ClickHouse for the hours of reports, `https://USER:PASSWORD@HOST:8443/DATABASE`; used once "
            "`python -m control admin reports open-store` opened it. Empty: PostgreSQL alone."
        ),
    )
    exports_at_once: int = Field(2, ge=1, description="Concurrent exports of a scheduler.")
    exports_per_account: int = Field(
        1, ge=1, description="Concurrent exports of one account; others wait."
    )
    exports_waiting: int = Field(
        10, ge=1, description="Maximum unfinished exports of one account; more are refused."
    )
    export_bytes: int = Field(2048 * _MIB, gt=0, description="Maximum size of an export in bytes.")
    export_claim_s: float = Field(
        30.0,
        gt=0,
        description="After this time without a sign of life, another process takes over an export.",
    )
    export_link_s: int = Field(900, gt=0, description="Lifetime of a download link of an export.")
    export_retention_s: int = Field(
        604_800, gt=0, description="Time from the end of an export until its file is deleted."
    )
    upload_link_s: int = Field(900, gt=0, description="Lifetime of an upload link.")
    upload_grace_s: float = Field(
        60.0, gt=0, description="Time allowed for any upload; longer ones get more by their size."
    )
    upload_min_bytes_per_s: int = Field(
        50_000, gt=0, description="Minimum average upload speed in bytes per second."
    )
    trusted_proxies: int = Field(
        0,
        ge=0,
        description="Number of trusted proxies in front of the API, for the client's address.",
    )
    management_per_key_s: int = Field(
        10,
        gt=0,
        description="Management requests per second for each key, user or anonymous address (burst 3×).",
    )
    management_bytes_per_ip_s: int = Field(
        _MIB,
        ge=_MIB // 4,
        description="Request body bytes per second and address (burst 8×); files are not counted.",
    )
    sign_ups_per_hour: int = Field(
        10,
        gt=0,
        description="Sign-ups per hour from one network (IPv4 /24, IPv6 /56), including refused ones.",
    )
    new_account_credit_limit_cents: int = Field(
        500_000,
        ge=0,
        description=(
            "Credit limit of an account made by sign-up, in cents of its currency; 0: no limit. The first account, "
            "which is the operator's, has none."
        ),
    )
    invitations_per_hour: int = Field(100, description="Invitation mails per hour and account.")
    access_token_s: int = Field(3600, description="Lifetime of an access token.")
    session_idle_s: int = Field(
        1_209_600, ge=300, description="Time without a request after which a session ends."
    )
    session_absolute_s: int = Field(7_776_000, ge=300, description="Maximum duration of a session.")
    embed_secret_s: int = Field(300, gt=0, description="Lifetime of an unused embed secret.")
    embed_window_s: int = Field(1800, gt=0, description="Lifetime of an embedded window.")
    require_verified_email: bool = Field(
        default=False,
        description="Whether users can sign in only after they verified their address.",
    )
    mail_url: str = Field(
        "",
        description=(
            "Mail transport: `smtp://user:password@host:587?starttls=required`, `smtps://…`, or `file:///folder` of "
            ".eml files; empty: the folder `mail` in the state."
        ),
    )
    mail_from: str = Field(
        "Placard <placard@localhost>",
        description="Sender of mails: an address, with or without a name.",
    )
    ingest_batch: int = Field(16000, description="Maximum records of one ingest transaction.")
    ingest_wait_ms: int = Field(
        1_000,
        description="Maximum wait of a poll that finds no record; a record ends it at once.",
    )
    ingest_consumers: int = Field(
        3,
        ge=1,
        le=LOG_PARTITIONS,
        description="Concurrent transactions of one ingest process, each for its own partitions.",
    )
    reconcile_every_s: float = Field(
        300.0,
        gt=0,
        description="Interval of the reconciliation of events.",
    )
    click_min_delay_ms: int = Field(
        LIMITS.click_min_delay_ms,
        ge=0,
        description="A live click sooner after its serve is `click_too_fast`; 0 disables the rule.",
    )
    click_dedup_window_ms: int = Field(
        LIMITS.click_dedup_window_ms,
        ge=0,
        description="A client's next click on the same ad within this time is `duplicate_click`; 0 disables the rule.",
    )
    max_impressions_per_minute: int = Field(
        LIMITS.max_impressions_per_minute,
        gt=0,
        description="Maximum valid impressions of a client per slot and minute; more are `rate_exceeded`.",
    )
    max_clicks_per_minute: int = Field(
        LIMITS.max_clicks_per_minute,
        gt=0,
        description="Maximum valid clicks of a client per slot and minute; more are `rate_exceeded`.",
    )
    impression_dedup_window_ms: int = Field(
        LIMITS.impression_dedup_window_ms,
        ge=0,
        description=(
            "A second impression of one ad in one slot by a client within this time is `duplicate_impression`; 0 "
            "disables the rule."
        ),
    )
    max_mail_clicks_per_second: int = Field(
        LIMITS.max_mail_clicks_per_second,
        gt=0,
        description="Maximum clicks of a client on links in mails per second; more are `mail_link_scanner`.",
    )
    heartbeat_s: float = Field(1.0, description="Interval of snapshot heartbeats.")
    delta_history: int = Field(1000, description="Number of deltas kept in Redis.")
    snapshot_host: str = Field(
        "127.0.0.1", description="Host on which publish serves snapshots over HTTP."
    )
    snapshot_port: int = Field(
        0,
        ge=0,
        le=65_535,
        description="Port for the same; 0: any free one. Edges use `PLACARD_SNAPSHOT_URL`.",
    )
    learning_every_s: float = Field(
        60.0, gt=0, description="Interval between updates of click and conversion rates."
    )
    learning_half_life_s: float = Field(
        604_800.0,
        ge=1,
        description="Time after which evidence about an ad has half its weight, to follow changes.",
    )
    dns_servers: str = Field(
        "1.1.1.1,9.9.9.9",
        description="Name servers for property verification, which must agree; `ADDRESS` or `ADDRESS:PORT`.",
    )
    dns_timeout_s: float = Field(3.0, gt=0, description="Maximum wait for a name server.")
    secret_wait_s: int = Field(
        90_000,
        gt=0,
        description=(
            "Time after which a new shared secret signs although an edge has not acknowledged it; must exceed the "
            "edges' `PLACARD_SNAPSHOT_MAX_AGE_S`."
        ),
    )
    event_streams: int = Field(
        1000, gt=0, description="Maximum open event streams of one API process."
    )
    event_streams_per_account: int = Field(
        20, gt=0, description="Maximum open event streams of one account per API process."
    )
    event_stream_heartbeat_s: float = Field(
        15.0, gt=0, description="Interval of heartbeats in an event stream."
    )
    events_retention_days: int = Field(90, description="Retention of the events feed.")
    top_up_instructions: str = Field(
        (
            "Transfer {amount} to the operator of this service, with the reference {reference}. Ask the operator for "
            "the bank account, which is not stated here yet. The wallet is credited once the operator has received the "
            "payment."
        ),
        description=(
            "Payment instructions for top-ups, which must name the payee, the bank and the account; can contain "
            "{amount} and {reference}."
        ),
    )
    invoice_due_days: int = Field(14, ge=0, description="Days from an invoice to its due date.")
    invoice_grace_days: int = Field(
        15,
        ge=0,
        description="Days from the due date until an unpaid invoice suspends the account, if its owners were notified.",
    )
    subscriptions: bool = Field(
        default=False,
        description=(
            "`on`: subscriptions have terms, renew or end, and new accounts start with a trial; `off`: every account "
            "is subscribed."
        ),
    )
    subscription_price_cents: int = Field(
        0, ge=0, description="Price of a term for new accounts, in cents of their currency."
    )
    subscription_term: Term = Field(
        Term.MONTH, description="Term of new accounts: `month` or `year`."
    )
    trial_days: int = Field(14, ge=0, description="Days of trial for new accounts.")
    subscription_grace_days: int = Field(
        15,
        ge=0,
        description="Days from the end of a subscription until it suspends the account, if its owners were notified.",
    )
    notice_days: str = Field(
        "-14,-3,0,3,14",
        description=(
            "Days on which owners receive a mail, relative to the end of a subscription or the due date of an "
            "invoice."
        ),
    )
    notices_needed: int = Field(
        2,
        ge=1,
        description="Number of these days on which the mail server must have accepted a mail before a suspension.",
    )
    sample_file: Path | None = Field(
        None,
        description=(
            "Where `make run` writes the sign-in of its sample account, which the sign-in page then offers. Refused "
            "unless `PLACARD_CONTROL_URL` is a loopback address. None: there is no sample account."
        ),
    )

    @property
    def direct_database_url(self) -> str:
        return self.database_direct_url or self.database_url

    def without_pooler(self) -> "ControlSettings":
        """The same settings with a direct connection to PostgreSQL only."""
        direct = {"database_url": self.direct_database_url, "database_direct_url": ""}
        return self.model_copy(update=direct)

    def key_ring(self) -> KeyRing:
        """As `CommonSettings.key_ring`, but also refuses an edge's key file."""
        keys = super().key_ring()
        if not keys.keys:
            raise KeyFileInvalid(
                f"PLACARD_KEY_FILE {self.key_file}: it is an edge's. The control plane needs the service's own."
            )
        return keys

    @field_validator("sample_file")
    @classmethod
    def _check_sample(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        """Anybody can sign in to a sample account, so it stays on one machine."""
        if path is not None and not is_loopback(str(info.data.get("control_url", ""))):
            raise ValueError("a sample account needs a loopback address in PLACARD_CONTROL_URL")
        return path

    @field_validator("notice_days")
    @classmethod
    def _check_notice_days(cls, text: str) -> str:
        parse_days(text)
        return text

    @field_validator("dns_servers")
    @classmethod
    def _check_resolvers(cls, text: str) -> str:
        parse_nameservers(text)
        return text
