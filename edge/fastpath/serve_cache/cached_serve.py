"""
Usual calls answered from memory: of a reader, an address and a page met before, a call costs a few look-ups.

What is here follows from what `edge.serving.serve_flow` does with the same call, and whatever is not usual goes there:
a uid or a counter of one's own, a secret key, several slots, a candidate with a cap or a share of voice, no fill.
"""

import sys
from collections.abc import Callable
from typing import Final, final

from common.http.answer import StandingHeaders
from common.http.chosen_id import chosen_id
from common.snapshot.snapshot import Snapshot
from common.values.clock import SystemClock
from common.values.ids import new_id_at
from edge.admission.keys import Admission, Door, count_call, refuse
from edge.context import EdgeContext
from edge.fastpath.serve_cache.consent_key import find_apart
from edge.fastpath.serve_cache.entries import Stretch
from edge.fastpath.serve_cache.head_parts import Split, split_head
from edge.fastpath.serve_cache.native_cache import A_READER, AN_AD, FURTHER, NOTHING, Doorman
from edge.fastpath.serve_cache.prepared_ad import ReadyAd
from edge.fastpath.serve_cache.request_caches import MOST_STRETCHES, Acquaintances, Known

_FILL: Final = "fill"
_MOST_TOLD: Final = 64
"""Things the doorman is told in one call: the first ones on a slot bring runs of ads, one by one."""

FindMet = Callable[[bytes, int, int, str], bytes | None]
"""Of a head's bytes, from where to where in them, and the peer's address."""


@final
class UsualCalls:
    """One live edge's. Belongs to one event loop."""

    def __init__(self, edge: EdgeContext, standing: StandingHeaders) -> None:
        self._edge = edge
        self._met = Acquaintances(edge, standing)
        self._behind_proxies: bool = edge.settings.proxies_count > 0
        self._doorman = Doorman(edge, refuse, SystemClock, new_id_at, self._behind_proxies)
        self.find_met: FindMet = self._doorman.answer
        """`find_answer` of whom the doorman knows."""

    def find_answer(self, data: bytes, start: int, end: int, peer: str) -> bytes | None:
        """
        *data* from *start* to *end*: a head without its empty line, begins with `split.START`. None, with nothing
        changed, where the call is not for here. Raises `Refused` where it is one call too many.
        """
        answer = self.find_met(data, start, end, peer)
        return self.find_unmet(data, start, end, peer) if answer is None else answer

    def find_unmet(self, data: bytes, start: int, end: int, peer: str) -> bytes | None:
        """The same, right after the doorman did not know the call."""
        split = split_head(data, start, end)
        snapshot = self._edge.snapshots.find_current()
        if split is None or snapshot is None:
            return None
        now_ms: int = self._edge.clock.now_ms()
        known = self._meet(data[start:end], peer, split, snapshot, now_ms)
        if known is None:
            return None
        page = known[2]
        answer = self._ask_again(known, data[start:end], peer, split, snapshot)
        if answer is None:
            ad = self._choose(snapshot, known, now_ms)
            if ad is None:
                page.note_in_vain()
                return None
            answer = self._show(snapshot, known, ad, now_ms, split[3])
        page.in_vain = 0
        return answer

    def _meet(
        self, head: bytes, peer: str, split: Split, snapshot: Snapshot, now_ms: int
    ) -> Known | None:
        """None where the call is not usual, or its page rests."""
        met = self._met
        page_text, reader_text, forwarded_for, _ = split
        if not self._behind_proxies:
            forwarded_for = b""
        reader = met.find_reader(reader_text, snapshot, now_ms)
        if reader is None:
            reader = met.learn_reader(head, peer, split, snapshot)
            if reader is None:
                return None
        page = met.find_page(reader, page_text)
        if page is None:
            page = met.learn_page(reader, page_text, peer, forwarded_for, snapshot)
            if page is None:
                return None
        if page.rests > 0:
            page.rests -= 1
            return None
        return reader, met.get_source(peer, forwarded_for), page

    def _ask_again(
        self, known: Known, head: bytes, peer: str, split: Split, snapshot: Snapshot
    ) -> bytes | None:
        """The doorman's answer, as soon as it is told what it lacked; None where that is not known here."""
        doorman, length, now_ms = self._doorman, len(head), self._edge.clock.now_ms()
        if known[2].languages or find_apart(split[0]) is not None:
            return None
        told = NOTHING, 0
        for _ in range(_MOST_TOLD):
            lacked = doorman.lacks, doorman.at
            if (lacked == told and lacked[0] != AN_AD) or not self._tell(
                known, split, peer, snapshot, now_ms
            ):
                return None
            told = lacked
            answer = doorman.answer(head, 0, length, peer)
            if answer is not None:
                return answer
        return None

    def _choose(self, snapshot: Snapshot, known: Known, now_ms: int) -> ReadyAd | None:
        """Pure, but for what is remembered."""
        edge = self._edge
        if edge.spool.nearly_full or edge.snapshots.age_s(now_ms) > edge.settings.dead_after_s:
            return None
        seed = edge.peek_seed()
        if edge.decisions.wants(seed, debug=False):
            return None
        budgets = edge.budgets
        open_micros = budgets.open_micros(snapshot, now_ms)
        for number in range(MOST_STRETCHES):
            stretch = self._met.find_stretch(known, snapshot, now_ms, number)
            if stretch is None:
                return None
            line, left = stretch.line, self._met.left_on(stretch.line, known, snapshot)
            fits = stretch.left & left
            ad = line.choose(fits, snapshot, open_micros, budgets.passes, seed)
            if ad is not None or not line.is_past:
                return ad
        return None

    def _tell(self, known: Known, split: Split, peer: str, snapshot: Snapshot, now_ms: int) -> bool:
        """What the doorman lacked to answer the same call; False where it cannot be told."""
        doorman, lacks = self._doorman, self._doorman.lacks
        if not A_READER <= lacks <= FURTHER:
            return False
        number = doorman.at if lacks >= AN_AD else 0
        stretch = self._met.find_stretch(known, snapshot, now_ms, number)
        if stretch is None:
            return False
        if lacks == AN_AD:
            open_micros = self._edge.budgets.open_micros(snapshot, now_ms)
            return stretch.line.tell(snapshot, open_micros)
        left = stretch.line.bits(self._met.left_on(stretch.line, known, snapshot))
        if number == 0:
            self._tell_parts(known, split, peer, stretch, left)
        else:
            reader, source = known[0], known[1]
            on_page = stretch.line.bits(stretch.left)
            kinds = reader.kind, source.kind
            doorman.keep_further(reader.group, split[0], stretch.line.met, on_page, *kinds, left)
        return True

    def _tell_parts(
        self, known: Known, split: Split, peer: str, stretch: Stretch, left: bytes
    ) -> None:
        """*left*: by reader and source."""
        reader, source, _ = known
        doorman, line = self._doorman, stretch.line
        device, client = reader.caller.device.type, source.client
        doorman.keep_reader(split[1], reader.site.met, device, reader.group, reader.kind)
        said = split[2] if self._behind_proxies else b""
        country = _interned(source.place.country)
        doorman.keep_source(peer, said, client.network, country, source.kind, source.edition)
        doorman.keep_page(reader.group, split[0], line.met, line.bits(stretch.left))
        doorman.keep_left(line.met, reader.kind, source.kind, left)

    def _show(
        self, snapshot: Snapshot, known: Known, ad: ReadyAd, now_ms: int, request_id: bytes | None
    ) -> bytes:
        """Everything that an answer changes, and the answer."""
        reader, source, page = known
        edge, fill, site = self._edge, ad.fill, reader.site
        admission = Admission(snapshot, site.key, site.property, source.client, key_in_url=False)
        count_call(edge, Door.SERVE, admission, now_ms)
        edge.take_seed()
        if ad.commits:
            edge.budgets.commit(snapshot, fill.campaign, ad.expected_micros, now_ms)
        token_id = edge.new_token_id(now_ms)
        opportunity = page.opportunity
        edge.counters.count(
            opportunity.property.id,
            opportunity.slot.id,
            fill.campaign.id,
            fill.ad.id,
            _FILL,
            source.place.country,
            reader.caller.device.type,
            opportunity.surface_of(fill.ad.format),
            fill.ad.format,
        )
        edge.metrics.count_decision(_FILL)
        edge.metrics.answered_at_once += 1
        given = None if request_id is None else request_id.decode("ascii")
        return ad.answer(token_id.bytes, str(token_id), now_ms, chosen_id(given))


def _interned(text: str | None) -> str | None:
    return None if text is None else sys.intern(text)
