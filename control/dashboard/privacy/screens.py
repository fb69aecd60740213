"""Privacy requests: what is stored about a visitor is exported or erased, by the publisher's own id of the visitor."""

from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pager import pager_of
from control.identity.privacy_requests import operations
from control.identity.privacy_requests.queries import wanted_requests

KINDS = {"export": "Export", "erase": "Erase"}
PLACES = {
    "database": ("Database", "Every table that has the visitor's uid."),
    "events": ("Events", "Stored events, by a hash of the uid on each property."),
    "frequency_caps": (
        "Frequency caps",
        "What edges count for frequency caps, by the uid on each property.",
    ),
    "event_log": (
        "Events in transit",
        "They have no uid. The hash that they carry is deleted with them within days.",
    ),
    "stored_answers": (
        "Stored responses",
        "They repeat no uid, and are kept for 24 hours under a hash.",
    ),
    "audit_log": ("Audit log", "Entries name fields, never their values."),
}
"""The places of the API, and what is searched there. Both tables are in the catalogues."""


async def show_list(view: PageRequest) -> Result:
    query = {name: view.query_param(name) for name in ("status", "cursor")}
    page = await view.call(operations.LIST, query={**query, "limit": 50})
    values = {
        "page": page,
        "pager": await pager_of(
            view,
            operations.LIST,
            query,
            page,
            wanted_requests(view.caller.account_id, view.list_query(operations.LIST, query)),
        ),
        "kinds": KINDS,
    }
    return Rendered("privacy/requests.html", values)


async def create(view: PageRequest) -> Result:
    body = {"uid": view.form_field("uid"), "kind": view.form_field("kind")}
    made = await view.call(operations.CREATE, body=body)
    return Redirected(view.url("privacy_request", id=made["id"]), flash="privacy_requested")


async def show(view: PageRequest) -> Result:
    found = await view.call(operations.GET, path={"id": view.path["id"]})
    return Rendered(
        "privacy/request.html", {"privacy_request": found, "kinds": KINDS, "places": PLACES}
    )


SCREENS = (
    PageRoute(
        "privacy_requests",
        "/privacy",
        show_list,
        {"": create},
        of_environment=False,
        needs=operations.CREATE,
    ),
    PageRoute(
        "privacy_request", "/privacy/<id:str>", show, of_environment=False, needs=operations.GET
    ),
)
