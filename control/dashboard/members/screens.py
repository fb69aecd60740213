"""The members of the account, open invitations, and their roles."""

from common.contract.permissions import Role
from control.dashboard.form_body import body_of, text, whole
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pager import pager_of
from control.dashboard.session_cookie import end_cookie
from control.identity.members import operations
from control.identity.members.queries import wanted_members
from control.identity.members.rules import grantable

WHAT_ROLES_DO = {
    Role.OWNER: "Full access, including money and closing the account.",
    Role.ADMIN: "Full access except money. Cannot add owners or finance members.",
    Role.MANAGER: "Campaigns, ads, properties and reports.",
    Role.ANALYST: "Read-only: campaigns, properties, members, reports and billing.",
    Role.FINANCE: "Invoices, wallet, payouts and reports.",
}
"""In the catalogues, as are the names of the roles."""


async def show(view: PageRequest) -> Result:
    query = {"status": view.query_param("status"), "q": view.query_param("q").strip()}
    page = await view.call(
        operations.LIST, query={**query, "limit": 50, "cursor": view.query_param("cursor")}
    )
    values = {
        "page": page,
        "status": query["status"],
        "sought": query["q"],
        "pager": await pager_of(
            view,
            operations.LIST,
            query,
            page,
            wanted_members(view.caller.account_id, view.list_query(operations.LIST, query)),
        ),
        "roles": _roles(view),
        "what_roles_do": {role.value: words for role, words in WHAT_ROLES_DO.items()},
        "now": view.now.isoformat(),
    }
    return Rendered("members/members.html", values)


async def show_one(view: PageRequest) -> Result:
    member = await view.call(operations.GET, path=view.path)
    may_touch = view.can(operations.PATCH.id) and (
        view.caller.role is Role.OWNER or member["role"] != Role.OWNER
    )
    roles, role = _roles(view), member["role"]
    values = {
        "member": member,
        "roles": roles if role in roles else [role, *roles],
        "may_touch": may_touch,
        "is_self": member["user_id"] == view.caller.user_id,
        "now": view.now.isoformat(),
    }
    return Rendered("members/member.html", values)


async def invite(view: PageRequest) -> Result:
    await view.call(operations.INVITE, body=body_of(view.form, {"email": text, "role": text}))
    return Redirected(view.url("member_list"), flash="invited")


async def change_role(view: PageRequest) -> Result:
    version = whole(view.form.get("version", [""]))
    await view.call(
        operations.PATCH,
        path=view.path,
        body={"role": view.form_field("role")},
        version=version if isinstance(version, int) else 0,
    )
    return Redirected(view.url("member_list"), flash="role_changed")


async def resend(view: PageRequest) -> Result:
    await view.call(operations.RESEND, path=view.path)
    return Redirected(view.url("member_list"), flash="invited")


async def remove(view: PageRequest) -> Result:
    await view.call(operations.REMOVE, path=view.path)
    return Redirected(view.url("member_list"), flash="removed")


async def leave(view: PageRequest) -> Result:
    await view.call(operations.LEAVE)
    return Redirected(view.url("sign_in"), flash="left", cookies=(end_cookie(view.control),))


async def show_leaving(_: PageRequest) -> Result:
    return Rendered("members/leave.html")


def _roles(view: PageRequest) -> list[str]:
    """The roles that the user may grant."""
    role = view.caller.role
    return [one.value for one in grantable(role)] if role else []


SCREENS = (
    PageRoute(
        "member_list",
        "/members",
        show,
        {"": invite},
        of_environment=False,
        needs=operations.LIST,
    ),
    PageRoute(
        "member",
        "/members/<id:str>",
        show_one,
        {"role": change_role, "resend": resend, "remove": remove},
        of_environment=False,
        needs=operations.GET,
    ),
    PageRoute("leave", "/leave", show_leaving, {"": leave}, of_environment=False),
)
