"""Recent ad requests of a property's slots, and why nothing was shown, so that a new user sees what is missing."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import text

from common.decision.no_fill_messages import WORDS, ReasonText
from common.decision.rules.outcome import NoFillReason
from common.values.enums import Reason
from common.values.environment import Environment
from control.dashboard.events import reasons
from control.dashboard.page_request import PageRequest

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


@dataclass(frozen=True, slots=True)
class SlotRequest:
    """
    Ad requests of a day, those that got an ad, and the most frequent reason of the others.

    ``not_counted``: why most of the uncounted impressions do not count.
    """

    requests: int
    fills: int
    why: ReasonText | None
    not_counted: reasons.Words | None


async def asked_for(view: PageRequest, property_id: str) -> SlotRequest:
    environment = view.environment or Environment.LIVE
    asked = {
        "property": property_id,
        "is_test": environment.is_test,
        "since": view.now - _SINCE,
    }
    async with view.control.database.tenant(view.caller.account_id) as session:
        counts = {row[0]: int(row[1]) for row in await session.execute(_OUTCOMES, asked)}
        refused: str | None = await session.scalar(_NOT_COUNTED, asked)
    first = next((outcome for outcome in counts if outcome != _FILL), None)
    return SlotRequest(
        requests=sum(counts.values()),
        fills=counts.get(_FILL, 0),
        why=_words_of(first),
        not_counted=None if refused is None else reasons.REASONS[Reason(refused)],
    )


def _words_of(outcome: str | None) -> ReasonText | None:
    return WORDS[NoFillReason(outcome)] if outcome in set(NoFillReason) else None
