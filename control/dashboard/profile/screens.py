"""A user's own settings, independent of the account: name, language, password, sessions."""

from control.api.session_limits import limits_of
from control.dashboard.form_body import body_of, text
from control.dashboard.i18n import LANGUAGE, name_of
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.pager import pager_of
from control.dashboard.profile import my_data, second_factor
from control.dashboard.session_cookie import plain_cookie
from control.foundation.http.cookies import find_cookie
from control.foundation.languages import LANGUAGES, tag_of
from control.identity.email_verification import operations as email_verification
from control.identity.me import operations as me
from control.identity.passwords import operations as passwords
from control.identity.sessions import operations as sessions
from control.identity.sessions.queries import wanted_sessions
from control.identity.users.current_user import current_user
from control.identity.users.endpoints import LIST as LIST_ACCOUNTS

_A_YEAR_S = 31_536_000


async def show(view: PageRequest) -> Result:
    accounts = (await view.call(LIST_ACCOUNTS, query={"limit": 100}))["data"]
    listed = await view.call(
        sessions.LIST, query={"limit": 20, "cursor": view.query_param("cursor")}
    )
    values = {
        "languages": [("", ""), *((one, name_of(one)) for one in LANGUAGES)],
        "language": find_cookie(view.request, LANGUAGE) or "",
        "factor": await second_factor.status_of(view),
        "sessions": listed,
        "pager": await pager_of(
            view,
            sessions.LIST,
            {},
            listed,
            wanted_sessions(
                current_user(view.caller).user_id, limits_of(view.control.settings), view.now
            ),
        ),
        "accounts": {one["id"]: one["name"] for one in accounts},
    }
    return Rendered("profile/profile.html", values)


async def rename(view: PageRequest) -> Result:
    await view.call(me.PATCH, body=body_of(view.form, {"name": text}))
    return Redirected(view.url("profile"), flash="saved")


async def choose_language(view: PageRequest) -> Result:
    """Of the pages and of mails. Empty: the browser's language, and the present one for mails."""
    chosen = view.form_field("language")
    known = chosen if chosen in LANGUAGES else ""
    await view.call(me.PATCH, body={"language": tag_of(known or view.user_locale.language)})
    cookie = plain_cookie(view.control, LANGUAGE, known, _A_YEAR_S if known else 0)
    return Redirected(view.url("profile"), flash="saved", cookies=(cookie,))


async def change_password(view: PageRequest) -> Result:
    names = ("current_password", "new_password")
    await view.call(passwords.CHANGE, body={name: view.form_field(name) for name in names})
    return Redirected(view.url("profile"), flash="password_changed")


async def verify_email(view: PageRequest) -> Result:
    await view.call(email_verification.SEND)
    return Redirected(view.url("profile"), flash="verification_sent")


async def end_session(view: PageRequest) -> Result:
    await view.call(sessions.REVOKE, path={"id": view.form_field("id")})
    return Redirected(view.url("profile"), flash="session_ended")


async def end_others(view: PageRequest) -> Result:
    await view.call(sessions.REVOKE_OTHERS)
    return Redirected(view.url("profile"), flash="others_ended")


SCREENS = (
    PageRoute(
        "profile",
        "/profile",
        show,
        {
            "name": rename,
            "language": choose_language,
            "password": change_password,
            "verify": verify_email,
            "end": end_session,
            "end_others": end_others,
        },
        of_environment=False,
    ),
    *second_factor.SCREENS,
    *my_data.SCREENS,
)
