"""Mails to users: a request contains a link, and a notice states what to do."""

from datetime import datetime
from urllib.parse import quote

from sqlalchemy.ext.asyncio import AsyncSession

from common.service.secrets import KeyRing
from common.values.messages import Message
from control.api.mail.kinds import MailKind
from control.api.mail.letter import Letter, Recipient, write_letter
from control.api.mail.outbox import queue_mail
from control.storage.tables.accounts import UserRow

_NOT_YOU = Message(
    "If this was not you, reset your password now: someone else has access to your account."
)


def recipient_of(user: UserRow) -> Recipient:
    return Recipient(user.email, user.language)


def verification_letter(token: str, base_url: str) -> Letter:
    return Letter(
        Message("Verify your email address"),
        (Message("Welcome to Placard."), Message("Please verify your email address.")),
        (Message("Verify my address"), _link(base_url, "verify-email", token)),
        after=(
            Message("The link works for 7 days."),
            Message("If you did not sign up, please ignore this email."),
        ),
    )


def reset_letter(token: str, base_url: str) -> Letter:
    return Letter(
        Message("Reset your Placard password"),
        (
            Message("We received a request to reset the password for this address."),
            Message("To choose a new password, open the link."),
        ),
        (Message("Choose a new password"), _link(base_url, "reset-password", token)),
        after=(
            Message("The link works once, within one hour."),
            Message(
                "If you did not request it, please ignore this email: your password is unchanged."
            ),
        ),
    )


def password_changed_letter() -> Letter:
    return _notice(
        Message("Your password was changed"),
        Message("Your password was changed, and all your other sessions were ended."),
    )


def factor_added_letter() -> Letter:
    return _notice(
        Message("Second factor turned on"),
        Message("Signing in now needs a code from your authenticator app."),
    )


def factor_removed_letter() -> Letter:
    return _notice(
        Message("Second factor turned off"), Message("Signing in no longer needs a code.")
    )


def recovery_used_letter(left: int) -> Letter:
    return _notice(
        Message("A recovery code was used"),
        Message("A recovery code was used to sign in. You have {left} left.", left=left),
        Message("To get new ones, turn the second factor off and on."),
    )


def queue_letter_to_user(
    session: AsyncSession,
    letter: Letter,
    to: Recipient,
    *,
    kind: MailKind,
    keys: KeyRing,
    now: datetime,
) -> str:
    """Queue a mail to a user; the mail belongs to no account."""
    mail = write_letter(letter, to)
    return queue_mail(session, mail, kind=kind, account_id=None, keys=keys, now=now)


def _notice(subject: Message, *what: Message) -> Letter:
    return Letter(subject, (*what, _NOT_YOU))


def _link(base_url: str, page: str, token: str) -> str:
    return f"{base_url.rstrip('/')}/{page}?token={quote(token)}"
