"""
The slots of a serve request: found by their names, and answered together where there are several.

Each slot is answered as it would be alone, in the requested order. All share one seed, so random draws have the same
result in every slot.
"""

from collections import Counter
from collections.abc import Callable, Sequence

import orjson

from common.decision.frequency import cap_keys
from common.decision.named_slot import find_slot
from common.decision.rules.gates import Lookup
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Decision, Fill
from common.http.answer import RawResponse, response_head
from common.http.responses import JSON
from common.snapshot.model import Property, Slot
from common.snapshot.snapshot import Snapshot
from common.values.enums import EventKind, Source
from common.values.errors import Detail, ErrorCode, Refused
from common.values.messages import Message

_MAX_CHARS = 64
_HEAD = response_head({"Cache-Control": "no-store", "content-type": JSON})
_COPIED_HEADERS = (("reason", "X-No-Fill-Reason"), ("decision_id", "X-Decision-Id"))
"""Headers that a no fill has where it is the only slot."""

RequestedSlots = Sequence[tuple[str, Slot]]
"""Pairs of a slot's name in the request and the slot."""
AnswerOne = Callable[[Opportunity], tuple[Decision, RawResponse]]


class CombinedCapCounts:
    """A `Lookup` that adds the ads already chosen for other slots of this request to *counts*."""

    def __init__(self, counts: Lookup) -> None:
        self._counts = counts
        self._shown = Counter[str]()

    def get(self, name: str, default: int, /) -> int:
        return self._counts.get(name, default) + self._shown[name]

    def add(self, fill: Fill) -> None:
        self._shown.update(cap_keys(fill.campaign, fill.ad, EventKind.IMPRESSION))


def get_slot(snapshot: Snapshot, prop: Property, text: str, param: str = "slot") -> Slot:
    """*text*: the slot's id or key, of the field *param*. Raises `Refused` where the property has no such slot."""
    slot = find_slot(snapshot, prop, text)
    if slot is None:
        named = Message("There is no slot `{slot}` on this property.", slot=text[:_MAX_CHARS])
        raise Refused(
            ErrorCode.SLOT_NOT_FOUND,
            Message(
                "This property has no such slot. Send the key or id of one of its slots as {param}.",
                param=param,
            ),
            param=param,
            details=(Detail(param, ErrorCode.SLOT_NOT_FOUND, named),),
        )
    return slot


def answer_many(
    opportunity: Opportunity, slots: RequestedSlots, answer_one: AnswerOne
) -> RawResponse:
    """
    *opportunity*: the opportunity of any of *slots*.

    No advertiser is shown twice, with two exceptions. The first sponsorship that fills a slot makes the request its
    roadblock, and that campaign may repeat. A slot's own house ad may repeat, because nothing else was left to show.
    """
    items: list[bytes] = []
    shown: frozenset[str] = frozenset()
    roadblock_id: str | None = None
    for text, slot in slots:
        decision, response = answer_one(
            opportunity.in_slot(slot, shown_advertisers=shown, roadblock_id=roadblock_id)
        )
        items.append(_item(text, response))
        if isinstance(decision, Fill):
            if decision.ad.advertiser_domain is not None:
                shown |= {decision.ad.advertiser_domain}
            if roadblock_id is None and decision.source is Source.SPONSORSHIP:
                roadblock_id = decision.campaign.id
    return RawResponse(_HEAD, b'{"data":[%b]}' % b",".join(items))


def _item(text: str, response: RawResponse) -> bytes:
    """The slot's name, its status, and the fields of the *response* that it would get alone."""
    name = orjson.dumps(text)
    if response.body:
        return b'{"slot":%b,"status":"filled",%b' % (name, response.body[1:])
    copied = {
        name: response.headers[header]
        for name, header in _COPIED_HEADERS
        if header in response.headers
    }
    more = b"," + orjson.dumps(copied)[1:] if copied else b"}"
    return b'{"slot":%b,"status":"no_fill"%b' % (name, more)
