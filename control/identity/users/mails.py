"""Mails to users. Plain text: a request contains a link, and a notice says what to do."""

from datetime import datetime
from urllib.parse import quote

from sqlalchemy.ext.asyncio import AsyncSession

from common.service.secrets import KeyRing
from control.api.mail.outbox import queue_mail
from control.ports.mail import Mail

_NOT_YOU = "If this was not you, reset your password now: someone else has access to your account."


def verification_mail(email: str, token: str, base_url: str) -> Mail:
    return Mail(
        to=email,
        subject="Verify your email address",
        text=(
            "Welcome to Placard.\n\n"
            "Please verify your email address:\n\n"
            f"{_link(base_url, 'verify-email', token)}\n\n"
            "The link works for 7 days. If you did not sign up, please ignore this email.\n"
        ),
    )


def reset_mail(email: str, token: str, base_url: str) -> Mail:
    return Mail(
        to=email,
        subject="Reset your Placard password",
        text=(
            "We received a request to reset the password for this address. To choose a new one, open:\n\n"
            f"{_link(base_url, 'reset-password', token)}\n\n"
            "The link works once, within one hour. If you did not request it, please ignore this email: "
            "your password is unchanged.\n"
        ),
    )


def password_changed_mail(email: str) -> Mail:
    return _mail(
        email,
        "Your password was changed",
        "Your password was changed, and all your other sessions were ended.",
    )


def factor_added_mail(email: str) -> Mail:
    return _mail(
        email,
        "Second factor turned on",
        "Signing in now needs a code from your authenticator app.",
    )


def factor_removed_mail(email: str) -> Mail:
    return _mail(email, "Second factor turned off", "Signing in no longer needs a code.")


def recovery_used_mail(email: str, left: int) -> Mail:
    return _mail(
        email,
        "A recovery code was used",
        f"A recovery code was used to sign in. You have {left} left. "
        "To get new ones, turn the second factor off and on.",
    )


def queue_mail_to_user(
    session: AsyncSession, mail: Mail, *, kind: str, keys: KeyRing, now: datetime
) -> str:
    """Queue a mail to a user; the mail belongs to no account."""
    return queue_mail(session, mail, kind=kind, account_id=None, keys=keys, now=now)


def _mail(email: str, subject: str, what: str) -> Mail:
    return Mail(to=email, subject=subject, text=f"{what}\n\n{_NOT_YOU}\n")


def _link(base_url: str, page: str, token: str) -> str:
    return f"{base_url.rstrip('/')}/{page}?token={quote(token)}"
