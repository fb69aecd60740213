"""Data for bench-ingest: a publisher with campaigns, and the records that edges would have written for its readers."""

import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlalchemy import text

from common.tracking.event import EventRecord, LogRecord, RequestFacts, WriterId
from common.values.enums import EventKind, Format, PricingModel, Reason, Source, Surface
from common.values.ids import new_id
from control.storage.database import Database

_PROPERTIES, _SLOTS, _CAMPAIGNS = 4, 5, 200
_CLIENTS = 20_000
_WRITERS = 8
_ROWS_AT_ONCE = 2_000
_CLICK_SHARE, _INVALID_SHARE = 0.03, 0.04
_EVENTS_A_MS = 5
_A_SNAPSHOT_MS = 50

_ACCOUNT = text(
    "insert into accounts (id, name, currency, state, stopped, billing_mode, is_operator, review_required, "
    "require_second_factor, version, created_at, updated_at) values "
    "(:account, 'Bench', 'EUR', 'active', false, 'invoiced', false, false, false, 1, now(), now())"
)
_PROPERTY = text(
    "insert into properties (id, account_id, name, kind, domain, status, verification, allowed_origins, "
    "excluded_ip_ranges, timezone, consent_policy, token_ttl_seconds, rate_limits, blocked_categories, "
    "blocked_ad_ids, payout, version, created_at, updated_at) values (:id, :account, 'P', 'web', "
    "'site.example', 'verified', '{}', '[]', '[]', 'UTC', 'require', 600, '{}', '[]', '[]', '{}', 1, now(), now())"
)
_CAMPAIGNS_OF = text(
    "insert into campaigns (id, account_id, environment, property_ids, name, objective, pricing_model, bid_cents, "
    "pacing, priority, timezone, budget_total_cents, budget_daily_cents, frequency_caps, targeting, attribution, "
    "status, metadata_, version, created_at, updated_at) select n.id, :account, 'live', cast('[]' as jsonb), 'C', "
    "'traffic', 'cpm', 100, 'even', 'auction', 'Europe/Lisbon', 100000000, "
    "case when right(n.id, 1) < '8' then null else 10000000 end, '[]', '{}', '{}', 'active', "
    "'{}', 1, now(), now() from unnest(cast(:ids as varchar[])) as n(id)"
)


@dataclass
class IngestWorld:
    """Budgets are never used up: every valid event is charged. Every other campaign has a daily budget, too."""

    account_id: str = field(default_factory=new_id)
    properties: list[str] = field(default_factory=lambda: _ids(_PROPERTIES))
    slots: list[str] = field(default_factory=lambda: _ids(_PROPERTIES * _SLOTS))
    campaigns: list[str] = field(default_factory=lambda: _ids(_CAMPAIGNS))
    ads: list[str] = field(default_factory=lambda: _ids(_CAMPAIGNS))

    async def open(self, database: Database) -> None:
        async with database.service() as session:
            await session.execute(_ACCOUNT, {"account": self.account_id})
            for one in self.properties:
                await session.execute(_PROPERTY, {"id": one, "account": self.account_id})
        for first in range(0, len(self.campaigns), _ROWS_AT_ONCE):
            some = self.campaigns[first : first + _ROWS_AT_ONCE]
            async with database.service() as session:
                await session.execute(_CAMPAIGNS_OF, {"ids": some, "account": self.account_id})

    def records(self, count: int, now_ms: int, seed: int) -> Iterator[LogRecord]:
        """
        Records with distinct tokens of many clients, the last at *now_ms*; the same arguments give
        the same mixture.
        """
        rng = random.Random(seed)
        writers = [WriterId("edge-1", uuid.uuid4().hex) for _ in range(_WRITERS)]
        clients = [f"{rng.getrandbits(64):016x}" for _ in range(_CLIENTS)]
        for number in range(count):
            client = rng.choice(clients)
            at_ms = now_ms - (count - number) // _EVENTS_A_MS
            yield LogRecord(
                writers[number % _WRITERS],
                number // _WRITERS + 1,
                bytes.fromhex(client),
                self._event(rng, client, at_ms),
            )

    def _event(self, rng: random.Random, client: str, at_ms: int) -> EventRecord:
        slot = rng.randrange(len(self.slots))
        campaign = min(int(rng.expovariate(0.03)), _CAMPAIGNS - 1)
        clicked = rng.random() < _CLICK_SHARE
        is_robot = rng.random() < _INVALID_SHARE
        return EventRecord(
            kind=EventKind.CLICK if clicked else EventKind.IMPRESSION,
            token_id=uuid.UUID(new_id()),
            issued_ms=at_ms - 2_000,
            at_ms=at_ms,
            property_id=uuid.UUID(self.properties[slot // _SLOTS]),
            slot_id=uuid.UUID(self.slots[slot]),
            ad_id=uuid.UUID(self.ads[campaign]),
            campaign_id=uuid.UUID(self.campaigns[campaign]),
            is_test=False,
            consent_limited=False,
            preview=False,
            source=Source.AUCTION,
            surface=Surface.WEB,
            format=Format.BANNER,
            pricing_model=PricingModel.CPM,
            price_micros=1_000,
            snapshot_version=at_ms // _A_SNAPSHOT_MS,
            facts=RequestFacts(
                f"203.0.{rng.randrange(256)}.0/24",
                *("Firefox", "140", "https://site.example", "https://site.example", client),
                prefetch=False,
            ),
            reason=Reason.BOT_USER_AGENT if is_robot else Reason.OK,
            judge_version=1,
            value_cents=None,
            currency=None,
            order_id=None,
        )


def _ids(count: int) -> list[str]:
    return [new_id() for _ in range(count)]
