"""An ad prepared for one slot: what the native cache needs to decide whether it is shown, and its response in parts."""

from typing import Final, final

from common.decision.dynamic_gates import expected_micros, salt_of_campaign
from common.decision.index import Candidate
from common.decision.rules.ad_limits import is_wrapper
from common.decision.rules.eligibility import is_spent_by_event
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

    ``native``: its counterpart in the native cache. ``generation``: the snapshot whose pace, version and secret that
    holds, by `SnapshotHandle.generation`. `rebase` moves it to another.
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
        self._fill = Fill(campaign, candidate.ad, SOURCE_OF[campaign.priority], campaign.bid_micros)
        self._is_uncacheable: bool = (
            has_share(campaign) or bool(campaign.frequency_caps) or is_wrapper(candidate.ad)
        )
        self._spends: bool = campaign.budget is not None and is_spent_by_event(campaign)
        self._commits: bool = (
            campaign.budget is not None and self._fill.source not in UNBILLED_SOURCES
        )
        self.native = NativeAd(
            campaign,
            campaign.id,
            salt_of_campaign(campaign.id),
            self._counted_row(),
            self._response_parts(static_headers, snapshot),
        )
        self.generation: int = 0
        self.rebase(snapshot)

    def rebase(self, snapshot: Snapshot) -> None:
        """*snapshot*: the current one; ad, campaign and slot are unchanged in it."""
        self.generation = self._edge.snapshots.generation
        template = self._find_token_template(snapshot)
        if self._is_uncacheable or template is None:
            self.native.fall_back(self.generation)
            return
        fill, slot = self._fill, self._opportunity.slot
        campaign, pace = fill.campaign, snapshot.paces.get(fill.campaign.id)
        goal = campaign.goal
        self.native.update(
            self.generation,
            goal is not None and pace is not None and pace.counted >= goal.total,
            self._spends,
            self._commits,
            expected_micros(snapshot, slot.id, campaign, fill.ad),
            -1 if pace is None else pace.pass_ppm,
            hmac_state(template.secret),
            template.payload(),
        )

    def _find_token_template(self, snapshot: Snapshot) -> TokenTemplate | None:
        """Returns None where the property's signing secret is unavailable: the slow path reports that."""
        try:
            return token_template_for(self._edge, snapshot, self._fill, self._opportunity)
        except Unavailable:
            return None

    def _counted_row(self) -> tuple[str, ...]:
        """The counter's row without outcome, country and device."""
        opportunity, ad = self._opportunity, self._fill.ad
        ours = opportunity.property.id, opportunity.slot.id, self._fill.campaign.id, ad.id
        return (*ours, opportunity.surface_of(ad.format), ad.format)

    def _response_parts(
        self, static_headers: StaticHeaders, snapshot: Snapshot
    ) -> tuple[bytes | int, ...]:
        """The whole HTTP response, for a connection that stays open: bytes, and the numbers of placeholders."""
        form = template_for(snapshot, self._fill, self._opportunity)
        body = form.render(self._edge.settings.edge_url)
        length = sum([_LENGTHS[one] if isinstance(one, int) else len(one) for one in body])
        before, after = split_head(JSON_HEAD, static_headers, length)
        return (before, _REQUEST, after, *body)
