"""The audit log, shown as sentences."""

from control.dashboard.audit_log.audit_messages import GROUPS, phrase_of
from control.dashboard.page import PageRoute, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pager import pager_of
from control.dashboard.pickers.options import Offer, offer
from control.dashboard.pickers.queries import PERSON
from control.dashboard.queries import read_names
from control.identity.audit_log import operations
from control.identity.audit_log.queries import wanted_lines

_FILTERS = ("actor", "action", "object_type", "object_id", "since", "until", "cursor")
_NO_PEOPLE = ("operator", "system")
_DAY_CHARS = len("2026-01-01")


async def show(view: PageRequest) -> Result:
    query = {name: view.query_param(name) for name in _FILTERS}
    filters = _instants(query)
    page = await view.call(operations.LIST, query={**filters, "limit": 50})
    lines = page["data"]
    ids = [one for line in lines for one in (line["object_id"], line["actor"].rpartition(":")[2])]
    names = await read_names(view, ids)
    values = {
        "page": page,
        "params": query,
        "pager": await pager_of(
            view,
            operations.LIST,
            query,
            page,
            wanted_lines(view.caller.account_id, view.list_query(operations.LIST, filters)),
        ),
        "people_offered": await _users(view, query["actor"]),
        "people": {f"user:{one}": name for one, name in names.items()},
        "objects": names,
        "groups": GROUPS,
        "phrase_of": phrase_of,
        "is_filtered": any(query[name] for name in _FILTERS if name != "cursor"),
    }
    return Rendered("audit_log/audit_log.html", values)


async def _users(view: PageRequest, chosen: str) -> Offer:
    return await offer(view, PERSON, "actor", chosen=() if chosen in _NO_PEOPLE else [chosen])


def _instants(query: dict[str, str]) -> dict[str, str]:
    """A day from the form means its first moment, UTC."""
    return {
        name: f"{value}T00:00:00Z"
        if name in ("since", "until") and len(value) == _DAY_CHARS
        else value
        for name, value in query.items()
    }


SCREENS = (PageRoute("audit_log", "/audit-log", show, of_environment=False, needs=operations.LIST),)
