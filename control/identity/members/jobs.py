"""The job that deletes expired invitations."""

from control.api.context import ControlContext
from control.identity.members.invitations import sweep


async def sweep_invitations(control: ControlContext) -> None:
    """Delete invitations that expired a month ago."""
    async with control.database.service() as session:
        await sweep(session, control.clock.now())
