"""
Several slots in one ``GET /v1/serve``: ``slot`` repeated, a comma-separated list, or both.

Each slot is answered as it would be alone, in the requested order. All share one seed, so random draws have the same
result in every slot.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from urllib.parse import unquote_plus

import orjson

from common.decision.frequency import cap_keys
from common.decision.rules.gates import Lookup
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Decision, Fill
from common.http.answer import RawResponse, response_head
from common.http.responses import JSON
from common.snapshot.model import Slot
from common.values.enums import EventKind, Source
from common.values.errors import Detail
from common.values.messages import Message
from edge.serving.serve_query import slots_of

MAX_SLOTS = 10
_HEAD = response_head({"Cache-Control": "no-store", "content-type": JSON})
_TOLD = (("reason", "X-No-Fill-Reason"), ("decision_id", "X-Decision-Id"))
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


def find_slot_texts(query_string: str) -> tuple[str, ...]:
    """Returns the requested slots where there is more than one, else an empty tuple."""
    may_be_list = "," in query_string or "%2" in query_string
    if not may_be_list and query_string.count("slot=") <= 1:
        return ()
    found: list[str] = []
    for part in query_string.split("&"):
        name, _, value = part.partition("=")
        if value and unquote_plus(name) == "slot":
            found += slots_of(unquote_plus(value))
    return tuple(found) if len(found) > 1 else ()


def multi_slot_errors(
    texts: Sequence[str], *, output: str, preview: str | None
) -> Sequence[Detail]:
    """Faults of a request that combines several slots with what only one slot allows."""
    faults = []
    if len(texts) > MAX_SLOTS:
        faults.append(
            Detail(
                "slot",
                "too_many",
                Message(
                    "A request may name at most {max_slots} slots. Send several requests.",
                    max_slots=MAX_SLOTS,
                ),
            )
        )
    if output != "json":
        faults.append(
            Detail(
                "output",
                "one_slot_only",
                Message(
                    "output={output} works with one slot only. Send one request for each slot.",
                    output=output,
                ),
            )
        )
    if preview is not None:
        faults.append(
            Detail(
                "preview_ad",
                "one_slot_only",
                Message("preview_ad works with one slot only. Send one request for each slot."),
            )
        )
    return faults


def answer_many(asked: Opportunity, slots: RequestedSlots, answer_one: AnswerOne) -> RawResponse:
    """
    *asked*: the opportunity of any of *slots*.

    No advertiser is shown twice, with two exceptions. The first sponsorship that fills a slot makes the request its
    roadblock, and that campaign may repeat. A slot's own house ad may repeat, because nothing else was left to show.
    """
    items: list[bytes] = []
    shown: frozenset[str] = frozenset()
    roadblock_id: str | None = None
    for text, slot in slots:
        decision, response = answer_one(
            asked.in_slot(slot, shown_advertisers=shown, roadblock_id=roadblock_id)
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
    told = {name: response.headers[header] for name, header in _TOLD if header in response.headers}
    more = b"," + orjson.dumps(told)[1:] if told else b"}"
    return b'{"slot":%b,"status":"no_fill"%b' % (name, more)
