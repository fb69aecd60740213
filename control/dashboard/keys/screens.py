"""Settings → Keys: the list, a new key, its text shown once, rotation and revocation."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from control.dashboard.keys.form import KINDS, SCOPE_NAMES, created_of, end_of
from control.dashboard.keys.key_types import (
    FAMILIES,
    INTEGRATION,
    SDK,
    Family,
    family_of,
    get_family,
)
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pager import pager_of
from control.dashboard.pickers.options import Offer, offer
from control.dashboard.pickers.queries import PERSON, PROPERTY, labels_of
from control.foundation.http.inputs import validate_body
from control.inventory.api_keys import operations
from control.inventory.api_keys.queries import count_calls, wanted_keys

_HOUR = timedelta(hours=1)


async def show_list(view: PageRequest) -> Result:
    family = FAMILIES.get(view.query_param("family"), SDK)
    query = {name: view.query_param(name) for name in ("q", "property_id", "status", "cursor")}
    page = await view.call(family.listed, query=query)
    values = {
        "family": family.name,
        "page": page,
        "query": query,
        "pager": await pager_of(
            view,
            family.listed,
            {**query, "family": family.name},
            page,
            wanted_keys(
                view.caller.account_id,
                family.kinds,
                view.list_query(family.listed, query),
                view.now,
            ),
        ),
        "sites": await _sites(view, query["property_id"]),
        "properties": await labels_of(view, PROPERTY, [one["property_id"] for one in page["data"]]),
        "people": await _people(view, page["data"]),
    }
    return Rendered("keys/list.html", values)


async def show_new(view: PageRequest) -> Result:
    kind = view.form_field("kind") or view.query_param("kind", KINDS[0])
    values = {
        "kind": kind if kind in KINDS else KINDS[0],
        "scopes": SCOPE_NAMES,
        "sites": await _sites(
            view, view.form_field("property_id") or view.query_param("property_id")
        ),
        "property_id": view.query_param("property_id"),
    }
    return Rendered("keys/new.html", values)


async def create(view: PageRequest) -> Result:
    family = family_of(view.form_field("kind"))
    body = created_of(view, family)
    if view.is_check:
        validate_body(family.create, body)
        return await show_new(view)
    made = await view.call(family.create, body=body)
    return await _once(view, family, made)


async def show_one(view: PageRequest) -> Result:
    family = get_family(view)
    key = await view.call(family.read, path={"id": view.path["id"]})
    if key["environment"] != view.environment:
        return Redirected(
            view.url("key", family=family.name, id=key["id"], environment=key["environment"])
        )
    is_counted = family is SDK
    values = {
        "family": family.name,
        "key": key,
        "use": {
            "counted": is_counted,
            "last_hour": await _recent_calls(view, key["id"]) if is_counted else 0,
        },
        "last_day": _day_of(view, key["expires_at"]),
        "properties": await labels_of(view, PROPERTY, [key["property_id"]]),
        "people": await _people(view, [key]),
    }
    return Rendered("keys/key.html", values)


async def save(view: PageRequest) -> Result:
    family = get_family(view)
    key = await view.call(family.read, path={"id": view.path["id"]})
    body: dict[str, Any] = {"name": view.form_field("name")}
    if view.form_field("expires_at").strip() != _day_of(view, key["expires_at"]):
        body["expires_at"] = end_of(view)
    if view.is_check:
        validate_body(family.patch, body)
        return await show_one(view)
    await view.call(
        family.patch, path={"id": view.path["id"]}, body=body, version=view.form_version or 0
    )
    return Redirected(view.url("key", family=family.name, id=view.path["id"]), flash="saved")


async def rotate(view: PageRequest) -> Result:
    family = get_family(view)
    made = await view.call(family.rotate, path={"id": view.path["id"]})
    return await _once(view, family, made)


async def revoke(view: PageRequest) -> Result:
    family = get_family(view)
    await view.call(family.revoke, path={"id": view.path["id"]})
    return Redirected(view.url("key", family=family.name, id=view.path["id"]), flash="key_revoked")


async def _sites(view: PageRequest, chosen: str) -> Offer:
    return await offer(view, PROPERTY, "property_id", chosen=[chosen])


async def _people(view: PageRequest, keys: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
    """Names of the users who made *keys*, by user id; empty for a user who may not see members."""
    prefix = PERSON.prefix
    labels = await labels_of(view, PERSON, [f"{prefix}{one['created_by']}" for one in keys])
    return {value.removeprefix(prefix): name for value, name in labels.items()}


async def _recent_calls(view: PageRequest, key_id: str) -> int:
    """In the last hour. Edges count calls with SDK keys alone."""
    async with view.control.database.tenant(view.caller.account_id) as session:
        return await count_calls(session, key_id, view.now - _HOUR)


def _day_of(view: PageRequest, instant: str | None) -> str:
    """As the value of a date field, in the user's time zone."""
    if instant is None:
        return ""
    return datetime.fromisoformat(instant).astimezone(view.timezone).date().isoformat()


async def _once(view: PageRequest, family: Family, made: dict[str, Any]) -> Result:
    """The response to the form itself: it has no address and is stored nowhere."""
    values = {
        "family": family.name,
        "key": made,
        "is_shown_again": family is not INTEGRATION and made["kind"] == "publishable",
        "properties": await labels_of(view, PROPERTY, [made["property_id"]]),
    }
    return Rendered("keys/made.html", values)


SCREENS = (
    PageRoute("key_list", "/keys", show_list, needs=operations.LIST_SDK),
    PageRoute("key_create", "/keys/new", show_new, {"": create}, needs=operations.CREATE_SDK),
    PageRoute(
        "key",
        "/keys/<family:str>/<id:str>",
        show_one,
        {"save": save, "rotate": rotate, "revoke": revoke},
        needs=operations.GET_SDK,
    ),
)
