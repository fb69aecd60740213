"""
An account's progress to its first impression, and why its slots show nothing yet. Nothing of it is stored.

Every overview shows it, so it is read in a few statements instead of six lists of the API. The API's reports have no
reasons of requests.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import text

from common.decision.no_fill_messages import MESSAGES, ReasonText
from common.decision.rules.outcome import NoFillReason
from common.values.clock import to_iso
from common.values.enums import Reason
from common.values.environment import Environment
from control.dashboard.events import reasons
from control.dashboard.page_request import PageRequest


class OnboardingStep(StrEnum):
    """In the order they are taken. The last needs no action: it is the goal of the others."""

    PROPERTY = "property"
    VERIFICATION = "verification"
    SLOT = "slot"
    KEY = "key"
    CAMPAIGN = "campaign"
    IMPRESSION = "impression"


@dataclass(frozen=True, slots=True)
class Progress:
    """
    The progress of the most advanced property.

    ``campaign_id``: one of the environment that runs and has an ad, the sample last, else the newest.
    ``first_seen_at``: an instant in the hour of the first valid impression, as the API writes times. ``sample_id``: the
    sample campaign that is not archived. ``trial_id``: for live, the newest running TEST campaign with an ad, samples
    excepted.
    """

    environment: Environment
    done: frozenset[OnboardingStep]
    property_id: str | None
    slot_id: str | None
    key_id: str | None
    campaign_id: str | None
    sample_id: str | None
    trial_id: str | None
    first_seen_at: str | None

    @property
    def current(self) -> OnboardingStep | None:
        """The first step that is not done; None after the first impression."""
        return next((step for step in OnboardingStep if step not in self.done), None)

    @property
    def is_finished(self) -> bool:
        """An impression was counted: the account needs no further guidance, even if other steps are open."""
        return OnboardingStep.IMPRESSION in self.done


SAMPLE = "placard-sample-"
"""Start of the external references of sample campaigns."""
_FACTS = text("""
with site as (
    select id, status from properties where account_id = :account
    order by (status = 'verified') desc, id limit 1
)
select site.id, site.status,
    (select id from slots where property_id = site.id and status = 'active' order by id limit 1),
    (select id from keys where property_id = site.id and environment = :environment and kind = 'publishable'
        and revoked_at is null and (expires_at is null or expires_at > :now) order by id limit 1)
from (values (1)) as one left join site on true
""")
_CAMPAIGN = text("""
select coalesce(
    (select c.id from campaigns c where c.account_id = :account and c.environment = :environment
        and c.status = any(:running)
        and exists (select 1 from ads where ads.campaign_id = c.id and ads.status = 'active')
        order by starts_with(coalesce(c.external_ref, ''), :sample), c.id limit 1),
    ''), (
    select id from campaigns where account_id = :account and environment = :environment
        and status not in ('archived', 'rejected') order by id desc limit 1), (
    select id from campaigns where account_id = :account and environment = :environment
        and status <> 'archived' and starts_with(external_ref, :sample) order by id desc limit 1), (
    select c.id from campaigns c where c.account_id = :account and c.environment = 'test' and not :is_test
        and c.status = any(:running) and not starts_with(coalesce(c.external_ref, ''), :sample)
        and exists (select 1 from ads where ads.campaign_id = c.id and ads.status = 'active')
        order by c.id desc limit 1)
""")
_SEEN = text("""
select min(first.last_at) from properties p cross join lateral (
    select h.last_at from event_hourly h where h.property_id = cast(p.id as uuid) and h.is_test = :is_test
        and h.kind = 'impression' and h.reason like 'ok%' order by h.hour limit 1
) first where p.account_id = :account
""")
_SINCE = timedelta(hours=24)
_FILL = "fill"
_OUTCOMES = text("""
select outcome, sum(count) from serve_hourly
where property_id = cast(:property as uuid) and is_test = :is_test and hour > :since
group by outcome order by 2 desc, 1
""")
_NOT_COUNTED = text("""
select reason from event_hourly
where property_id = cast(:property as uuid) and is_test = :is_test and hour > :since and kind = 'impression'
    and reason not like 'ok%'
group by reason order by sum(count) desc, reason limit 1
""")
_RUNNING = ["active", "completed"]
_NEEDS = ("listProperties", "listSlots", "listCampaigns")


async def progress_of(view: PageRequest, environment: Environment | None = None) -> Progress | None:
    """None for a user who may not see the objects of the steps. *environment*: None for that of the page."""
    if not all(view.can(name) for name in _NEEDS):
        return None
    environment = environment or view.environment or Environment.LIVE
    query = {
        "account": view.caller.account_id,
        "environment": environment.value,
        "is_test": environment.is_test,
        "now": view.now,
        "running": _RUNNING,
        "sample": SAMPLE,
    }
    async with view.control.database.tenant(view.caller.account_id) as session:
        site = (await session.execute(_FACTS, query)).one()
        running_id, newest_id, sample_id, trial_id = (await session.execute(_CAMPAIGN, query)).one()
        seen_at: datetime | None = (await session.execute(_SEEN, query)).scalar()
    property_id, status, slot_id, key_id = site
    holds = {
        OnboardingStep.PROPERTY: property_id is not None,
        OnboardingStep.VERIFICATION: status == "verified"
        or (environment.is_test and property_id is not None),
        OnboardingStep.SLOT: slot_id is not None,
        OnboardingStep.KEY: key_id is not None,
        OnboardingStep.CAMPAIGN: bool(running_id),
        OnboardingStep.IMPRESSION: seen_at is not None,
    }
    return Progress(
        environment=environment,
        done=frozenset(step for step, is_done in holds.items() if is_done),
        property_id=property_id,
        slot_id=slot_id,
        key_id=key_id,
        campaign_id=running_id or newest_id,
        sample_id=sample_id,
        trial_id=trial_id,
        first_seen_at=None if seen_at is None else to_iso(seen_at),
    )


@dataclass(frozen=True, slots=True)
class SlotRequests:
    """
    Ad requests, those that got an ad, and the most frequent reason (``why``) of the others.

    ``not_counted``: why most of the uncounted impressions do not count.
    """

    requests: int
    fills: int
    why: ReasonText | None
    not_counted: reasons.ReasonMessage | None


async def read_slot_requests(view: PageRequest, property_id: str) -> SlotRequests:
    """Of the property's slots in the last 24 hours, in the view's environment."""
    environment = view.environment or Environment.LIVE
    query = {
        "property": property_id,
        "is_test": environment.is_test,
        "since": view.now - _SINCE,
    }
    async with view.control.database.tenant(view.caller.account_id) as session:
        counts = {row[0]: int(row[1]) for row in await session.execute(_OUTCOMES, query)}
        refused: str | None = await session.scalar(_NOT_COUNTED, query)
    first = next((outcome for outcome in counts if outcome != _FILL), None)
    return SlotRequests(
        requests=sum(counts.values()),
        fills=counts.get(_FILL, 0),
        why=_words_of(first),
        not_counted=None if refused is None else reasons.REASONS[Reason(refused)],
    )


def _words_of(outcome: str | None) -> ReasonText | None:
    return MESSAGES[NoFillReason(outcome)] if outcome in set(NoFillReason) else None
