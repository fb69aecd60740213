"""
The names of all settings and of the variables of Placard's tools. A variable that begins with ``PLACARD_`` and has none
of them is misspelt.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from common.service.deprecated_names import SETTINGS as FORMER

PREFIX: Final = "PLACARD_"
_NEAR = 0.75
"""Share of equal letters, by difflib: one wrong, missing or exchanged letter in a word of four and more."""
_LINK = re.compile(r"(?P<service>.+)_SERVICE_HOST")
_OF_LINK = re.compile(
    r"_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)"
)

SETTINGS: Final = frozenset(
    {
        "PLACARD_ACCESS_TOKEN_S",
        "PLACARD_ASSETS_STORE",
        "PLACARD_ASSETS_URL",
        "PLACARD_ASSET_ACCOUNT_BYTES",
        "PLACARD_ASSET_AUDIO_BYTES",
        "PLACARD_ASSET_HTML_BYTES",
        "PLACARD_ASSET_IMAGE_BYTES",
        "PLACARD_ASSET_INSPECTIONS",
        "PLACARD_ASSET_VIDEO_BYTES",
        "PLACARD_AUDIO_DIR",
        "PLACARD_AUDIO_FILE_MAX_BYTES",
        "PLACARD_AUDIO_MAX_BYTES",
        "PLACARD_AUDIO_NETWORKS",
        "PLACARD_AUDIO_TIMEOUT_S",
        "PLACARD_AUDIO_WAIT_MS",
        "PLACARD_BUDGET_SETTLE_S",
        "PLACARD_CLICKS_SIGNED_SINCE",
        "PLACARD_CLICK_DEDUP_WINDOW_MS",
        "PLACARD_CLICK_MIN_DELAY_MS",
        "PLACARD_CONNECTIONS_PER_ADDRESS",
        "PLACARD_CONTROL_HOST",
        "PLACARD_CONTROL_PORT",
        "PLACARD_CONTROL_URL",
        "PLACARD_CONVERSIONS_OF_UNKNOWN_CLICKS_S",
        "PLACARD_COUNT_MAIL_OPENS",
        "PLACARD_DATABASE_DIRECT_URL",
        "PLACARD_DATABASE_READ_MAX_LAG_S",
        "PLACARD_DATABASE_READ_URL",
        "PLACARD_DATABASE_STATEMENT_TIMEOUT_S",
        "PLACARD_DATABASE_TIMEOUT_S",
        "PLACARD_DATABASE_URL",
        "PLACARD_DATA_CENTER_RANGES",
        "PLACARD_DECISION_SAMPLE_PPM",
        "PLACARD_DECISION_SPOOL_MAX_BYTES",
        "PLACARD_DELTA_HISTORY",
        "PLACARD_DNS_SERVERS",
        "PLACARD_DNS_TIMEOUT_S",
        "PLACARD_EDGE_HOST",
        "PLACARD_EDGE_LIVE_URL",
        "PLACARD_EDGE_NAME",
        "PLACARD_EDGE_PORT",
        "PLACARD_EDGE_TEST_URL",
        "PLACARD_EDGE_URL",
        "PLACARD_EDGE_WORKERS",
        "PLACARD_EMBED_SECRET_S",
        "PLACARD_EMBED_WINDOW_S",
        "PLACARD_ENVIRONMENT",
        "PLACARD_EVENTS_RETENTION_DAYS",
        "PLACARD_EVENT_STREAMS",
        "PLACARD_EVENT_STREAMS_PER_ACCOUNT",
        "PLACARD_EVENT_STREAM_HEARTBEAT_S",
        "PLACARD_EXPORTS_AT_ONCE",
        "PLACARD_EXPORTS_PER_ACCOUNT",
        "PLACARD_EXPORTS_STORE",
        "PLACARD_EXPORTS_WAITING",
        "PLACARD_EXPORT_BYTES",
        "PLACARD_EXPORT_CLAIM_S",
        "PLACARD_EXPORT_LINK_S",
        "PLACARD_EXPORT_RETENTION_S",
        "PLACARD_GEO_DATABASE",
        "PLACARD_HEARTBEAT_S",
        "PLACARD_IMPRESSION_DEDUP_WINDOW_MS",
        "PLACARD_INGEST_BATCH",
        "PLACARD_INGEST_CONSUMERS",
        "PLACARD_INGEST_WAIT_MS",
        "PLACARD_INTERNAL_CA_FILE",
        "PLACARD_INTERNAL_CERTIFICATE_FILE",
        "PLACARD_INTERNAL_CERTIFICATE_KEY_FILE",
        "PLACARD_INTERNAL_HOST",
        "PLACARD_INTERNAL_PORT",
        "PLACARD_INVITATIONS_PER_HOUR",
        "PLACARD_INVOICE_DUE_DAYS",
        "PLACARD_INVOICE_GRACE_DAYS",
        "PLACARD_KAFKA_BOOTSTRAP_SERVERS",
        "PLACARD_KAFKA_CA_FILE",
        "PLACARD_KAFKA_CERTIFICATE_FILE",
        "PLACARD_KAFKA_CERTIFICATE_KEY_FILE",
        "PLACARD_KAFKA_CLIENT_ID",
        "PLACARD_KAFKA_OAUTH_SCOPE",
        "PLACARD_KAFKA_OAUTH_TOKEN_URL",
        "PLACARD_KAFKA_PASSWORD",
        "PLACARD_KAFKA_PASSWORD_FILE",
        "PLACARD_KAFKA_RACK",
        "PLACARD_KAFKA_SASL_MECHANISM",
        "PLACARD_KAFKA_SECURITY_PROTOCOL",
        "PLACARD_KAFKA_USERNAME",
        "PLACARD_KEY_FILE",
        "PLACARD_LEARNING_EVERY_S",
        "PLACARD_LEARNING_HALF_LIFE_S",
        "PLACARD_LEASE_REDIS_URL",
        "PLACARD_LOG_FORMAT",
        "PLACARD_LOG_REDIS_URL",
        "PLACARD_MAIL_FROM",
        "PLACARD_MAIL_URL",
        "PLACARD_MANAGEMENT_BYTES_PER_IP_S",
        "PLACARD_MANAGEMENT_PER_KEY_S",
        "PLACARD_MAX_CLICKS_PER_MINUTE",
        "PLACARD_MAX_IMPRESSIONS_PER_MINUTE",
        "PLACARD_MAX_MAIL_CLICKS_PER_SECOND",
        "PLACARD_NAMESPACE",
        "PLACARD_NEW_ACCOUNT_CREDIT_LIMIT_CENTS",
        "PLACARD_NOTICES_NEEDED",
        "PLACARD_NOTICE_DAYS",
        "PLACARD_PIXEL_PER_IP_S",
        "PLACARD_PIXEL_PER_PROXY_S",
        "PLACARD_PIXEL_PROXIES",
        "PLACARD_PROXIES_COUNT",
        "PLACARD_PUBLIC_SUFFIX_LIST",
        "PLACARD_RANKING",
        "PLACARD_RECONCILE_EVERY_S",
        "PLACARD_RECONCILE_POLL_S",
        "PLACARD_REDIS_URL",
        "PLACARD_REPORT_STORE_URL",
        "PLACARD_REQUIRE_VERIFIED_EMAIL",
        "PLACARD_SAMPLE_FILE",
        "PLACARD_SECRETS_DIR",
        "PLACARD_SECRET_WAIT_S",
        "PLACARD_SESSION_ABSOLUTE_S",
        "PLACARD_SESSION_IDLE_S",
        "PLACARD_SIGN_UPS_PER_HOUR",
        "PLACARD_SNAPSHOT_DIR",
        "PLACARD_SNAPSHOT_HEARTBEAT_TIMEOUT_S",
        "PLACARD_SNAPSHOT_HOST",
        "PLACARD_SNAPSHOT_MAX_AGE_S",
        "PLACARD_SNAPSHOT_PORT",
        "PLACARD_SNAPSHOT_REDIS_URL",
        "PLACARD_SNAPSHOT_URL",
        "PLACARD_SPOOL_DIR",
        "PLACARD_SPOOL_EXCEEDED_SHARE",
        "PLACARD_SPOOL_MAX_BYTES",
        "PLACARD_SPOOL_RETENTION_S",
        "PLACARD_SPOOL_RETENTION_SHARE",
        "PLACARD_SPOOL_SYNC_MS",
        "PLACARD_STALE_AFTER_S",
        "PLACARD_STATE",
        "PLACARD_SUBSCRIPTIONS",
        "PLACARD_SUBSCRIPTION_GRACE_DAYS",
        "PLACARD_SUBSCRIPTION_PRICE_CENTS",
        "PLACARD_SUBSCRIPTION_TERM",
        "PLACARD_TCF_VENDOR_ID",
        "PLACARD_TOP_UP_INSTRUCTIONS",
        "PLACARD_TRIAL_DAYS",
        "PLACARD_TRUSTED_PROXIES",
        "PLACARD_UPLOAD_GRACE_S",
        "PLACARD_UPLOAD_LINK_S",
        "PLACARD_UPLOAD_MIN_BYTES_PER_S",
        "PLACARD_WORKER_HEARTBEAT_TIMEOUT_S",
    }
)
"""The variables that processes of either plane read. An edge and the control plane may share an environment."""

TOOLS: Final = frozenset(
    {
        # Read before any setting: which build of the C modules a process uses.
        "PLACARD_COMPILED",
        # `make run`.
        "PLACARD_EDGE_LIVE_PORT",
        "PLACARD_EDGE_TEST_PORT",
        "PLACARD_SAMPLE",
        "PLACARD_STACK",
        # The compose file.
        "PLACARD_GRAFANA_PORT",
        "PLACARD_LISTEN",
        "PLACARD_MAIL_PORT",
        "PLACARD_PROMETHEUS_PORT",
        "PLACARD_VERSION",
        # The command `placard`, client libraries and the examples of their guides.
        "PLACARD_BASE_URL",
        "PLACARD_CONFIG",
        "PLACARD_EDGE_KEY",
        "PLACARD_KEY",
        "PLACARD_MANAGEMENT_KEY",
        "PLACARD_PUBLIC_URL",
        "PLACARD_URL",
        # Tests of client libraries and of generated clients.
        "PLACARD_DEMO",
        "PLACARD_PASSED_CASES",
        "PLACARD_STAND_INS",
    }
)
"""The variables that other programs of the project read. A shell that has one may start a process, too."""


@dataclass(frozen=True, slots=True)
class UnknownName:
    """*near*: the setting that is probably meant; empty where none is near."""

    name: str
    near: str

    @property
    def advice(self) -> str:
        if self.near:
            return f"Rename it to {self.near}, or remove it."
        return "Remove it. The section Settings of docs/operations.md has all names."


def find_unknown(names: Iterable[str]) -> Iterator[UnknownName]:
    """
    *names*: of environment variables, and of files in the folder of secrets. Yields those that begin with ``PLACARD_``
    in either case and that no process and no tool knows, in alphabetical order.

    Kubernetes adds variables for a service whose name is `placard` or begins with `placard-`; these are known.
    """
    given = {name.upper() for name in names if name.upper().startswith(PREFIX)}
    services = tuple(link["service"] for link in map(_LINK.fullmatch, given) if link)
    for name in sorted(given - SETTINGS - TOOLS - FORMER.keys()):
        if not any(_OF_LINK.fullmatch(name.removeprefix(service)) for service in services):
            yield UnknownName(name, _nearest(name))


def _nearest(name: str) -> str:
    """The prefix is left out: with it, any two names would be near."""
    from difflib import get_close_matches

    words = [setting.removeprefix(PREFIX) for setting in sorted(SETTINGS)]
    near = get_close_matches(name.removeprefix(PREFIX), words, n=1, cutoff=_NEAR)
    return f"{PREFIX}{near[0]}" if near else ""
