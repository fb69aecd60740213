"""Fills the breaks of a request: each is a pod within the limits of the break and the slot."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from common.contract.audio_models import (
    BreakType,
    StitchBody,
    StitchBreak,
    StitchedAd,
    StitchedBreak,
    StitchedCompanion,
    StitchedMedia,
    StitchedTracking,
)
from common.decision.rules.ad_limits import AdLimits, PodSize
from common.decision.rules.gates import Lookup
from common.decision.rules.outcome import NoFill
from common.snapshot.model import Slot
from common.values.enums import Format, QualitySignal
from edge.context import EdgeContext
from edge.serving.pod import Pod, fill_pod
from edge.serving.render.issue_token import ServedAd
from edge.serving.serve_request import ServeRequest
from edge.serving.serve_response import render_no_fill

_FORMATS = frozenset({Format.AUDIO})
_DEFAULT_MS = 60_000
"""Maximum length of a break that neither the request nor the slot limits."""


@dataclass(frozen=True, slots=True)
class FilledBreak:
    """``offset_ms``: None for the end of content of unknown length. ``ads``: those with a known length."""

    id: str
    offset_ms: int | None
    is_at_end: bool
    ads: Sequence[ServedAd]

    @property
    def duration_ms(self) -> int:
        return sum(ad.duration_ms or 0 for ad in self.ads)

    def emptied(self) -> "FilledBreak":
        """The same break without ads."""
        return replace(self, ads=())


def fill_breaks(
    edge: EdgeContext,
    request: ServeRequest,
    body: StitchBody,
    counts: Lookup | None,
    *,
    is_joined: bool,
    is_live: bool = False,
) -> list[FilledBreak]:
    """
    *is_joined*: only ads whose sound was uploaded. *is_live*: there is no end at which a post break could play. Never
    waits.
    """
    return [
        _filled(one, body, ())
        if is_live and one.type is BreakType.POST
        else _filled(one, body, _fill_pod(edge, request, one, counts, is_joined=is_joined).ads)
        for one in body.breaks
    ]


def empty_breaks(body: StitchBody) -> list[FilledBreak]:
    return [_filled(one, body, ()) for one in body.breaks]


def stitched_break(one: FilledBreak, *, server_counts: bool) -> StitchedBreak:
    ads = [
        _stitched_ad(ad, sequence, server_counts=server_counts)
        for sequence, ad in enumerate(one.ads, 1)
    ]
    return StitchedBreak(id=one.id, offset_ms=one.offset_ms, duration_ms=one.duration_ms, ads=ads)


def _pod_size(one: StitchBreak, slot: Slot) -> PodSize:
    """As *one* states, else as its slot; `fill_pod` holds the slot's limits as well."""
    limits = slot.audio
    if limits is None:
        return PodSize(one.max_ads or 1, one.max_duration_ms or _DEFAULT_MS)
    return PodSize(one.max_ads or limits.max_ads, one.max_duration_ms or limits.max_duration_ms)


def _filled(one: StitchBreak, body: StitchBody, ads: Sequence[ServedAd]) -> FilledBreak:
    offset_ms = one.offset_ms
    if one.type is BreakType.PRE:
        offset_ms = 0
    elif one.type is BreakType.POST and offset_ms is None:
        offset_ms = body.content.duration_ms
    return FilledBreak(one.id, offset_ms, one.type is BreakType.POST, ads)


def _fill_pod(
    edge: EdgeContext,
    request: ServeRequest,
    one: StitchBreak,
    counts: Lookup | None,
    *,
    is_joined: bool,
) -> Pod:
    opportunity = replace(request.opportunity, limits=AdLimits(_FORMATS, is_uploaded=is_joined))
    here = request.at(opportunity)
    pod = fill_pod(edge, here, counts, _pod_size(one, opportunity.slot))
    if not pod.ads and pod.last is not None and isinstance(pod.last.decision, NoFill):
        render_no_fill(edge, here, pod.last, pod.last.decision.reason)  # it counts the no fill
    return pod


def _stitched_ad(ad: ServedAd, sequence: int, *, server_counts: bool) -> StitchedAd:
    issued, served = ad.issued, ad.fill.ad
    content: dict[str, Any] = orjson.loads(served.content)
    companion = content.get("companion")
    return StitchedAd(
        sequence=sequence,
        ad_id=served.id,
        campaign_id=ad.fill.campaign.id,
        duration_ms=ad.duration_ms or 0,
        media=[
            StitchedMedia(
                url=one["url"],
                mime=one["mime"],
                bitrate_kbps=one.get("bitrate_kbps"),
                duration_ms=one["duration_ms"],
            )
            for one in content.get("media") or ()
        ],
        track_token=None if server_counts else issued.track_token,
        impression_url=None if server_counts else issued.impression_url,
        click_url=None if served.click_url is None else issued.click_url,
        tracking=None
        if server_counts
        else StitchedTracking(
            **{
                name: issued.signal_url(QualitySignal(name))
                for name in StitchedTracking.model_fields
            }
        ),
        companion=None
        if companion is None
        else StitchedCompanion(
            image_url=companion["image_url"],
            width=companion["width"],
            height=companion["height"],
            alt=companion.get("alt") or "",
        ),
    )
