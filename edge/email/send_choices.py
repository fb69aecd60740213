"""The ads of a mailing in the mode `per_send`: one in each slot, whichever call its mails are prepared by."""

import uuid
from collections.abc import Sequence
from typing import final

from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Decision, Fill
from common.snapshot.snapshot import Snapshot
from edge.email.choose import MailChooser
from edge.email.chosen_before import ShownInMail, chosen_before
from edge.ports import MailStore


@final
class SendChoices:
    """
    *opportunities*: of the call's slots, in their order. *keys*: where the choice of each slot is stored.
    Every method raises `MailStoreUnavailable`.
    """

    def __init__(
        self,
        mails: MailStore,
        chooser: MailChooser,
        opportunities: Sequence[Opportunity],
        keys: Sequence[uuid.UUID],
    ) -> None:
        self._mails = mails
        self._chooser = chooser
        self._opportunities = opportunities
        self._keys = keys
        self._ad_ids: Sequence[str | None] = ()
        self._shown = ShownInMail()

    async def read(self, snapshot: Snapshot) -> None:
        """Reads the choices of earlier calls, once before the first `choose`."""
        found = await self._mails.claim([key.hex for key in self._keys])
        self._ad_ids = [one.decode() if isinstance(one, bytes) else None for one in found]
        for opportunity, ad_id in zip(self._opportunities, self._ad_ids, strict=True):
            if ad_id is not None:
                self._shown.add(chosen_before(snapshot, opportunity, ad_id))

    async def choose(self, number: int, copies: int) -> Decision:
        """
        The ad of slot *number* for *copies* mails. A choice of an earlier call stands; a new one repeats no advertiser
        of the other slots.
        """
        opportunity, key, ad_id = (
            self._opportunities[number],
            self._keys[number],
            self._ad_ids[number],
        )
        seed = key.int & (1 << 64) - 1
        choose = self._chooser.choose_for_all
        if ad_id is not None:
            return await choose(opportunity, copies, seed, ad_id)
        decision = await choose(self._shown.next_opportunity(opportunity), copies, seed, None)
        if not isinstance(decision, Fill):
            return decision
        (first,) = await self._mails.store({key.hex: decision.ad.id.encode()})
        if first.decode() != decision.ad.id:
            decision = await choose(opportunity, copies, seed, first.decode())
        self._shown.add(decision)
        return decision
