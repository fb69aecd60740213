"""A user's own data: export, deletion, and which mails they receive."""

from contextlib import nullcontext
from enum import StrEnum

from control.dashboard.form_errors import at_field
from control.dashboard.page import LiveStream, PageRoute, Redirected, Rendered, Result, Send
from control.dashboard.page_request import PageRequest
from control.dashboard.session_cookie import end_cookie
from control.identity.own_data import operations
from control.identity.own_data.mail_topics import MAIL_TOPICS, OptionalMail, WeeklyMail

_CHOICES: dict[str, type[StrEnum]] = {"off": OptionalMail, "monthly": WeeklyMail}
"""By the field of the API, which is also the value of the form's list; any other value: as often as usual."""


async def show(view: PageRequest) -> Result:
    role = view.caller.role
    choices = await view.call(operations.GET_MAILS)
    topics = [one for one in MAIL_TOPICS if not one.roles or role in one.roles]
    return Rendered("profile/my_data.html", {"topics": topics, **choices})


async def choose_mails(view: PageRequest) -> Result:
    """Mails that the form lacks, because the user's role does not receive them, keep their choice."""
    before = await view.call(operations.GET_MAILS)

    def is_chosen(choice: str, kind: str) -> bool:
        sent = view.form_field(f"mail.{kind}")
        return sent == choice if sent else kind in before[choice]

    body = {
        choice: [one.value for one in kinds if is_chosen(choice, one.value)]
        for choice, kinds in _CHOICES.items()
    }
    await view.call(operations.SET_MAILS, body=body)
    return Redirected(view.url("my_data"), flash="saved")


async def export(view: PageRequest) -> Result:
    with at_field("password", "export_password"):
        answer = await view.execute(
            view.surface.endpoints[operations.EXPORT_OWN.id],
            body={"password": view.form_field("export_password")},
        )
    return download(answer.body)


def download(own_data: bytes) -> LiveStream:
    async def run(send: Send) -> None:
        await send(own_data)

    return LiveStream(run, "application/json", nullcontext(), "placard-my-data.json")


async def delete(view: PageRequest) -> Result:
    """Every session of the user ends, so the browser deletes its cookie."""
    body = {
        "password": view.form_field("password"),
        "close_accounts": view.form.get("close_accounts", ["off"])[-1] == "on",
    }
    await view.call(operations.DELETE_OWN, body=body)
    return Redirected(
        view.url("sign_in"), flash="user_deleted", cookies=(end_cookie(view.control),)
    )


SCREENS = (
    PageRoute(
        "my_data",
        "/profile/data",
        show,
        {"mails": choose_mails, "export": export, "delete": delete},
        of_environment=False,
    ),
)
