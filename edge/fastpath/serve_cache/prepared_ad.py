"""An ad made ready for one slot: whether it may be shown is a few comparisons, and its answer is cast in pieces."""

from typing import Final, final

from common.decision.dynamic_gates import expected_micros
from common.decision.index import Candidate
from common.decision.pacing import PPM, passes_throttle, salt_of_campaign
from common.decision.rules.eligibility import is_spent_by_event
from common.decision.rules.gates import Lookup
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Fill
from common.decision.rules.ranking import SOURCE_OF
from common.decision.rules.share_of_voice import has_share
from common.http.answer import StaticHeaders, split_head
from common.snapshot.snapshot import Snapshot
from common.tracking.token import PAYLOAD_CHARS, TAG_CHARS, TokenTemplate, hmac_state
from common.values.errors import Unavailable
from edge.context import EdgeContext
from edge.fastpath.serve_cache.native_cache import NativeAd
from edge.serving.render.ad import (
    CLICK,
    DECISION,
    IMPRESSION,
    JSON_HEAD,
    PAYLOAD,
    TRACK,
    template_for,
)
from edge.serving.render.issue_token import UNBILLED_SOURCES, token_template_for

SHOWS: Final = 1
DROPS: Final = 2
ASKS: Final = 3
"""What becomes of an ad whose turn it is; the last: more must be known of the call than is here."""

_REQUEST: Final = 0
"""Beside the holes of `edge.serving.render.ad`."""
_LENGTHS: Final = {
    DECISION: 36,
    PAYLOAD: PAYLOAD_CHARS,
    TRACK: TAG_CHARS,
    IMPRESSION: TAG_CHARS,
    CLICK: TAG_CHARS,
}


@final
class PreparedAd:
    """
    ``turn_of_snapshot``: which snapshot's pace, version and secret are in it, by `SnapshotHandle.turns`; `renew` it for
    another.
    """

    def __init__(
        self,
        edge: EdgeContext,
        standing: StaticHeaders,
        snapshot: Snapshot,
        candidate: Candidate,
        opportunity: Opportunity,
    ) -> None:
        """*opportunity*: any one of the slot, the surface and the consent it is made ready for."""
        campaign = candidate.campaign
        self._edge = edge
        self._opportunity = opportunity
        self.fill = Fill(campaign, candidate.ad, SOURCE_OF[campaign.priority], campaign.bid_micros)
        self._campaign_id = campaign.id
        self._is_odd: bool = has_share(campaign) or bool(campaign.frequency_caps)
        self._spends: bool = campaign.budget is not None and is_spent_by_event(campaign)
        self.commits: bool = (
            campaign.budget is not None and self.fill.source not in UNBILLED_SOURCES
        )
        self.expected_micros: int = 0
        self._closed = False
        self._pass_ppm: int = 0
        self._mould: TokenTemplate | None = None
        self._pieces: list[bytes] = []
        self._holes: list[tuple[int, int]] = []
        self._cast(standing, snapshot)
        self.met = NativeAd(
            campaign,
            campaign.id,
            salt_of_campaign(campaign.id),
            self._row(),
            self._cut(),
        )
        """The same, for the doorman."""
        self.turn_of_snapshot: int = 0
        self.renew(snapshot)

    def renew(self, snapshot: Snapshot) -> None:
        """*snapshot*: the current one, which has the same ad, campaign and slot."""
        fill, opportunity = self.fill, self._opportunity
        campaign, pace = fill.campaign, snapshot.paces.get(self._campaign_id)
        self.expected_micros = expected_micros(snapshot, opportunity.slot.id, campaign, fill.ad)
        goal = campaign.goal
        self._closed = goal is not None and pace is not None and pace.counted >= goal.total
        self._pass_ppm = -1 if pace is None else pace.pass_ppm
        try:
            self._mould = token_template_for(self._edge, snapshot, fill, opportunity)
        except Unavailable:
            self._mould = None
        self.turn_of_snapshot = self._edge.snapshots.turns
        self._tell()

    def turn(self, open_micros: Lookup, passes: Lookup, seed: int) -> int:
        """As `common.decision.dynamic_gates` has it. *open_micros*: of the snapshot it was renewed for."""
        if self._is_odd or self._mould is None:
            return ASKS
        if self._closed:
            return DROPS
        if self._spends:
            campaign_id = self._campaign_id
            micros = open_micros.get(campaign_id, 0)
            if micros < self.expected_micros:
                return ASKS if micros < 0 else DROPS
            if not passes_throttle(passes.get(campaign_id, PPM), campaign_id, seed):
                return DROPS
        if self._pass_ppm >= 0 and not passes_throttle(self._pass_ppm, self._campaign_id, seed):
            return DROPS
        return SHOWS

    def answer(self, token_id: bytes, token_name: str, now_ms: int, request_id: str) -> bytes:
        """The whole answer, on a connection that is kept. *token_name*: *token_id* as a UUID is written."""
        assert self._mould is not None  # noqa: S101 - or its turn would not have been
        payload, track, impression, click = self._mould.cast(token_id, now_ms)
        fillings = (
            request_id.encode("ascii"),
            token_name.encode("ascii"),
            payload,
            track,
            impression,
            click,
        )
        pieces = self._pieces.copy()
        for place, hole in self._holes:
            pieces[place] = fillings[hole]
        return b"".join(pieces)

    def _tell(self) -> None:
        """What the native cache is to know of it in this snapshot."""
        mould, turn = self._mould, self.turn_of_snapshot
        if self._is_odd or mould is None:
            self.met.ask(turn)
            return
        self.met.stand(
            turn,
            self._closed,
            self._spends,
            self.commits,
            self.expected_micros,
            self._pass_ppm,
            hmac_state(mould.secret),
            mould.payload(),
        )

    def _row(self) -> tuple[str, ...]:
        """As counted, but for outcome, country and device."""
        asked, ad = self._opportunity, self.fill.ad
        ours = asked.property.id, asked.slot.id, self._campaign_id, ad.id
        return (*ours, asked.surface_of(ad.format), ad.format)

    def _cut(self) -> tuple[bytes | int, ...]:
        pieces: list[bytes | int] = [*self._pieces]
        for place, hole in self._holes:
            pieces[place] = hole
        return tuple(pieces)

    def _cast(self, standing: StaticHeaders, snapshot: Snapshot) -> None:
        form = template_for(snapshot, self.fill, self._opportunity)
        body = form.cast(self._edge.settings.edge_url)
        length = sum([_LENGTHS[one] if isinstance(one, int) else len(one) for one in body])
        before, after = split_head(JSON_HEAD, standing, length)
        for one in (before, _REQUEST, after, *body):
            if isinstance(one, int):
                self._holes.append((len(self._pieces), one))
                self._pieces.append(b"")
            else:
                self._pieces.append(one)
