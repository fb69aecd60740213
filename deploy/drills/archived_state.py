"""What a stack has before a drill takes its database: what backup and archive hold, and what came later."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from deploy.drills.backup import archive_all, back_up, show_and_store
from deploy.drills.campaigns import has_campaign, make_campaign
from deploy.drills.figures import Figures
from deploy.drills.ground import Ground
from deploy.drills.oracle import Traffic, find_stored

_LOW_BID_CENTS = 1
"""Lower than the bids of other campaigns, so that these are not served."""


@dataclass(frozen=True, slots=True)
class ArchivedState:
    """
    *backup*: its folder. *events*: those stored before the last archived WAL. *campaign*, *later_campaign*: made before
    and after it.
    """

    backup: Path
    events: frozenset[UUID]
    campaign: str
    later_campaign: str

    async def note_events(self, figures: Figures, database_url: str, traffic: Traffic) -> None:
        """Notes how many acknowledged events *database_url* lacks, of those in the archive and of the others."""
        before = await find_stored(database_url, self.events)
        figures.notes["missing_of_the_archived"] = before.lost
        after = await find_stored(database_url, traffic.acknowledged - self.events)
        figures.notes["missing_of_the_others"] = after.lost

    def note_campaigns(self, figures: Figures, demo: dict[str, Any]) -> None:
        figures.notes["archived_change_is_there"] = has_campaign(demo, self.campaign)
        figures.notes["other_change_is_there"] = has_campaign(demo, self.later_campaign)


async def archive_state(on: Ground, traffic: Traffic) -> ArchivedState:
    """Stores events and changes a campaign before the backup, before the end of the archive, and after it."""
    backup = on.folder / "backup"
    await show_and_store(traffic)
    back_up(on, backup)
    campaign = make_campaign(on.stack.demo, "Archived", bid_cents=_LOW_BID_CENTS)
    await show_and_store(traffic)
    archive_all(on)
    events = frozenset(traffic.acknowledged)
    later = make_campaign(on.stack.demo, "Not archived", bid_cents=_LOW_BID_CENTS)
    await show_and_store(traffic)
    return ArchivedState(backup, events, campaign, later)
