"""Events and the summary of a property on the wire. Field names are the contract's."""

from enum import StrEnum

from pydantic import Field

from common.contract.models import Timestamp, WireIn, WireOut
from common.values.enums import AccountState, EventKind, Reason, Source, Surface
from common.values.environment import Environment
from common.values.keys import KeyKind
from control.foundation.wire_types import Id, Instant, Limit

_ENVIRONMENT = "A key brings its own; a signed-in user may name one."


class StreamQuery(WireIn):
    cursor: str | None = Field(
        None,
        description=(
            "A place of the feed: `next_cursor` of a page, the id of an event, or `earliest`. "
            "Without one: what becomes visible from now on. `Last-Event-ID` goes before it."
        ),
    )
    property_id: Id | None = None
    kind: EventKind | None = None
    valid: bool | None = None
    is_test: bool | None = None
    environment: Environment | None = Field(None, description=_ENVIRONMENT + " None: both.")
    since: Instant | None = Field(None, description="Events at or after this instant.")
    until: Instant | None = Field(None, description="Events before this instant.")


class EventsQuery(StreamQuery):
    cursor: str | None = Field(
        None,
        description=(
            "`next_cursor` of the page before, the id of the last event processed, or `earliest`. "
            "Without one: the newest events, newest first."
        ),
    )
    limit: Limit = 100


class IvtClass(StrEnum):
    """General or sophisticated invalid traffic, or none: valid, or refused for another cause."""

    NONE = "none"
    GIVT = "givt"
    SIVT = "sivt"


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
            "Of a test event: what the invalid-traffic filter would have said of a live one, or the scenario that it "
            "was sent with. Null: a live event, or one from before this was kept."
        )
    )
    ivt_class: IvtClass
    value_cents: int | None = Field(
        description="Of a conversion, as it was reported, in `currency`."
    )
    currency: str | None = Field(
        description="ISO 4217, of `value_cents` as it was reported; null where none was: then the property's."
    )
    order_id: str | None = Field(description="Of a conversion, as it was reported.")
    attribution: str | None = Field(
        description=(
            "How a conversion was tied to its ad: `click_through` and `view_through` by what the reader did before, "
            "`in_session` by the ad's own token. New ways may be added."
        )
    )
    event_name: str | None = Field(description="Of a conversion, as it was reported.")
    corrects: str | None = Field(description="The event that this one takes back.")


class StatusQuery(WireIn):
    property_id: Id | None = Field(
        None, description="Required of a signed-in user whose account has several."
    )
    environment: Environment | None = Field(None, description=_ENVIRONMENT + " None: `live`.")


class StatusKey(WireOut):
    id: str
    kind: KeyKind
    last4: str


class Counts(WireOut):
    """Valid events of each kind, and the invalid ones of all kinds."""

    impressions: int
    clicks: int
    conversions: int
    invalid: int


class ConversionCounts(WireOut):
    """Valid conversions by how they were tied to their ads, and those that were told of and count for none."""

    click_through: int = Field(description="After a click.")
    view_through: int = Field(description="After a view, where there was no click.")
    in_session: int = Field(description="Told by a page with the ad's own token.")
    waiting: int = Field(description="For what they belong to, an hour at most.")
    unattributed: int = Field(
        description="They belong to nothing that is known. Conversions by a pixel whose click is unknown belong to no "
        "property, and are counted nowhere."
    )
    repeated: int = Field(description="Their order had counted before.")


class SnapshotStatus(WireOut):
    version: int
    age_seconds: float | None = Field(description="Since the last change that edges were told of.")


class StatusPublic(WireOut):
    property_id: str
    environment: Environment
    key: StatusKey | None = Field(description="The key in use; null with an access token.")
    verified: bool
    account_status: AccountState
    last_impression_at: Timestamp | None
    last_click_at: Timestamp | None
    last_conversion_at: Timestamp | None
    counts_24h: Counts = Field(description="Of the running hour and the 23 before it.")
    conversions_24h: ConversionCounts = Field(
        description="Of the same hours. Those that count are in the hour they happened in, the others in the hour "
        "they were told of."
    )
    fill_rate_24h: float | None = Field(description="Null where nothing was asked for.")
    snapshot: SnapshotStatus
    events_lag_seconds: float | None = Field(
        description="Every event older than this is in the feed; null before the first was."
    )
