"""The edge's settings: one process serves one environment."""

import re
import uuid
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from common.decision.rules.gates import Ranking
from common.ivt.lists import parse_ranges
from common.service.settings import CommonSettings
from common.values.environment import Environment

_PLAIN_URL = re.compile(r"[A-Za-z0-9.:/_~\[\]-]+")
"""Characters that need no escaping, in JSON or in HTML."""


class EdgeSettings(CommonSettings):
    key_file: Path = Field(
        description="The edge key file, as `control keys derive-edge` writes it (see `common.service.secrets`)."
    )
    environment: Environment = Field(
        description="`live` or `test`: which environment this edge serves."
    )
    edge_host: str = Field("127.0.0.1", description="Address the edge listens on.")
    edge_port: int = Field(
        8080, ge=0, le=65_535, description="Port the workers share; 0: any free one."
    )
    edge_url: str = Field(description="How clients reach this edge; the base of signed URLs.")
    edge_workers: int = Field(2, ge=1, le=64, description="Worker processes.")
    worker_heartbeat_timeout_s: float = Field(
        20.0, gt=0, description="Silence of a worker after which it is taken for hung, and killed."
    )
    edge_name: str = Field(
        default_factory=lambda: f"edge-{uuid.getnode():012x}",
        description="This machine's name; part of every record's identity.",
    )
    spool_dir: Path = Field(
        Path("var/spool"), description="Folder of the event spool, a folder a worker."
    )
    spool_max_bytes: int = Field(1_073_741_824, gt=0, description="Most a worker's spool may hold.")
    spool_retention_share: float = Field(
        0.25,
        ge=0,
        le=1,
        description="Of all workers' spools, how much may hold what was shipped, in case the log loses it.",
    )
    spool_retention_s: float = Field(86_400.0, gt=0, description="How long that is kept at most.")
    spool_exceeded_share: float = Field(
        0.1,
        ge=0,
        le=1,
        description="Of the spool, how much pixel and click events beyond their address's rate may fill one by one; "
        "more are summed by the second.",
    )
    pixel_per_ip_s: int = Field(
        200,
        ge=1,
        description="Pixel and click calls of an address a second, three times as many at once; more are answered "
        "alike and stored invalid, as `rate_exceeded`.",
    )
    pixel_per_proxy_s: int = Field(
        2000,
        ge=1,
        description="The same of a known mail proxy and of `PLACARD_PIXEL_PROXIES`, beyond what every address has.",
    )
    pixel_proxies: tuple[str, ...] = Field(
        (),
        description="Proxies through which many readers come: a JSON list of addresses and CIDR ranges.",
    )
    reconcile_poll_s: float = Field(
        5.0, gt=0, description="How often the machine looks whether records are asked for again."
    )
    spool_sync_ms: float = Field(
        2.0, ge=0, description="How long appends gather before one fdatasync."
    )
    decision_sample_ppm: int = Field(
        10_000,
        ge=0,
        le=1_000_000,
        description="Of a million live decisions, how many are recorded for `explain`; in test all are.",
    )
    decision_spool_max_bytes: int = Field(
        67_108_864, gt=0, description="Most a worker's spool of decision records may hold."
    )
    snapshot_dir: Path = Field(
        Path("var/snapshot"), description="Folder of the last good snapshots."
    )
    snapshot_heartbeat_timeout_s: float = Field(
        3.0, gt=0, description="Silence of the bell after which the edge pulls."
    )
    snapshot_url: str = Field(
        "",
        description="Where `control publish` gives snapshots over HTTP, asked when Redis fails; empty: never.",
    )
    snapshot_redis_url: str = Field(
        "",
        description="Redis for the one that receives snapshots, whose user may read only; empty: `PLACARD_REDIS_URL`.",
    )
    stale_after_s: float = Field(
        3600.0, gt=0, description="Snapshot age that is reported as stale."
    )
    snapshot_max_age_s: float = Field(
        86_400.0, gt=0, description="Snapshot age after which live traffic stops."
    )
    proxies_count: int = Field(
        0, ge=0, description="Trusted proxies before the edge, for the client's address."
    )
    clicks_signed_since: datetime = Field(
        datetime(2026, 11, 23, tzinfo=UTC),
        description="When this deployment was upgraded to signed click ids, as ISO 8601 with an offset: for 30 days "
        "from then the conversion pixel takes ids without a tag, and bills none of them.",
    )
    conversions_of_unknown_clicks_s: int = Field(
        500,
        ge=1,
        description="Conversion pixels a second, from all addresses together and three times as many at once, whose "
        "click is signed and not in Redis: clicks of before their token's life ended, or all while Redis is away. "
        "More are refused with 429.",
    )
    tcf_vendor_id: int | None = Field(
        None,
        ge=1,
        le=65_535,
        description="This service's id in the TCF's Global Vendor List, where it is registered.",
    )
    geo_database: Path | None = Field(
        None,
        description="GeoIP2 or GeoLite2 file (`.mmdb`, City or Country); none: places are unknown. "
        "Taken up anew when another is renamed over it.",
    )

    ranking: Ranking = Field(
        Ranking.GREEDY,
        description=(
            "How bids for clicks and conversions are ranked: `greedy` by what they are expected to bring, `thompson` "
            "by a draw of what they may bring, which tries new ads more."
        ),
    )

    @field_validator("edge_url")
    @classmethod
    def _check_edge_url(cls, url: str) -> str:
        parts = urlsplit(url)
        if _PLAIN_URL.fullmatch(url) is None:
            raise ValueError("it must be plain: letters, digits and . : / _ ~ - [ ] only")
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError("it must be `https://HOST` or `http://HOST:PORT`")
        if parts.query or parts.fragment:
            raise ValueError("it must end with the host, or with a path")
        return url.rstrip("/")

    @field_validator("clicks_signed_since")
    @classmethod
    def _check_clicks_signed_since(cls, instant: datetime) -> datetime:
        if instant.tzinfo is None:
            raise ValueError("it must have an offset: 2026-11-23T00:00:00Z")
        return instant

    @field_validator("pixel_proxies")
    @classmethod
    def _check_pixel_proxies(cls, networks: tuple[str, ...]) -> tuple[str, ...]:
        parse_ranges("\n".join(networks))
        return networks

    @field_validator("snapshot_url")
    @classmethod
    def _check_snapshot_url(cls, url: str) -> str:
        parts = urlsplit(url)
        if url and (parts.scheme not in ("http", "https") or not parts.netloc or parts.query):
            raise ValueError("it must be `http://HOST:PORT`, where `control publish` listens")
        return url

    @field_validator("redis_url")
    @classmethod
    def _check_redis_url(cls, url: str) -> str:
        if urlsplit(url).scheme not in ("redis", "rediss", "unix"):
            raise ValueError("it must begin with `redis://`, `rediss://` or `unix://`")
        return url

    @field_validator("snapshot_redis_url")
    @classmethod
    def _check_snapshot_redis_url(cls, url: str) -> str:
        return cls._check_redis_url(url) if url else url
