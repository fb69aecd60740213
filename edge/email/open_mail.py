"""
What is behind the image and the link of a mail, decided when they are opened.

A token's id follows from the mail and the ad. So an ad that a mail shows again has the same token, and its impression
and its click count once for the recipient, whoever opens the mail and how often.
"""

import uuid
from contextlib import suppress
from dataclasses import dataclass

from sanic import Request

from common.decision.decide import decide
from common.decision.named_slot import find_slot
from common.decision.rules.gates import Lookup
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Decision, Fill
from common.ivt.mail import fetches_for_many
from common.snapshot.model import Property
from common.snapshot.snapshot import Snapshot
from common.tracking.token import TokenTexts, TokenUse
from common.values.enums import EventKind
from common.values.ids import derived_id
from edge.context import EdgeContext
from edge.email.ad_template import MailAd, mail_ad
from edge.email.chosen_before import chosen_before
from edge.email.links import MailLink
from edge.email.mail_opportunity import mail_opportunity, signals_of
from edge.ports import MailStoreUnavailable
from edge.request.call import Call
from edge.serving.render.issue_token import token_template_for
from edge.serving.serve_flow import CapProbe
from edge.serving.serve_response import commit_cost, count_decision, current_gates
from edge.tracking.exceeded import record_exceeded
from edge.tracking.track_token import verify


@dataclass(frozen=True, slots=True)
class OpenedAd:
    """The ad behind a link now, with its tokens."""

    fill: Fill
    opportunity: Opportunity
    tokens: TokenTexts


async def choose_shown(
    edge: EdgeContext,
    link: MailLink,
    prop: Property,
    call: Call,
    now_ms: int,
    *,
    counts_no_fill: bool,
) -> OpenedAd | None:
    """
    The ad behind *link*; None where nothing fits, which *counts_no_fill*. Waits for frequency counts as a serve call
    does.
    """
    snapshot = edge.snapshots.current()
    slot = find_slot(snapshot, prop, link.slot_id)
    if slot is None:
        return None
    agent = call.caller.agent
    is_reader = agent is not None and not fetches_for_many(agent)
    opportunity = mail_opportunity(
        edge.environment,
        prop,
        slot,
        signals_of(link.signals, call.caller if is_reader else None),
        limited=link.limited,
        child_directed=link.child_directed,
        measured=link.measured,
        room=None if link.ad_id else (link.width, link.height),
        is_exact=link.is_exact,
    )
    if link.ad_id is not None:
        fill = chosen_before(snapshot, opportunity, link.ad_id)
    else:
        decision = await _decide(edge, snapshot, opportunity, link, now_ms)
        fill = decision if isinstance(decision, Fill) else None
        if counts_no_fill and not isinstance(decision, Fill):
            count_decision(edge, opportunity, None, None, decision.reason, opportunity.format)
    if fill is None:
        return None
    return OpenedAd(fill, opportunity, _tokens(edge, snapshot, link, opportunity, fill, now_ms))


async def count_shown(
    edge: EdgeContext, link: MailLink, shown: OpenedAd, request: Request, now_ms: int
) -> None:
    """Commits the ad's cost, records its impression, and stores what the link's click leads to."""
    snapshot, fill = edge.snapshots.current(), shown.fill
    commit_cost(edge, snapshot, shown.opportunity, fill, now_ms)
    ids = fill.campaign.id, fill.ad.id
    count_decision(edge, shown.opportunity, *ids, "fill", fill.ad.format)
    if link.ad_id is None:
        life_s = max(1, (link.expires_ms - now_ms) // 1000)
        with suppress(MailStoreUnavailable):  # the click is then decided like the first image
            await edge.mails.store_shown(link.mail_id.hex, shown.tokens.click.encode(), life_s)
    verified = verify(edge, snapshot, shown.tokens.impression, TokenUse.IMPRESSION, now_ms)
    if not verified.expired:
        await record_exceeded(edge, verified, EventKind.IMPRESSION, request, now_ms)


async def find_click_token(edge: EdgeContext, link: MailLink) -> str | None:
    """The click token of what was shown last behind *link*; None where nothing was, or the store is unavailable."""
    try:
        found = await edge.mails.find_shown(link.mail_id.hex)
    except MailStoreUnavailable:
        return None
    return None if found is None else found.decode()


def image_of(edge: EdgeContext, shown: OpenedAd) -> MailAd | None:
    return mail_ad(shown.fill.ad, edge.settings.edge_url)


async def _decide(
    edge: EdgeContext, snapshot: Snapshot, opportunity: Opportunity, link: MailLink, now_ms: int
) -> Decision:
    seed = edge.take_seed()
    probe = None if link.person is None else CapProbe()
    counts: Lookup | None = probe
    decision = decide(
        snapshot, opportunity, current_gates(edge, snapshot, now_ms, counts), now_ms, seed
    )
    if probe is None or link.person is None or not probe.was_called:
        return decision
    counts = await edge.frequency_caps.find_cached(link.person, now_ms)
    return decide(
        snapshot, opportunity, current_gates(edge, snapshot, now_ms, counts), now_ms, seed
    )


def _tokens(  # noqa: PLR0917 - all that tokens follow from
    edge: EdgeContext,
    snapshot: Snapshot,
    link: MailLink,
    opportunity: Opportunity,
    fill: Fill,
    now_ms: int,
) -> TokenTexts:
    """A mail without recipients gets a new token each time: its copies cannot be distinguished."""
    template = token_template_for(edge, snapshot, fill, opportunity)
    if link.ad_id is not None:
        life_s = max(1, (link.expires_ms - now_ms) // 1000)
        return template.for_mail(life_s).sign(edge.new_token_id(now_ms).bytes, now_ms)
    parts = link.mail_id.bytes, uuid.UUID(fill.ad.id).bytes
    token_id = derived_id(link.issued_ms, b"mail-open/v1", *parts).bytes
    signer = template.for_mail(link.life_s, is_cap_counted=False)
    if link.person is None:
        return signer.sign(token_id, link.issued_ms)
    return signer.sign(token_id, link.issued_ms, edge.frequency_caps.masked(link.person, token_id))
