"""
The page of a user who is a member of no account: they export their data, or delete their user.

There is no session without an account. The sign-in shows this page, and its forms carry a ticket (`by_ticket`).
"""

from control.dashboard.form_errors import at_field
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.profile.my_data import download
from control.identity.own_data import by_ticket


def page_for(ticket: str) -> Rendered:
    return Rendered("sign_in/own_data.html", {"ticket": ticket})


async def show(view: PageRequest) -> Result:
    ticket = view.form_field("ticket")
    return page_for(ticket) if ticket else Redirected(view.url("sign_in"))


async def export(view: PageRequest) -> Result:
    body = {"ticket": view.form_field("ticket"), "password": view.form_field("export_password")}
    with at_field("password", "export_password"):
        answer = await view.execute(by_ticket.EXPORT, body=body)
    return download(answer.body)


async def delete(view: PageRequest) -> Result:
    body = {name: view.form_field(name) for name in ("ticket", "password")}
    await view.execute(by_ticket.DELETE, body=body)
    return Redirected(view.url("sign_in"), flash="user_deleted")


SCREENS = (
    PageRoute(
        "own_data",
        "/sign-in/data",
        show,
        {"export": export, "delete": delete},
        of_environment=False,
        is_public=True,
    ),
)
