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
    sizes: list[FeatureSize] = Field(description="Empty: any size.")
    refresh_seconds: int | None


class FeatureConsent(WireOut):
    required: list[str] = Field(description="Signals to forward before anything may be personal.")
    default: str = Field(description="What holds without them.")


class FeatureRetry(WireOut):
    max: int
    base_ms: int


class FeatureTracking(WireOut):
    viewability: Viewability
    timeout_ms: int
    retry: FeatureRetry


class FeatureSdk(WireOut):
    min: dict[str, str] = Field(
        description="Oldest version of each client library that may run, as the property says: `web`, `android`, "
        "`ios`, `flutter`. A library before it asks for no ad and says that it is too old."
    )
    kill_switch: bool = Field(
        description="True: the account has stopped its live serving; show nothing, and do not ask."
    )


class Features(WireOut):
    property_id: str
    environment: Environment
    version: str = Field(description="Changes with the content, and with nothing else.")
    flags: dict[str, bool | str] = Field(
        description="The property's own (`sdk.flags`), and what this edge can do: `several_slots`. Ignore those you "
        "do not know."
    )
    slots: list[FeatureSlot]
    consent: FeatureConsent
    tracking: FeatureTracking
    sdk: FeatureSdk
    ttl_seconds: int
