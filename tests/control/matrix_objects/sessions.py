"""Signing in, and sessions, in the matrix."""

from tests.control.matrix_registry import Maker, Room, Thing


async def _make_session(maker: Maker) -> str:
    await maker.api.sign_in(maker.owner.email)
    listed = await maker.customer.get("/v1/sessions")
    return str(next(one["id"] for one in listed.json()["data"] if not one["is_current"]))


ROOM = Room(
    things=(Thing("sessions", _make_session),),
    public=frozenset({"getToken"}),
    for_everyone=frozenset({"signOut", "listSessions", "revokeSession", "revokeOtherSessions"}),
)
