"""
Prepares a mailing: claims its items in the store, chooses ads for those that are new, and renders all of them.

An item is claimed before it is chosen, and stored before it is answered: of parallel repeats one chooses, and the
others return what it stored (ADR 62).
"""

import asyncio
import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby
from typing import Any, Final

import orjson

from common.contract.email_models import EmailMode, EmailRender
from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Decision, Fill
from common.privacy.consent import Consent
from common.service.cooperative import TimeSlice
from common.snapshot.model import Slot
from common.tracking.token import TokenTemplate
from common.values.clock import from_ms, to_iso
from common.values.errors import Unavailable
from common.values.ids import framed
from common.values.messages import Message
from edge.admission.keys import Admission
from edge.context import EdgeContext
from edge.email.ad_template import fixed_template, on_open_template
from edge.email.choose import MailChooser, RecipientAds
from edge.email.chosen_before import ShownInMail, chosen_before
from edge.email.image_sizes import ImageSizes
from edge.email.items import (
    NO_FILL,
    ItemTemplate,
    MailItem,
    PreparedItem,
    parse_item,
    split_mails,
    template_id_of,
)
from edge.email.links import NO_SIGNALS, LinkUse, MailLink, seal_link
from edge.email.mail_opportunity import consent_of, mail_opportunity, mail_signals, signals_of
from edge.email.prepare_body import PrepareBody, Recipient
from edge.email.send_choices import SendChoices
from edge.email.templates import MailTemplates
from edge.ports import ItemState, MailStoreUnavailable
from edge.serving.render.issue_token import token_template_for

_DAY_S: Final = 86_400
_AT_ONCE: Final = 200
"""Items in one command: packing and reading it takes a millisecond or so."""
_LONGEST_WAIT_S: Final = 12.0
"""For items that another call prepares: longer than a claim is kept."""
_LOOK_S: Final = 0.025
_CHOICE: Final = b"\x00choice"


@dataclass(slots=True)
class Prepared:
    """``body``: the response. ``chosen``: number of items chosen now. ``is_lost``: see `MailStore.check_history`."""

    body: bytes
    chosen: int
    is_lost: bool


async def prepare(
    edge: EdgeContext,
    admission: Admission,
    slots: Sequence[tuple[str, Slot]],
    body: PrepareBody,
    now_ms: int,
) -> Prepared:
    """
    *slots*: with their names in the request. Raises `Unavailable` while the store or the signing secret is: nothing was
    prepared then that a repeated request would not return.
    """
    mailing = _Mailing(edge, admission, slots, body, now_ms)
    try:
        async with edge.mail_memory.lock(admission.property.id, body.send_id):
            is_lost = await edge.mails.check_history(now_ms)
            await mailing.prepare()
        return Prepared(await mailing.render(), mailing.chosen, is_lost)
    except MailStoreUnavailable:
        raise Unavailable(
            Message("Mails cannot be prepared now. Send the same request again in a moment.")
        ) from None


@dataclass(slots=True)
class _Mailing:
    """One call, until it is rendered."""

    edge: EdgeContext
    admission: Admission
    slots: Sequence[tuple[str, Slot]]
    body: PrepareBody
    now_ms: int
    chosen: int = 0
    wanted: list[MailItem] = field(default_factory=list)
    slices: TimeSlice = field(default_factory=TimeSlice)
    token_templates: dict[tuple[str, str, str], TokenTemplate] = field(default_factory=dict)
    image_sizes: ImageSizes = field(init=False)
    consent: Consent = field(init=False)
    templates: MailTemplates = field(init=False)

    def __post_init__(self) -> None:
        self.image_sizes = ImageSizes(self.edge, self._opportunity, self.now_ms)
        self.templates = MailTemplates(self.edge.mail_memory.templates)
        self.consent = consent_of(self.body.consent, self.edge.settings.tcf_vendor_id)

    @property
    def life_s(self) -> int:
        return self.body.life_days * _DAY_S

    async def prepare(self) -> None:
        """Raises `MailStoreUnavailable`, `Unavailable`."""
        starts = [self._key_start(slot) for _, slot in self.slots]
        for recipient in self.body.recipients:
            end = framed(b"" if recipient.ref is None else recipient.ref.encode("utf-8", "replace"))
            for number, start in enumerate(starts):
                self.wanted.append(MailItem(recipient, number, _hash(start + end)))
            await self.slices.checkpoint()
        until_s = self.edge.clock.monotonic_s() + _LONGEST_WAIT_S
        missing = self.wanted
        while True:
            claimed, pending = await self._claim(missing)
            if claimed:
                await self._choose(claimed)
                self.chosen += len(claimed)
            if not pending:
                return
            if self.edge.clock.monotonic_s() >= until_s:
                raise MailStoreUnavailable
            await asyncio.sleep(_LOOK_S)
            missing = pending

    async def render(self) -> bytes:
        """The response. Raises `MailStoreUnavailable`."""
        ids = {template_id_of(one.stored) for one in self.wanted}
        templates = await self.templates.find(self.edge.mails, [one for one in ids if one])
        names = [orjson.dumps(name).decode() for name, _ in self.slots]
        base = self.edge.settings.edge_url
        filled, expires_ms, texts = 0, list[int](), list[bytes]()
        for one in self.wanted:
            item = parse_item(one.stored)
            expires_ms.append(item.expires_ms)
            template = NO_FILL
            if item.template_id is not None:
                template = templates[item.template_id]
                filled += 1
            ref = orjson.dumps(one.recipient.ref).decode()
            rest = template.fill(item.urls(base))
            comma = "," if texts else ""
            texts.append(f'{comma}{{"ref":{ref},"slot":{names[one.slot]},{rest}'.encode())
            await self.slices.checkpoint()
        send_id = orjson.dumps(self.body.send_id).decode()
        expires_at = to_iso(from_ms(min(expires_ms)))
        head = f'{{"send_id":{send_id},"expires_at":"{expires_at}","items":['.encode()
        counts = f'],"filled":{filled},"no_fill":{len(expires_ms) - filled}}}'.encode()
        return b"".join([head, *texts, counts])

    def _key_start(self, slot: Slot) -> bytes:
        prop = uuid.UUID(self.admission.property.id).bytes
        return framed(prop, uuid.UUID(slot.id).bytes, self.body.send_id.encode("utf-8", "replace"))

    async def _claim(self, wanted: Sequence[MailItem]) -> tuple[list[MailItem], list[MailItem]]:
        """The items that are this call's to choose, and those that another call is choosing."""
        claimed, pending = list[MailItem](), list[MailItem]()
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            found = await self.edge.mails.claim([one.key.hex for one in some])
            for one, state in zip(some, found, strict=True):
                if isinstance(state, bytes):
                    one.stored = state
                elif state is ItemState.CLAIMED:
                    claimed.append(one)
                else:
                    pending.append(one)
            await self.slices.checkpoint()
        return claimed, pending

    async def _choose(self, wanted: Sequence[MailItem]) -> None:
        """In parts, so that few objects live at a time: the garbage collector walks over all of them."""
        chooser = MailChooser(self.edge, self.now_ms, self.life_s, self._can_show)
        before = dict[int, ShownInMail]()
        is_fixed, mode = self.body.render is EmailRender.FIXED, self.body.mode
        if is_fixed and mode is EmailMode.PER_RECIPIENT and len(wanted) < len(self.wanted):
            before = await self._shown_before(wanted)
        for some in split_mails(wanted, _AT_ONCE):
            self._move_to_current_snapshot()
            if self.body.render is EmailRender.ON_OPEN:
                items = await self._on_open(some)
            elif self.body.mode is EmailMode.PER_SEND:
                items = await self._per_send(chooser, some)
            else:
                items = await self._per_recipient(chooser, some, before)
            await self.templates.store(self.edge.mails)
            keys = [one.key.hex for one in some]
            stored = await self.edge.mails.store(dict(zip(keys, items, strict=True)))
            for one, item in zip(some, stored, strict=True):
                one.stored = item
            await self.slices.checkpoint()

    def _move_to_current_snapshot(self) -> None:
        snapshot, prop = self.edge.snapshots.current(), self.admission.property
        if snapshot is self.admission.snapshot:
            return
        self.admission = self.admission.refreshed(snapshot, snapshot.properties.get(prop.id, prop))
        self.slots = [(name, snapshot.slots.get(slot.id, slot)) for name, slot in self.slots]
        self.token_templates.clear()

    async def _per_recipient(
        self, chooser: MailChooser, wanted: Sequence[MailItem], before: dict[int, ShownInMail]
    ) -> list[bytes]:
        turns = list[RecipientAds]()
        for _, group in groupby(wanted, key=lambda one: id(one.recipient)):
            mail = list(group)
            signals = signals_of(mail_signals(mail[0].recipient))
            opportunities = [self._opportunity(self.slots[one.slot][1], signals) for one in mail]
            person = self._person(mail[0].recipient)
            shown = before.get(id(mail[0].recipient), ShownInMail())
            turns.append(RecipientAds(opportunities, person, self.edge.take_seed(), shown))
            await self.slices.checkpoint()
        await chooser.choose(turns)
        items = list[bytes]()
        for turn in turns:
            for opportunity, decision in zip(turn.opportunities, turn.decisions, strict=True):
                items.append(self._fixed(opportunity, decision, turn.person).encode())
            await self.slices.checkpoint()
        return items

    async def _shown_before(self, wanted: Sequence[MailItem]) -> dict[int, ShownInMail]:
        """By the `id` of a recipient: what its mail shows in slots that were prepared before *wanted*."""
        found = defaultdict[int, ShownInMail](ShownInMail)
        people = {id(one.recipient) for one in wanted}
        stored = [one for one in self.wanted if one.stored and id(one.recipient) in people]
        ids = {template_id_of(one.stored) for one in stored}
        templates = await self.templates.find(self.edge.mails, [one for one in ids if one])
        for one in stored:
            template_id = template_id_of(one.stored)
            ad_id = None if template_id is None else templates[template_id].ad_id
            if ad_id is not None:
                opportunity = self._opportunity(self.slots[one.slot][1], signals_of(NO_SIGNALS))
                before = chosen_before(self.admission.snapshot, opportunity, ad_id)
                found[id(one.recipient)].add(before)
            await self.slices.checkpoint()
        return found

    async def _per_send(self, chooser: MailChooser, wanted: Sequence[MailItem]) -> list[bytes]:
        items = dict[int, bytes]()
        opportunities = [self._opportunity(slot, signals_of(NO_SIGNALS)) for _, slot in self.slots]
        keys = [_hash(self._key_start(slot) + _CHOICE) for _, slot in self.slots]
        choices = SendChoices(self.edge.mails, chooser, opportunities, keys)
        await choices.read(self.admission.snapshot)
        for number, opportunity in enumerate(opportunities):
            mine = [(at, one) for at, one in enumerate(wanted) if one.slot == number]
            if not mine:
                continue
            decision = await choices.choose(number, len(mine))
            is_shared = mine[0][1].recipient.ref is None
            if not is_shared:  # a shared ad's cost is committed as copies are opened
                chooser.commit_copies(opportunity, decision, len(mine))
            for at, one in mine:
                if is_shared:
                    items[at] = self._shared(opportunity, decision, one).encode()
                else:
                    person = self._person(one.recipient)
                    items[at] = self._fixed(opportunity, decision, person).encode()
                await self.slices.checkpoint()
        return [items[at] for at in range(len(wanted))]

    async def _on_open(self, wanted: Sequence[MailItem]) -> list[bytes]:
        consent, items = self.consent, list[bytes]()
        is_for_all = self.body.mode is EmailMode.PER_SEND
        for one in wanted:
            self._move_to_current_snapshot()
            stated = NO_SIGNALS if is_for_all else mail_signals(one.recipient)
            person = self._person(one.recipient)
            slot = self.slots[one.slot][1]
            width, height = self.image_sizes.find(
                self.admission.snapshot, slot, stated, is_counted=person is not None
            )
            link = MailLink(
                one.key,
                slot.id,
                None,
                self.now_ms,
                self.life_s,
                width,
                height,
                person,
                stated,
                limited=consent.limited,
                child_directed=consent.child_directed,
                measured=consent.measurement,
                is_exact=True,
            )
            template = self.templates.keep(on_open_template(width, height))
            items.append(self._linked(template, link).encode())
            await self.slices.checkpoint()
        return items

    def _can_show(self, fill: Fill) -> bool:
        return self._template(fill) is not None

    def _shared(self, opportunity: Opportunity, decision: Decision, one: MailItem) -> PreparedItem:
        template = self._template(decision) if isinstance(decision, Fill) else None
        if not isinstance(decision, Fill) or template is None:
            return PreparedItem(self._expires_ms, None, {})
        template = self.templates.keep(template)
        link = MailLink(
            one.key,
            opportunity.slot.id,
            decision.ad.id,
            self.now_ms,
            self.life_s,
            1,
            1,
            None,
            NO_SIGNALS,
            limited=opportunity.consent_limited,
            child_directed=opportunity.child_directed,
            measured=opportunity.measured,
        )
        return self._linked(template, link)

    def _linked(self, template: ItemTemplate, link: MailLink) -> PreparedItem:
        parts = self.edge.secrets, self.admission.property, self.edge.environment, link
        texts = {"i": seal_link(*parts, LinkUse.IMAGE), "c": seal_link(*parts, LinkUse.CLICK)}
        return PreparedItem(self._expires_ms, template.id, texts)

    def _fixed(
        self, opportunity: Opportunity, decision: Decision, person: bytes | None
    ) -> PreparedItem:
        template = self._template(decision) if isinstance(decision, Fill) else None
        if not isinstance(decision, Fill) or template is None:
            return PreparedItem(self._expires_ms, None, {})
        template = self.templates.keep(template)
        token_id = self.edge.new_token_id(self.now_ms)
        signer = self._token_template(opportunity, decision)
        if person is None:
            tokens = signer.sign(token_id.bytes, self.now_ms)
        else:
            masked = self.edge.frequency_caps.masked(person, token_id.bytes)
            tokens = signer.sign(token_id.bytes, self.now_ms, masked)
        payload, _, track = tokens.track.partition(".")
        _, _, impression = tokens.impression.partition(".")
        _, _, click = tokens.click.partition(".")
        texts = {"a": payload, "t": track, "p": impression, "c": click}
        return PreparedItem(self._expires_ms, template.id, texts)

    def _template(self, fill: Fill) -> ItemTemplate | None:
        """None for an ad that a mail cannot show."""
        base, is_shared = self.edge.settings.edge_url, self.body.recipients[0].ref is None
        return fixed_template(self.admission.snapshot, fill, base, is_shared=is_shared)

    def _token_template(self, opportunity: Opportunity, fill: Fill) -> TokenTemplate:
        key = (opportunity.slot.id, fill.ad.id, fill.source.value)
        found = self.token_templates.get(key)
        if found is None:
            whole = token_template_for(self.edge, self.admission.snapshot, fill, opportunity)
            found = self.token_templates[key] = whole.for_mail(self.life_s, is_held=True)
        return found

    @property
    def _expires_ms(self) -> int:
        return self.now_ms + self.life_s * 1000

    def _opportunity(self, slot: Slot, signals: Any) -> Opportunity:
        return mail_opportunity(
            self.edge.environment,
            self.admission.property,
            slot,
            signals,
            limited=self.consent.limited,
            child_directed=self.consent.child_directed,
            measured=self.consent.measurement,
        )

    def _person(self, recipient: Recipient) -> bytes | None:
        if recipient.uid is None or not self.consent.personal:
            return None
        return self.edge.frequency_caps.person(self.admission.property.id, recipient.uid)


def _hash(facts: bytes) -> uuid.UUID:
    return uuid.UUID(bytes=blake2b(facts, digest_size=16, person=b"mail-item").digest())
