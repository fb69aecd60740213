"""Names of the users who created keys."""

from collections.abc import Mapping

from control.dashboard.page_request import PageRequest
from control.identity.members import operations as members

_MOST = 100


async def people_names(view: PageRequest) -> Mapping[str, str]:
    """By user id: the names of members, else their addresses; empty for a user who may not see members."""
    if not view.may(members.LIST.id):
        return {}
    page = await view.call(members.LIST, query={"limit": _MOST})
    return {one["user_id"]: one["name"] or one["email"] for one in page["data"] if one["user_id"]}
