"""The edge's response to `GET /v1/features`."""

from pydantic import Field

from common.contract.edge_models import Viewability
from common.contract.models import WireOut
from common.values.enums import Format
from common.values.environment import Environment


class FeatureSize(WireOut):
    width: int
    height: int


class FeatureSlot(WireOut):
    key: str
    id: str
    formats: list[Format]
    sizes: list[FeatureSize] = Field(description="Allowed sizes. Empty: any size.")
    refresh_seconds: int | None


class FeatureConsent(WireOut):
    required: list[str] = Field(
        description="Consent signals that clients must forward to allow personalisation."
    )
    default: str = Field(description="Consent policy that applies without any signal.")


class FeatureRetry(WireOut):
    max: int
    base_ms: int


class FeatureTracking(WireOut):
    viewability: Viewability
    timeout_ms: int
    retry: FeatureRetry


class FeatureSdk(WireOut):
    min: dict[str, str] = Field(
        description=(
            "Minimum version of each client library (`web`, `android`, `ios`, `flutter`), set by the property. An "
            "older library requests no ads and reports that it is too old."
        )
    )
    kill_switch: bool = Field(
        description="True: the account has stopped its live serving; show no ads and make no requests."
    )


class Features(WireOut):
    property_id: str
    environment: Environment
    version: str = Field(description="Changes if and only if the content changes.")
    flags: dict[str, bool | str] = Field(
        description=(
            "The property's own flags (`sdk.flags`), and features of this edge: `several_slots`. Ignore unknown "
            "flags."
        )
    )
    slots: list[FeatureSlot]
    consent: FeatureConsent
    tracking: FeatureTracking
    sdk: FeatureSdk
    ttl_seconds: int
