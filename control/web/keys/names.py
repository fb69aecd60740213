"""Who and what a key belongs to, by name."""

from collections.abc import Mapping

from control.members import operations as members
from control.properties import operations as properties
from control.web.view import View

_MOST = 100


async def property_names(view: View) -> Mapping[str, str]:
    """By id, of the newest hundred."""
    page = await view.call(properties.LIST, query={"limit": _MOST})
    return {one["id"]: one["name"] for one in page["data"]}


async def people_names(view: View) -> Mapping[str, str]:
    """By the id of the user: members as a colleague knows them; empty for who may not see them."""
    if not view.may(members.LIST.id):
        return {}
    page = await view.call(members.LIST, query={"limit": _MOST})
    return {one["user_id"]: one["name"] or one["email"] for one in page["data"] if one["user_id"]}
