"""The job that deletes expired invitations."""

from sqlalchemy import delete
from sqlmodel import col

from control.api.context import ControlContext
from control.identity.members.invitations import KEPT
from control.storage.tables.members import InvitationRow


async def sweep_invitations(control: ControlContext) -> None:
    """Delete invitations that expired longer than `KEPT` ago."""
    before = control.clock.now() - KEPT
    async with control.database.service() as session:
        await session.execute(delete(InvitationRow).where(col(InvitationRow.expires_at) < before))
