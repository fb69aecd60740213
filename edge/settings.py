"""The edge's settings: one process serves one environment."""

import re
import uuid
from datetime import UTC, datetime
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import Field, ValidationInfo, field_validator

from common.decision.rules.gates import Ranking
from common.fetching.public_addresses import Networks
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
        description="The environment that this edge serves: `live` or `test`."
    )
    edge_host: str = Field("127.0.0.1", description="Address the edge listens on.")
    edge_port: int = Field(
        8080, ge=0, le=65_535, description="Port shared by the workers; 0: any free one."
    )
    edge_url: str = Field(description="Public URL of this edge; base of signed URLs.")
    edge_workers: int = Field(2, ge=1, le=64, description="Worker processes.")
    worker_heartbeat_timeout_s: float = Field(
        20.0, gt=0, description="Time without a heartbeat after which a worker is killed."
    )
    edge_name: str = Field(
        default_factory=lambda: f"edge-{uuid.getnode():012x}",
        description="Name of this machine; part of every record's identity.",
    )
    spool_dir: Path = Field(
        Path("var/spool"), description="Folder of the event spool, with a folder per worker."
    )
    spool_max_bytes: int = Field(
        1_073_741_824, gt=0, description="Maximum size of a worker's spool in bytes."
    )
    spool_retention_share: float = Field(
        0.25,
        ge=0,
        le=1,
        description="Share of all workers' spools that may hold shipped records, in case the log loses them.",
    )
    spool_retention_s: float = Field(
        86_400.0, gt=0, description="Maximum time for which shipped records are kept."
    )
    spool_exceeded_share: float = Field(
        0.1,
        ge=0,
        le=1,
        description=(
            "Share of the spool for single pixel and click events beyond their address's rate; more are stored as "
            "sums per second."
        ),
    )
    pixel_per_ip_s: int = Field(
        200,
        ge=1,
        description=(
            "Pixel and click requests per second and address, burst 3×; more get the same response and are stored as "
            "invalid, `rate_exceeded`."
        ),
    )
    pixel_per_proxy_s: int = Field(
        2000,
        ge=1,
        description="The same for known mail proxies and `PLACARD_PIXEL_PROXIES`, in addition to the rate per address.",
    )
    pixel_proxies: tuple[str, ...] = Field(
        (),
        description="Proxies used by many visitors: a JSON list of addresses and CIDR ranges.",
    )
    reconcile_poll_s: float = Field(
        5.0,
        gt=0,
        description="Interval at which the machine checks for requests to send records again.",
    )
    spool_sync_ms: float = Field(
        2.0, ge=0, description="Time during which appends are collected before one fdatasync."
    )
    decision_sample_ppm: int = Field(
        10_000,
        ge=0,
        le=1_000_000,
        description="Number of live decisions in a million that are recorded for `explain`; in test all are.",
    )
    decision_spool_max_bytes: int = Field(
        67_108_864,
        gt=0,
        description="Maximum size of a worker's spool of decision records in bytes.",
    )
    snapshot_dir: Path = Field(
        Path("var/snapshot"), description="Folder of the last good snapshots."
    )
    snapshot_heartbeat_timeout_s: float = Field(
        3.0, gt=0, description="Time without a heartbeat after which the edge pulls."
    )
    snapshot_url: str = Field(
        "",
        description="URL of `control publish` for pulls over HTTP when Redis fails; empty: none.",
    )
    stale_after_s: float = Field(
        3600.0, gt=0, description="Snapshot age that is reported as stale."
    )
    snapshot_max_age_s: float = Field(
        86_400.0, gt=0, description="Snapshot age after which live traffic stops."
    )
    proxies_count: int = Field(
        0,
        ge=0,
        description="Number of trusted proxies in front of the edge, for the client's address.",
    )
    clicks_signed_since: datetime = Field(
        datetime(2026, 11, 23, tzinfo=UTC),
        description=(
            "Time of this deployment's upgrade to signed click ids, as ISO 8601 with an offset: for 30 days from "
            "then, the conversion pixel accepts ids without a tag and never bills them."
        ),
    )
    conversions_of_unknown_clicks_s: int = Field(
        500,
        ge=1,
        description=(
            "Conversion pixels per second from all addresses together (burst 3×) with a signed click that is not in "
            "Redis: older than its token's lifetime, or Redis is unavailable. More are refused with 429."
        ),
    )
    tcf_vendor_id: int | None = Field(
        None,
        ge=1,
        le=65_535,
        description="Id of this service in the TCF's Global Vendor List, if registered.",
    )
    geo_database: Path | None = Field(
        None,
        description=(
            "GeoIP2 or GeoLite2 file (`.mmdb`, City or Country); none: locations are unknown. Reloaded when another "
            "is renamed over it."
        ),
    )

    audio_dir: Path | None = Field(
        None,
        description="Folder of content that ads are put into; none: `audio` in `PLACARD_STATE`.",
    )
    audio_max_bytes: int = Field(
        2_147_483_648,
        gt=0,
        description="Maximum size of that folder in bytes; the files that were not used for longest are deleted.",
    )
    audio_file_max_bytes: int = Field(
        268_435_456, gt=0, description="Maximum size of one content file in bytes."
    )
    audio_timeout_s: float = Field(
        60.0, gt=0, description="Time after which a fetch of content is given up."
    )
    audio_wait_ms: int = Field(
        400,
        ge=1,
        le=5000,
        description=(
            "Time that a request waits for the source of its content; later the listener gets the original, and the "
            "fetch goes on for the next one."
        ),
    )
    audio_networks: tuple[str, ...] = Field(
        (),
        description=(
            "Private networks from which content may be fetched, at any port: a JSON list of CIDR ranges. `localhost` "
            "is its addresses of loopback that are in them. Otherwise content comes from public addresses at ports 80 "
            "and 443."
        ),
    )

    ranking: Ranking = Field(
        Ranking.GREEDY,
        description=(
            "Ranking of bids for clicks and conversions: `greedy` by expected revenue, `thompson` by a random draw of "
            "it, which tries new ads more."
        ),
    )

    @property
    def source_networks(self) -> Networks:
        return tuple(ip_network(text) for text in self.audio_networks)

    @field_validator("audio_networks")
    @classmethod
    def _check_audio_networks(cls, networks: tuple[str, ...]) -> tuple[str, ...]:
        for text in networks:
            ip_network(text)
        return networks

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

    @field_validator("clicks_signed_since", mode="before")
    @classmethod
    def _check_is_no_number(cls, given: object) -> object:
        """A number would be read as seconds since 1970."""
        if isinstance(given, str) and given.strip().lstrip("+-").replace(".", "", 1).isdigit():
            raise ValueError("it must be a day and a time: 2026-11-23T00:00:00Z")
        return given

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
    def _check_snapshot_url(cls, url: str, info: ValidationInfo) -> str:
        parts = urlsplit(url)
        if parts.scheme == "http" and info.data.get("internal_ca_file"):
            raise ValueError("it must begin with `https://`, as PLACARD_INTERNAL_CA_FILE is set")
        if url and (parts.scheme not in ("http", "https") or not parts.netloc or parts.query):
            raise ValueError("it must be `http://HOST:PORT`, where `control publish` listens")
        return url
