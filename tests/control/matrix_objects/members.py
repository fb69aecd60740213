"""Members and invitations."""

from uuid import uuid4

from control.identity.members.examples import MEMBER_BODY
from tests.control.matrix_registry import Maker, Room, Thing
from tests.support.resources import made


async def _invitation(maker: Maker) -> str:
    # One address gets few mails a day, over all accounts.
    body = MEMBER_BODY | {"email": f"{uuid4().hex}@example.com"}
    return str(made(await maker.customer.post("/v1/members", body))["id"])


ROOM = Room(
    things=(Thing("members", _invitation),),
    public=frozenset({"acceptInvitation"}),
    for_everyone=frozenset({"leaveAccount"}),
)
