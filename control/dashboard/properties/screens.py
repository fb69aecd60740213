"""Properties: the list, a new one, one with its slots, keys and figures, its settings, and domain verification."""

from typing import Any

from common.contract.permissions import Permission
from common.values.environment import Environment
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest, is_filtered
from control.dashboard.pager import pager_of
from control.dashboard.properties import verification
from control.dashboard.properties.form import changed_of, created_of, flags_text
from control.events.events_api.endpoints import GET_STATUS
from control.foundation.http.inputs import validate_body
from control.inventory.api_keys import operations as keys
from control.inventory.domain_verification import operations as proofs
from control.inventory.properties import operations
from control.inventory.properties.queries import wanted_properties
from control.inventory.signing_secrets import operations as shared_secrets
from control.inventory.signing_secrets.rotation_progress import read_secrets
from control.inventory.slots import operations as slots
from control.inventory.slots.queries import wanted_slots

_MAX_SLOTS = 100


async def get_shown(view: PageRequest) -> dict[str, Any]:
    """The property of the address. Raises the 404."""
    shown: dict[str, Any] = await view.call(operations.GET, path={"id": view.path["id"]})
    return shown


async def show_list(view: PageRequest) -> Result:
    query = view.list_params(operations.LIST)
    page = await view.call(operations.LIST, query=query)
    values = {
        "page": page,
        "params": query,
        "pager": await pager_of(
            view,
            operations.LIST,
            query,
            page,
            wanted_properties(view.caller, view.list_query(operations.LIST, query)),
        ),
        "is_filtered": is_filtered(query),
    }
    return Rendered("properties/list.html", values)


async def show_new(_: PageRequest) -> Result:
    return Rendered("properties/new.html")


async def create(view: PageRequest) -> Result:
    body = created_of(view)
    if view.is_check:
        validate_body(operations.CREATE, body)
        return await show_new(view)
    made = await view.call(operations.CREATE, body=body)
    if view.environment is Environment.TEST:  # where nobody needs to verify
        return Redirected(view.url("property", id=made["id"]), flash="property_created_test")
    return Redirected(view.url("property_verify", id=made["id"]), flash="property_created")


async def show_one(view: PageRequest) -> Result:
    shown = await get_shown(view)
    of_property = {"property_id": shown["id"]}
    sought = view.query_param("q").strip()
    query = {**of_property, "q": sought}
    listed = await view.call(
        slots.LIST, query={**query, "cursor": view.query_param("cursor"), "limit": _MAX_SLOTS}
    )
    values: dict[str, Any] = {
        "property": shown,
        "slots": listed,
        "sought": sought,
        "pager": await pager_of(
            view,
            slots.LIST,
            {"q": sought},
            listed,
            wanted_slots(view.caller, view.list_query(slots.LIST, query)),
        ),
        "keys": None,
        "status": None,
        "secrets": await read_secrets(view.control, view.caller.account_id, shown["id"], view.now),
    }
    if view.can(keys.LIST_SDK.id):
        values["keys"] = await view.call(
            keys.LIST_SDK, query={**of_property, "status": "active", "limit": _MAX_SLOTS}
        )
    if view.can(GET_STATUS.id):
        values["status"] = await view.call(GET_STATUS, query=of_property)
    return Rendered("properties/property.html", values)


async def rotate_secret(view: PageRequest) -> Result:
    await view.call(shared_secrets.ROTATE, path={"id": view.path["id"]})
    return Redirected(view.url("property", id=view.path["id"]), flash="secret_rotates")


async def show_edit(view: PageRequest) -> Result:
    shown = await get_shown(view)
    values = {
        "property": shown,
        "flags_text": flags_text(shown["sdk"]["flags"]),
        "may_pay": Permission.BILLING_WRITE in view.caller.permissions,
    }
    return Rendered("properties/edit.html", values)


async def save(view: PageRequest) -> Result:
    body = changed_of(view)
    if view.is_check:
        validate_body(operations.PATCH, body)
        return await show_edit(view)
    saved = await view.call(
        operations.PATCH, path={"id": view.path["id"]}, body=body, version=view.form_version or 0
    )
    return Redirected(view.url("property", id=saved["id"]), flash="saved")


async def show_proof(view: PageRequest) -> Result:
    return _proof(await get_shown(view), None)


async def choose_proof(view: PageRequest) -> Result:
    await verification.start(view, view.path["id"])
    return Redirected(view.url("property_verify", id=view.path["id"]))


async def check_domain(view: PageRequest) -> Result:
    """The response is the page itself: what was seen is stored nowhere."""
    result = await verification.check(view, view.path["id"])
    return _proof(result["property"], result)


def _proof(shown: dict[str, Any], result: dict[str, Any] | None) -> Rendered:
    values = {"property": shown, "published": verification.published_of(shown), "result": result}
    return Rendered("properties/verify.html", values)


SCREENS = (
    PageRoute("property_list", "/properties", show_list, needs=operations.LIST),
    PageRoute(
        "property_create", "/properties/new", show_new, {"": create}, needs=operations.CREATE
    ),
    PageRoute(
        "property",
        "/properties/<id:str>",
        show_one,
        {"rotate_secret": rotate_secret},
        needs=operations.GET,
        listed=slots.LIST,
    ),
    PageRoute(
        "property_edit",
        "/properties/<id:str>/edit",
        show_edit,
        {"": save},
        needs=operations.PATCH,
    ),
    PageRoute(
        "property_verify",
        "/properties/<id:str>/verification",
        show_proof,
        {"start": choose_proof, "verify": check_domain},
        needs=proofs.VERIFY,
    ),
)
