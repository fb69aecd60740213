"""
The pages that links in mails lead to, and the page that requests such a mail.

Viewing a page does not use up its token, because mail scanners follow links; the form's POST does.
"""

from common.values.errors import Refused
from control.dashboard.email_links.invitation import accept, show_invitation, token_of
from control.dashboard.page import PageRoute, Redirected, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.sign_in.screens import start_of
from control.identity.email_verification import operations as email_verification
from control.identity.email_verification.verify import ALREADY_VERIFIED
from control.identity.passwords import operations as passwords


async def show_verification(view: PageRequest) -> Result:
    return Rendered("email_links/verify_email.html", {"token": token_of(view)})


async def verify(view: PageRequest) -> Result:
    """A second click on the link is no mistake: the page states that the address is verified already."""
    flash = "email_verified"
    try:
        await view.call(email_verification.CONFIRM, body={"token": token_of(view)})
    except Refused as refused:
        if ALREADY_VERIFIED not in (detail.code for detail in refused.details):
            raise
        flash = "email_verified_already"
    there = start_of(view) if view.is_signed_in else view.url("sign_in")
    return Redirected(there, flash=flash)


async def show_forgotten(_: PageRequest) -> Result:
    return Rendered("email_links/forgot_password.html")


async def request_reset(view: PageRequest) -> Result:
    await view.call(passwords.RESET, body={"email": view.form_field("email").strip()})
    return Redirected(view.url("sign_in"), flash="reset_asked")


async def show_reset(view: PageRequest) -> Result:
    return Rendered("email_links/reset_password.html", {"token": token_of(view)})


async def reset(view: PageRequest) -> Result:
    body = {"token": token_of(view), "new_password": view.form_field("new_password")}
    await view.call(passwords.CONFIRM_RESET, body=body)
    return Redirected(view.url("sign_in"), flash="password_reset")


SCREENS = (
    PageRoute(
        "forgot_password",
        "/forgot-password",
        show_forgotten,
        {"": request_reset},
        of_environment=False,
        is_public=True,
    ),
    *(
        PageRoute(
            name,
            path,
            show,
            {"": act},
            of_environment=False,
            is_public=True,
            keeps_token=True,
        )
        for name, path, show, act in (
            ("verify_email", "/verify-email", show_verification, verify),
            ("reset_password", "/reset-password", show_reset, reset),
            ("accept_invitation", "/accept-invitation", show_invitation, accept),
        )
    ),
)
