"""Events and the summary of a property on the wire. Field names are the contract's."""

from enum import StrEnum

from pydantic import Field

from common.contract.models import Timestamp, WireIn, WireOut
from common.values.enums import AccountState, EventKind, Reason, Source, Surface
from common.values.environment import Environment
from common.values.keys import KeyKind
from control.foundation.wire_types import Id, Instant, Limit, QueryFlag, Values

_ENVIRONMENT = "`live` or `test`. A key always uses its own environment."


class StreamQuery(WireIn):
    cursor: str | None = Field(
        None,
        description=(
            "A position in the feed: `next_cursor` of a page, the id of an event, or `earliest`. Default: the next "
            "event stored. `Last-Event-ID` takes precedence."
        ),
    )
    property_id: Values[Id] | None = Field(None, description="Only events of these properties.")
    kind: Values[EventKind] | None = Field(None, description="Only events of these kinds.")
    valid: QueryFlag | None = None
    is_test: QueryFlag | None = None
    environment: Environment | None = Field(None, description=_ENVIRONMENT + " None: both.")
    since: Instant | None = Field(None, description="Only events at or after this time.")
    until: Instant | None = Field(None, description="Only events before this time.")


class EventsQuery(StreamQuery):
    cursor: str | None = Field(
        None,
        description=(
            "`next_cursor` of the previous page, the id of the last event processed, or `earliest`. Default: the "
            "newest events, newest first."
        ),
    )
    limit: Limit = 100


class IvtClass(StrEnum):
    """General (GIVT) or sophisticated (SIVT) invalid traffic; none for other events, valid or not."""

    NONE = "none"
    GIVT = "givt"
    SIVT = "sivt"

    @classmethod
    def from_reason(cls, reason: Reason) -> "IvtClass":
        """The filter detects general invalid traffic only, so no event is classified as sophisticated yet."""
        return cls.NONE if reason.valid or reason in _NO_TRAFFIC_VERDICT else cls.GIVT


_NO_TRAFFIC_VERDICT = frozenset(
    {Reason.CONSENT_DENIED, Reason.CAMPAIGN_ENDED, Reason.CLOCK_SKEW, Reason.RETRACTED}
)
"""Reasons of invalid events that say nothing about the traffic."""


class EventPublic(WireOut):
    id: str = Field(json_schema_extra={"format": "uuid"})
    kind: EventKind
    ts: Timestamp
    ad_id: str
    campaign_id: str
    slot_id: str
    property_id: str
    source: Source
    surface: Surface
    is_test: bool
    valid: bool = Field(description="Whether the event passed the invalid-traffic filter.")
    reason: Reason
    live_reason: Reason | None = Field(
        description=(
            "For a test event: the reason that the traffic filter would have given in live, or the test scenario. "
            "Null for live events, and for events older than this field."
        )
    )
    ivt_class: IvtClass
    value_cents: int | None = Field(
        description="Value of a conversion in cents of `currency`, as reported."
    )
    currency: str | None = Field(
        description="ISO 4217 code of `value_cents`, as reported; null if none was: the property's currency applies."
    )
    order_id: str | None = Field(description="Order id of a conversion, as reported.")
    attribution: str | None = Field(
        description=(
            "How a conversion was attributed to its ad: `click_through` and `view_through` by an earlier event of the "
            "visitor, `in_session` by the ad's own token. New values may be added."
        )
    )
    event_name: str | None = Field(description="Name of a conversion, as reported.")
    corrects: str | None = Field(description="Id of the event that this one retracts.")


class StatusQuery(WireIn):
    property_id: Id | None = Field(
        None, description="Required for signed-in users whose account has several properties."
    )
    environment: Environment | None = Field(None, description=_ENVIRONMENT + " None: `live`.")


class StatusKey(WireOut):
    id: str
    kind: KeyKind
    last4: str


class Counts(WireOut):
    """Valid events of each kind, and all invalid events."""

    impressions: int
    clicks: int
    conversions: int
    invalid: int


class ConversionCounts(WireOut):
    """Valid conversions by attribution, and the conversions that do not count."""

    click_through: int = Field(description="Conversions after a click.")
    view_through: int = Field(description="Conversions after a view, without a click.")
    in_session: int = Field(description="Conversions reported by the page with the ad's own token.")
    waiting: int = Field(description="Conversions waiting for earlier events, for an hour at most.")
    unattributed: int = Field(
        description=(
            "Conversions without a known click or view. Pixel conversions with an unknown click belong to no property "
            "and are not counted anywhere."
        )
    )
    repeated: int = Field(description="Conversions whose order was already counted.")


class SnapshotStatus(WireOut):
    version: int
    age_seconds: float | None = Field(description="Seconds since the last change sent to edges.")


class StatusPublic(WireOut):
    property_id: str
    environment: Environment
    key: StatusKey | None = Field(description="The key of this request; null with an access token.")
    verified: bool
    account_status: AccountState
    last_impression_at: Timestamp | None = Field(
        description="The last valid impression. Events of previews are in no field of this status."
    )
    last_click_at: Timestamp | None
    last_conversion_at: Timestamp | None
    counts_24h: Counts = Field(description="Counts of the current hour and the 23 before it.")
    conversions_24h: ConversionCounts = Field(
        description=(
            "Conversions in the same hours: those that count by the hour they happened, the others by the hour they "
            "were reported."
        )
    )
    fill_rate_24h: float | None = Field(
        description="Share of requests that were filled, 0 to 1; null without requests."
    )
    snapshot: SnapshotStatus
    events_lag_seconds: float | None = Field(
        description="Every event older than this is in the feed; null before the first event."
    )
