"""A mail in the form of RFC 5322. Only the standard library writes header lines, so that none can be forged."""

from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import parseaddr

from control.ports.mail import Mail, MailRefused

SENDER = "Placard"
"""The sender's name where `PLACARD_MAIL_FROM` has only an address."""


def to_message(mail: Mail, *, sender: str, message_id: str, now: datetime) -> EmailMessage:
    """Raises `MailRefused` for an address or a subject that a header cannot hold (such as one with a line break)."""
    message = EmailMessage(policy=SMTP)
    try:
        message["From"] = sender if parseaddr(sender)[0] else f"{SENDER} <{sender}>"
        message["To"] = mail.to
        message["Subject"] = mail.subject
        message["Message-ID"] = message_id
    except ValueError as error:
        raise MailRefused(f"no such header can be written: {error}") from error
    message["Date"] = now
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: no out-of-office answers
    message.set_content(mail.text, charset="utf-8", cte="quoted-printable")
    if mail.html is not None:
        message.add_alternative(mail.html, subtype="html", charset="utf-8", cte="quoted-printable")
    return message
