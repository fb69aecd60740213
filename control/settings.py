"""The control plane's settings, shared by api, ingest, publish and work."""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from common.settings import CommonSettings


class DatabaseSettings(BaseSettings):
    """All that `control migrate` needs."""

    model_config = SettingsConfigDict(env_prefix="PLACARD_", extra="ignore", frozen=True)

    database_url: str = Field(
        description="PostgreSQL, as a login that may make the service's roles."
    )


class ControlSettings(CommonSettings):
    database_url: str = Field(
        description="PostgreSQL, as a login that may take the service's roles."
    )
    control_host: str = Field("127.0.0.1", description="Address the API listens on.")
    control_port: int = Field(8000, description="Port the API listens on.")
    control_url: str = Field(description="How clients reach the control plane.")
    edge_live_url: str = Field(description="How clients reach the live edge.")
    edge_test_url: str = Field(description="How clients reach the test edge.")
    assets_url: str = Field("", description="Where assets are served from.")
    management_per_key_s: int = Field(
        10, description="Management calls a second for each key (burst 3×)."
    )
    invitations_per_hour: int = Field(
        100, description="Mails with invitations that an account sends in an hour."
    )
    access_token_s: int = Field(3600, description="Life of an access token.")
    refresh_token_s: int = Field(2_592_000, description="Life of a refresh token.")
    ingest_batch: int = Field(1000, description="Most records of one ingest transaction.")
    ingest_wait_ms: int = Field(100, description="Longest an incomplete batch waits.")
    heartbeat_s: float = Field(1.0, description="Pause between snapshot heartbeats.")
    delta_ring: int = Field(1000, description="Deltas kept in Redis for pulling.")
    events_kept_days: int = Field(90, description="Retention of the events feed.")
    top_up_instructions: str = Field(
        "Transfer {amount} and name {reference}. The wallet has it once the transfer was seen.",
        description="What somebody who tops up reads; may name {amount} and {reference}.",
    )
    invoice_due_days: int = Field(14, ge=0, description="From an invoice to its due date.")
    invoice_grace_days: int = Field(
        14, ge=0, description="From its due date until an unpaid invoice suspends the account."
    )
