"""Who made a key, by name."""

from collections.abc import Mapping

from control.dashboard.page_request import PageRequest
from control.identity.members import operations as members

_MOST = 100


async def people_names(view: PageRequest) -> Mapping[str, str]:
    """By the id of the user: members as a colleague knows them; empty for who may not see them."""
    if not view.may(members.LIST.id):
        return {}
    page = await view.call(members.LIST, query={"limit": _MOST})
    return {one["user_id"]: one["name"] or one["email"] for one in page["data"] if one["user_id"]}
