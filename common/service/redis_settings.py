"""Settings of the connections to Redis, alike for every process that opens one."""

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from common.service.redis_url import parse_redis_url

EVERY_ROLE = "PLACARD_REDIS_URL"
SNAPSHOT_ROLE = f"PLACARD_SNAPSHOT_REDIS_URL, or else {EVERY_ROLE}"
LEASE_ROLE = f"PLACARD_LEASE_REDIS_URL, or else {EVERY_ROLE}"
LOG_ROLE = f"PLACARD_LOG_REDIS_URL, or else {EVERY_ROLE}"
"""The settings that name the server of a role, as errors name them."""


class RedisSettings(BaseSettings):
    """Each URL has the forms of `parse_redis_url`. Empty ones are the first."""

    model_config = SettingsConfigDict(env_prefix="PLACARD_", extra="ignore", frozen=True)

    redis_url: str = Field(
        description=(
            "Redis: `redis://host:port/0`, `rediss://` for TLS, `redis+sentinel://a,b,c/0?primary=NAME`, "
            "`redis+cluster://a,b,c` or `unix:///path`."
        )
    )
    snapshot_redis_url: str = Field(
        "",
        description="Redis of snapshots and edges' status, for publish and receivers; empty: `PLACARD_REDIS_URL`.",
    )
    lease_redis_url: str = Field(
        "",
        description="Redis of budget leases, for pace and edges; empty: `PLACARD_REDIS_URL`.",
    )
    log_redis_url: str = Field(
        "",
        description="Redis of the event log without Kafka, for edges and ingest; empty: `PLACARD_REDIS_URL`.",
    )

    @property
    def snapshot_redis(self) -> str:
        return self.snapshot_redis_url or self.redis_url

    @property
    def lease_redis(self) -> str:
        return self.lease_redis_url or self.redis_url

    @property
    def log_redis(self) -> str:
        return self.log_redis_url or self.redis_url

    @field_validator("redis_url", "snapshot_redis_url", "lease_redis_url", "log_redis_url")
    @classmethod
    def _check_redis_url(cls, url: str) -> str:
        if url:
            parse_redis_url(url)
        return url

    @field_validator("redis_url")
    @classmethod
    def _check_redis_is_named(cls, url: str) -> str:
        if not url:
            raise ValueError("name a server")
        return url
