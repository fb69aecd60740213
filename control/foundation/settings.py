"""Settings of the control plane, shared by api, ingest, publish and work."""

from pathlib import Path

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from common.ivt.windows import LIMITS
from common.service.channels import LOG_PARTITIONS
from common.service.secrets import KeyFileInvalid, KeyRing
from common.service.settings import CommonSettings
from control.foundation.nameserver_addresses import parse_nameservers
from control.foundation.subscription_terms import Term, parse_days

_MIB = 1_048_576


class DatabaseSettings(BaseSettings):
    """The settings that `control migrate` needs."""

    model_config = SettingsConfigDict(env_prefix="PLACARD_", extra="ignore", frozen=True)

    database_url: str = Field(
        description="PostgreSQL, as a login that may make the service's roles."
    )


class ControlSettings(CommonSettings):
    database_url: str = Field(
        description="PostgreSQL, as a login that may take the service's roles."
    )
    database_timeout_s: float = Field(
        12.0, description="Longest wait for one answer of PostgreSQL before a call is answered 503."
    )
    budget_settle_s: float = Field(
        660.0,
        gt=0,
        description=(
            "How long after a serve its events may still come and be charged: a web token's ten minutes, its leeway, "
            "and half a minute for the way to the ledger. What a worker committed counts as on its way for so long."
        ),
    )
    public_suffix_list: Path | None = Field(
        None,
        description="A public suffix list in the form of publicsuffix.org; none: the one of this release. "
        "Advertisers' domains and verification follow it from the next start on.",
    )
    control_host: str = Field("127.0.0.1", description="Address the API listens on.")
    control_port: int = Field(8000, description="Port the API listens on.")
    control_url: str = Field(description="How clients reach the control plane.")
    edge_live_url: str = Field(description="How clients reach the live edge.")
    edge_test_url: str = Field(description="How clients reach the test edge.")
    assets_url: str = Field(
        default_factory=lambda known: f"{known.get('edge_live_url', '')}/assets",
        description="Where assets are served from; the live edge unless another is named.",
    )
    asset_image_bytes: int = Field(10 * _MIB, gt=0, description="Most bytes of an image.")
    asset_html_bytes: int = Field(
        65_536,
        gt=0,
        description="Most bytes of an HTML file; an ad holds no more than 64 KiB of it.",
    )
    asset_audio_bytes: int = Field(50 * _MIB, gt=0, description="Most bytes of a sound file.")
    asset_video_bytes: int = Field(100 * _MIB, gt=0, description="Most bytes of a film.")
    asset_account_bytes: int = Field(
        10 * 1024 * _MIB, gt=0, description="Most bytes all assets of an account may have."
    )
    asset_inspections: int = Field(
        2, ge=1, description="Files looked into at a time, a process each."
    )
    exports_store: str = Field(
        "",
        description=(
            "Where exports lie: `file:///folder` that API and scheduler share, or a private bucket, "
            "`s3://bucket/prefix?endpoint=URL&region=NAME`; empty: the folder `exports` in the state."
        ),
    )
    exports_at_once: int = Field(2, ge=1, description="Exports that a scheduler makes at a time.")
    exports_per_account: int = Field(
        1, ge=1, description="Exports of one account made at a time; others of it wait."
    )
    exports_waiting: int = Field(
        10, ge=1, description="Exports of one account that may wait or be made; more are refused."
    )
    export_bytes: int = Field(2048 * _MIB, gt=0, description="Most bytes of an export's file.")
    export_claim_s: float = Field(
        30.0, gt=0, description="An export whose maker was silent for so long is made by another."
    )
    export_link_s: int = Field(900, gt=0, description="Life of a link to an export's file.")
    export_retention_s: int = Field(
        604_800, gt=0, description="From the end of an export until its file is deleted."
    )
    upload_link_s: int = Field(900, gt=0, description="Life of an upload link.")
    upload_grace_s: float = Field(
        60.0, gt=0, description="Time any upload may take, and more by its length."
    )
    upload_min_bytes_per_s: int = Field(
        50_000, gt=0, description="Bytes a second an upload must come with, on average."
    )
    trusted_proxies: int = Field(
        0, ge=0, description="Trusted proxies before the API, for the client's address."
    )
    management_per_key_s: int = Field(
        10,
        gt=0,
        description="Management calls a second for each key, user or stranger's address (burst 3×).",
    )
    management_bytes_per_ip_s: int = Field(
        _MIB,
        ge=_MIB // 4,
        description="Bytes of request bodies a second from each address (burst 8×); files are not counted.",
    )
    sign_ups_per_hour: int = Field(
        10,
        gt=0,
        description="Sign-ups in an hour from one network (IPv4 /24, IPv6 /56), refused ones counted.",
    )
    invitations_per_hour: int = Field(
        100, description="Mails with invitations that an account sends in an hour."
    )
    access_token_s: int = Field(3600, description="Life of an access token.")
    session_idle_s: int = Field(
        1_209_600, ge=300, description="A session ends after so long without a call."
    )
    session_absolute_s: int = Field(
        7_776_000, ge=300, description="A session ends so long after its sign-in, whatever happens."
    )
    embed_secret_s: int = Field(
        300, gt=0, description="An embed secret that nobody opened ends after so long."
    )
    embed_window_s: int = Field(
        1800, gt=0, description="An embedded window ends so long after it was opened."
    )
    require_verified_email: bool = Field(
        default=False, description="Nobody signs in before the address was proved by a mail."
    )
    mail_url: str = Field(
        "",
        description=(
            "Where mails go: `smtp://user:password@host:587?starttls=required`, `smtps://…`, or "
            "`file:///folder` of .eml files; empty: the folder `mail` in the state."
        ),
    )
    mail_from: str = Field(
        "Placard <placard@localhost>",
        description="Who mails come from: an address, with a name or without.",
    )
    ingest_batch: int = Field(16000, description="Most records of one ingest transaction.")
    ingest_wait_ms: int = Field(100, description="Longest an incomplete batch waits.")
    ingest_consumers: int = Field(
        3,
        ge=1,
        le=LOG_PARTITIONS,
        description="Transactions under way in one ingest process, each of partitions of its own.",
    )
    reconcile_every_s: float = Field(
        300.0,
        gt=0,
        description="Pause between two comparisons of what edges appended with what was stored.",
    )
    click_min_delay_ms: int = Field(
        LIMITS.click_min_delay_ms,
        ge=0,
        description="A live click sooner after its serve is `click_too_fast`; 0: never.",
    )
    click_dedup_window_ms: int = Field(
        LIMITS.click_dedup_window_ms,
        ge=0,
        description="A client's next click on the same ad within it is `duplicate_click`; 0: never.",
    )
    max_impressions_per_minute: int = Field(
        LIMITS.max_impressions_per_minute,
        gt=0,
        description="A client's valid impressions in a slot and minute; more are `rate_exceeded`.",
    )
    max_clicks_per_minute: int = Field(
        LIMITS.max_clicks_per_minute,
        gt=0,
        description="A client's valid clicks in a slot and minute; more are `rate_exceeded`.",
    )
    impression_dedup_window_ms: int = Field(
        LIMITS.impression_dedup_window_ms,
        ge=0,
        description="One ad in one slot shown to a client twice within it is `duplicate_impression`; 0: not looked at.",
    )
    max_mail_clicks_per_second: int = Field(
        LIMITS.max_mail_clicks_per_second,
        gt=0,
        description="A client's clicks on links of mails within a second; more are `mail_link_scanner`.",
    )
    heartbeat_s: float = Field(1.0, description="Pause between snapshot heartbeats.")
    delta_history: int = Field(1000, description="Deltas kept in Redis for pulling.")
    snapshot_host: str = Field(
        "127.0.0.1", description="Where publish gives snapshots to edges over HTTP."
    )
    snapshot_port: int = Field(
        0,
        ge=0,
        le=65_535,
        description="Port of that; 0: any free one. Edges find it by their `PLACARD_SNAPSHOT_URL`.",
    )
    learning_every_s: float = Field(
        60.0, gt=0, description="Pause between two learnings of click and conversion rates."
    )
    learning_half_life_s: float = Field(
        604_800.0,
        ge=1,
        description="After so long what was learned of an ad weighs half, so that drift is followed.",
    )
    dns_servers: str = Field(
        "1.1.1.1,9.9.9.9",
        description="Name servers of property verification, which must agree; `ADDRESS` or `ADDRESS:PORT`.",
    )
    dns_timeout_s: float = Field(
        3.0, gt=0, description="Longest wait for one answer of a name server."
    )
    secret_wait_s: int = Field(
        90_000,
        gt=0,
        description=(
            "When a property's new shared secret signs though an edge never acknowledged it; more than "
            "`PLACARD_SNAPSHOT_MAX_AGE_S` of the edges."
        ),
    )
    event_streams: int = Field(
        1000, gt=0, description="Streams of events that one API process keeps open."
    )
    event_streams_per_account: int = Field(
        20, gt=0, description="Streams of events of one account at one API process."
    )
    event_stream_heartbeat_s: float = Field(
        15.0, gt=0, description="Longest silence of a stream of events."
    )
    events_retention_days: int = Field(90, description="Retention of the events feed.")
    top_up_instructions: str = Field(
        "Transfer {amount} with the reference {reference}. The wallet is credited once the operator has received it.",
        description="What somebody who tops up reads; may name {amount} and {reference}.",
    )
    invoice_due_days: int = Field(14, ge=0, description="From an invoice to its due date.")
    invoice_grace_days: int = Field(
        15,
        ge=0,
        description="From its due date until an unpaid invoice suspends the account, if owners had their mails.",
    )
    subscriptions: bool = Field(
        default=False,
        description="`on`: subscriptions have terms, renew or end, and new accounts begin with a trial; `off`: every "
        "account is subscribed.",
    )
    subscription_price_cents: int = Field(
        0, ge=0, description="Price of a term for new accounts, in cents of their currency."
    )
    subscription_term: Term = Field(
        Term.MONTH, description="Term of new accounts: `month` or `year`."
    )
    trial_days: int = Field(14, ge=0, description="Trial of new accounts.")
    subscription_grace_days: int = Field(
        15,
        ge=0,
        description="From the end of a subscription until it suspends the account, if owners had their mails.",
    )
    notice_days: str = Field(
        "-14,-3,0,3,14",
        description="Days from the end of a subscription, or from an invoice's due date, on which owners have a mail.",
    )
    notices_needed: int = Field(
        2,
        ge=1,
        description="Of so many of these days the mail server accepted a mail, or nobody is suspended.",
    )

    def key_ring(self) -> KeyRing:
        """As `CommonSettings.key_ring`, but also refuses an edge's key file."""
        keys = super().key_ring()
        if not keys.keys:
            raise KeyFileInvalid(
                f"PLACARD_KEY_FILE {self.key_file}: it is an edge's. The control plane needs the service's own."
            )
        return keys

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
