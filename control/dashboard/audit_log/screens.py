"""The audit log, shown as sentences."""

from typing import Any

from sqlalchemy import select
from sqlmodel import col

from control.dashboard.audit_log.audit_messages import PHRASES, phrase_of
from control.dashboard.billing.names import people_of
from control.dashboard.page import PageRoute, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pickers.object_types import PERSON
from control.dashboard.pickers.options import Offer, offer
from control.identity.audit_log import operations
from control.storage.tables.campaigns import AdRow, CampaignRow
from control.storage.tables.properties import KeyRow, PropertyRow, SlotRow

_FILTERS = ("actor", "action", "object_type", "object_id", "since", "until", "cursor")
_NAMED = {
    "campaign": CampaignRow,
    "ad": AdRow,
    "property": PropertyRow,
    "slot": SlotRow,
    "sdk_key": KeyRow,
    "integration_key": KeyRow,
}
_KEY = "key:"
_NO_PEOPLE = ("operator", "system")
_DAY_CHARS = len("2026-01-01")


async def show(view: PageRequest) -> Result:
    asked = {name: view.asked(name) for name in _FILTERS}
    page = await view.call(operations.LIST, query={**_instants(asked), "limit": 50})
    lines = page["data"]
    values = {
        "page": page,
        "asked": asked,
        "people_offered": await _people(view, asked["actor"]),
        "people": await people_of(view, (line["actor"] for line in lines)),
        "objects": await _names(view, lines),
        "actions": sorted(PHRASES.items(), key=lambda pair: pair[1]),
        "phrase_of": phrase_of,
        "query": {name: value for name, value in asked.items() if name != "cursor"},
        "is_filtered": any(asked[name] for name in _FILTERS if name != "cursor"),
    }
    return Rendered("audit_log/audit_log.html", values)


async def _people(view: PageRequest, chosen: str) -> Offer:
    return await offer(view, PERSON, "actor", chosen=() if chosen in _NO_PEOPLE else [chosen])


def _instants(asked: dict[str, str]) -> dict[str, str]:
    """A day from the form means its first moment, UTC."""
    return {
        name: f"{value}T00:00:00Z"
        if name in ("since", "until") and len(value) == _DAY_CHARS
        else value
        for name, value in asked.items()
    }


async def _names(view: PageRequest, lines: list[dict[str, Any]]) -> dict[str, str]:
    """Names, by id, of the lines' objects and of the keys that acted."""
    wanted: dict[Any, set[str]] = {}
    for line in lines:
        if table := _NAMED.get(line["object_type"]):
            wanted.setdefault(table, set()).add(line["object_id"])
        if line["actor"].startswith(_KEY):
            wanted.setdefault(KeyRow, set()).add(line["actor"].removeprefix(_KEY))
    account_id = view.caller.account_id
    found: dict[str, str] = {}
    async with view.control.database.tenant(account_id) as session:
        for table, ids in wanted.items():
            rows = await session.execute(
                select(col(table.id), col(table.name)).where(
                    col(table.account_id) == account_id, col(table.id).in_(ids)
                )
            )
            found |= {row.id: row.name for row in rows}
    return found


SCREENS = (PageRoute("audit_log", "/audit-log", show, of_environment=False, needs=operations.LIST),)
