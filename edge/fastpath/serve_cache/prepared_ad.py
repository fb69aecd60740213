"""An ad prepared for one slot: a few comparisons decide whether it is shown, and its response is a template."""

from typing import Final, final

from common.decision.dynamic_gates import PPM, expected_micros, passes_throttle, salt_of_campaign
from common.decision.index import Candidate
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

FILL: Final = 1
SKIP: Final = 2
FALL_BACK: Final = 3
"""Outcomes of evaluating an ad. `FALL_BACK`: the slow path must decide."""

_REQUEST: Final = 0
"""Placeholder of the request id, beside those of `edge.serving.render.ad`."""
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
    An ad prepared for one slot.

    ``generation``: the snapshot whose pace, version and secret it holds, by `SnapshotHandle.generation`. `rebase`
    moves it to another.
    """

    def __init__(
        self,
        edge: EdgeContext,
        static_headers: StaticHeaders,
        snapshot: Snapshot,
        candidate: Candidate,
        opportunity: Opportunity,
    ) -> None:
        """*opportunity*: any one with the slot, surface and consent that the ad is prepared for."""
        campaign = candidate.campaign
        self._edge = edge
        self._opportunity = opportunity
        self.fill = Fill(campaign, candidate.ad, SOURCE_OF[campaign.priority], campaign.bid_micros)
        self._campaign_id = campaign.id
        self._is_uncacheable: bool = has_share(campaign) or bool(campaign.frequency_caps)
        self._spends: bool = campaign.budget is not None and is_spent_by_event(campaign)
        self.commits: bool = (
            campaign.budget is not None and self.fill.source not in UNBILLED_SOURCES
        )
        self.expected_micros: int = 0
        self._closed = False
        self._pass_ppm: int = 0
        self._template: TokenTemplate | None = None
        self._parts: list[bytes] = []
        self._placeholders: list[tuple[int, int]] = []
        self._read_template(static_headers, snapshot)
        self.native = NativeAd(
            campaign,
            campaign.id,
            salt_of_campaign(campaign.id),
            self._row(),
            self._native_parts(),
        )
        """Its counterpart in the native cache."""
        self.generation: int = 0
        self.rebase(snapshot)

    def rebase(self, snapshot: Snapshot) -> None:
        """*snapshot*: the current one; ad, campaign and slot are unchanged in it."""
        fill, opportunity = self.fill, self._opportunity
        campaign, pace = fill.campaign, snapshot.paces.get(self._campaign_id)
        self.expected_micros = expected_micros(snapshot, opportunity.slot.id, campaign, fill.ad)
        goal = campaign.goal
        self._closed = goal is not None and pace is not None and pace.counted >= goal.total
        self._pass_ppm = -1 if pace is None else pace.pass_ppm
        try:
            self._template = token_template_for(self._edge, snapshot, fill, opportunity)
        except Unavailable:
            self._template = None
        self.generation = self._edge.snapshots.generation
        self._update_native()

    def outcome(self, available_micros: Lookup, pass_rates: Lookup, seed: int) -> int:
        """As `common.decision.dynamic_gates` decides. *available_micros*: of the snapshot of the last `rebase`."""
        if self._is_uncacheable or self._template is None:
            return FALL_BACK
        if self._closed:
            return SKIP
        if self._spends:
            campaign_id = self._campaign_id
            micros = available_micros.get(campaign_id, 0)
            if micros < self.expected_micros:
                return FALL_BACK if micros < 0 else SKIP
            if not passes_throttle(pass_rates.get(campaign_id, PPM), campaign_id, seed):
                return SKIP
        if self._pass_ppm >= 0 and not passes_throttle(self._pass_ppm, self._campaign_id, seed):
            return SKIP
        return FILL

    def render(self, token_id: bytes, token_name: str, now_ms: int, request_id: str) -> bytes:
        """The whole HTTP response, for a connection that stays open. *token_name*: *token_id* as UUID text."""
        assert self._template is not None  # noqa: S101 - it was evaluated as FILL
        payload, track, impression, click = self._template.sign_parts(token_id, now_ms)
        values = (
            request_id.encode("ascii"),
            token_name.encode("ascii"),
            payload,
            track,
            impression,
            click,
        )
        parts = self._parts.copy()
        for place, placeholder in self._placeholders:
            parts[place] = values[placeholder]
        return b"".join(parts)

    def _update_native(self) -> None:
        """Copies the ad's state in this snapshot to the native cache."""
        template, generation = self._template, self.generation
        if self._is_uncacheable or template is None:
            self.native.fall_back(generation)
            return
        self.native.update(
            generation,
            self._closed,
            self._spends,
            self.commits,
            self.expected_micros,
            self._pass_ppm,
            hmac_state(template.secret),
            template.payload(),
        )

    def _row(self) -> tuple[str, ...]:
        """The counter's row without outcome, country and device."""
        opportunity, ad = self._opportunity, self.fill.ad
        ours = opportunity.property.id, opportunity.slot.id, self._campaign_id, ad.id
        return (*ours, opportunity.surface_of(ad.format), ad.format)

    def _native_parts(self) -> tuple[bytes | int, ...]:
        parts: list[bytes | int] = [*self._parts]
        for place, placeholder in self._placeholders:
            parts[place] = placeholder
        return tuple(parts)

    def _read_template(self, static_headers: StaticHeaders, snapshot: Snapshot) -> None:
        form = template_for(snapshot, self.fill, self._opportunity)
        body = form.render(self._edge.settings.edge_url)
        length = sum([_LENGTHS[one] if isinstance(one, int) else len(one) for one in body])
        before, after = split_head(JSON_HEAD, static_headers, length)
        for one in (before, _REQUEST, after, *body):
            if isinstance(one, int):
                self._placeholders.append((len(self._parts), one))
                self._parts.append(b"")
            else:
                self._parts.append(one)
