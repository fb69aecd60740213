"""A property's slots: a new one, one with its snippets, its settings, and archiving."""

from typing import Any

from common.values.enums import SlotStatus
from common.values.errors import not_found
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.options import Offer, offer
from control.dashboard.pickers.queries import AD
from control.dashboard.properties.screens import get_shown
from control.dashboard.slots.form import USUAL_SIZES, changed_of, created_of
from control.dashboard.slots.snippets import find_publishable_key, snippets_of
from control.demand.ads import operations as ads
from control.foundation.http.inputs import validate_body
from control.foundation.resource_models import defaults_of
from control.inventory.slots import operations
from control.inventory.slots.schemas import SlotCreate

_NEW = defaults_of(SlotCreate) | {"formats": ["banner"]}


async def show_new(view: PageRequest) -> Result:
    return await _form(view, None)


async def create(view: PageRequest) -> Result:
    body = created_of(view, view.path["id"])
    if view.is_check:
        validate_body(operations.CREATE, body)
        return await show_new(view)
    made = await view.call(operations.CREATE, body=body)
    return Redirected(_url(view, made), flash="slot_created")


async def show_one(view: PageRequest) -> Result:
    slot = await _get(view)
    key = await find_publishable_key(view, slot["property_id"])
    values = {
        "property": await get_shown(view),
        "slot": slot,
        "key": key,
        "snippets": snippets_of(view, slot, key["key"]) if key else None,
    }
    return Rendered("slots/slot.html", values)


async def archive(view: PageRequest) -> Result:
    return await _move(view, SlotStatus.ARCHIVED, "slot_archived")


async def bring_back(view: PageRequest) -> Result:
    return await _move(view, SlotStatus.ACTIVE, "slot_active")


async def show_edit(view: PageRequest) -> Result:
    return await _form(view, await _get(view))


async def save(view: PageRequest) -> Result:
    slot, body = await _get(view), changed_of(view)
    if view.is_check:
        validate_body(operations.PATCH, body)
        return await show_edit(view)
    saved = await view.call(
        operations.PATCH, path={"id": slot["id"]}, body=body, version=view.form_version or 0
    )
    return Redirected(_url(view, saved), flash="saved")


async def _form(view: PageRequest, slot: dict[str, Any] | None) -> Result:
    sizes = [f"{size['width']}x{size['height']}" for size in slot["sizes"]] if slot else []
    values = {
        "property": await get_shown(view),
        "slot": slot,
        "known": slot or _NEW,
        "sizes": sizes,
        "usual": USUAL_SIZES,
        "ads": await _house_ads(view, slot),
    }
    return Rendered("slots/form.html", values)


async def _get(view: PageRequest) -> dict[str, Any]:
    """The slot of the address. Raises the 404, also for a slot of another property."""
    slot: dict[str, Any] = await view.call(operations.GET, path={"id": view.path["slot"]})
    if slot["property_id"] != view.path["id"]:
        raise not_found()
    return slot


async def _move(view: PageRequest, status: SlotStatus, flash: str) -> Result:
    slot = await _get(view)
    moved = await view.call(
        operations.PATCH,
        path={"id": slot["id"]},
        body={"status": status.value},
        version=view.form_version or slot["version"],  # The form of "Undo" has no version.
    )
    return Redirected(_url(view, moved), flash=flash, undo=[slot["id"]])


async def _house_ads(view: PageRequest, slot: dict[str, Any] | None) -> Offer | None:
    """None for a user who may see no ads, and has to type an id."""
    if not view.can(ads.LIST.id):
        return None
    held = (slot["house_ad_id"] or "") if slot else ""
    return await offer(view, AD, "house_ad_id", chosen=[view.form_field("house_ad_id", held)])


def _url(view: PageRequest, slot: dict[str, Any]) -> str:
    return view.url("slot", id=slot["property_id"], slot=slot["id"])


_PATH = "/properties/<id:str>/slots"
SCREENS = (
    PageRoute("slot_create", f"{_PATH}/new", show_new, {"": create}, needs=operations.CREATE),
    PageRoute(
        "slot",
        f"{_PATH}/<slot:str>",
        show_one,
        {"archive": archive, "bring_back": bring_back},
        needs=operations.GET,
    ),
    PageRoute(
        "slot_edit", f"{_PATH}/<slot:str>/edit", show_edit, {"": save}, needs=operations.PATCH
    ),
)
