"""Members and invitations."""

from control.members.examples import MEMBER_BODY
from tests.control.matrix_registry import Maker, Room, Thing
from tests.support.resources import made


async def _invitation(maker: Maker) -> str:
    return str(made(await maker.customer.post("/v1/members", MEMBER_BODY))["id"])


ROOM = Room(
    things=(Thing("members", _invitation),),
    public=frozenset({"acceptInvitation"}),
    for_everyone=frozenset({"leaveAccount"}),
)
