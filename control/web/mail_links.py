"""The pages that our mails lead to: verifying an address, choosing a new password, accepting an invitation."""

from pydantic import ValidationError

from control.context import ControlContext
from control.email_verification import operations as email_verification
from control.email_verification.verify import confirm_verification
from control.http.faults import refusal_of
from control.members import operations as members
from control.members.acceptance import join, prove
from control.members.schemas import InvitationAccept
from control.passwords import operations as passwords
from control.passwords.reset import confirm_reset, prepare_reset
from control.passwords.schemas import PasswordResetConfirm
from control.web.forms import FormPage, Sent


async def verify_email(control: ControlContext, sent: Sent) -> None:
    async with control.database.service() as session:
        await confirm_verification(
            session, token=sent.token, origin=sent.origin, now=control.clock.now()
        )


async def reset_password(control: ControlContext, sent: Sent) -> None:
    try:
        asked = PasswordResetConfirm.model_validate(sent.fields)
    except ValidationError as error:
        raise refusal_of(error, sent.fields) from None
    now = control.clock.now()
    password_hash = await prepare_reset(control, asked.token, asked.new_password, now)
    async with control.database.service() as session:
        await confirm_reset(
            session,
            control,
            token=asked.token,
            password_hash=password_hash,
            origin=sent.origin,
            now=now,
        )


async def accept_invitation(control: ControlContext, sent: Sent) -> None:
    """A name left empty is none: who has a sign-in already needs to give no other."""
    given = {name: value for name, value in sent.fields.items() if value}
    try:
        asked = InvitationAccept.model_validate(given)
    except ValidationError as error:
        raise refusal_of(error, given) from None
    now = control.clock.now()
    proof = await prove(control, asked, now, signed_in=None)
    async with control.database.service() as session:
        await join(session, asked, proof, now=now, origin=sent.origin)


PAGES = (
    FormPage(
        "/verify-email",
        "verify_email.html",
        email_verification.CONFIRM,
        verify_email,
        "Your address is verified. Thank you.",
    ),
    FormPage(
        "/reset-password",
        "reset_password.html",
        passwords.CONFIRM_RESET,
        reset_password,
        "Your password is changed, and every session ended. Sign in with the new one.",
    ),
    FormPage(
        "/accept-invitation",
        "accept_invitation.html",
        members.ACCEPT,
        accept_invitation,
        "You are a member now. Sign in to begin.",
    ),
)
