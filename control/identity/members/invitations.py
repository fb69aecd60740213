"""Creates invitations: the one-time token, and the mail that carries it."""

from datetime import datetime, timedelta

from sqlmodel import col, select

from common.values.ids import new_id
from common.values.messages import Message
from control.api.authentication import new_token, token_hash
from control.api.call import Call
from control.api.mail.kinds import MailKind
from control.api.mail.letter import Letter, Recipient, write_letter
from control.api.mail.outbox import check_recipient, queue_mail
from control.foundation.rate_limit import Rate, check_rate
from control.identity.accounts.proofs import check_address_verified
from control.identity.members.schemas import MemberCreate
from control.identity.users.names import quoted
from control.storage.tables.accounts import AccountRow, UserRow
from control.storage.tables.members import InvitationRow

PREFIX = "iv_"
GOOD_FOR = timedelta(days=7)
KEPT = timedelta(days=30)
"""Time after its expiry during which an invitation can still be seen and sent again."""
_HOUR_S = 3600.0


def new_invitation(call: Call, body: MemberCreate) -> tuple[InvitationRow, str]:
    """The row and the text of its token. Only a hash of the token is stored."""
    token = new_token(PREFIX)
    row = InvitationRow(
        id=new_id(),
        account_id=call.principal.account_id,
        email=body.email,
        role=body.role.value,
        token_hash=token_hash(token),
        invited_by=call.principal.user_id or "",
        expires_at=call.now + GOOD_FOR,
        created_at=call.now,
        updated_at=call.now,
    )
    return row, token


def renew(row: InvitationRow, now: datetime) -> str:
    """The text of a new token; the old one becomes invalid."""
    token = new_token(PREFIX)
    row.token_hash = token_hash(token)
    row.expires_at = now + GOOD_FOR
    return token


async def send(call: Call, row: InvitationRow, token: str) -> None:
    """
    Queue the mail. Raises `Refused`: ``email_unverified`` until the account's address is verified, ``rate_limited`` if
    the account sends too many invitations or the address has received its mails of the day.
    """
    account = await call.session.get_one(AccountRow, row.account_id)
    check_address_verified(account)
    count = call.control.settings.invitations_per_hour
    rate = Rate(count, _HOUR_S, burst=count)
    now_s = call.control.clock.monotonic_s()
    check_rate(call.control.limiter, f"invitations:{row.account_id}", rate, now_s)
    await check_recipient(call.session, row.email, keys=call.control.keys, now=call.now)
    inviter = (
        await call.session.execute(
            select(col(UserRow.name), col(UserRow.language)).where(
                col(UserRow.id) == call.principal.user_id
            )
        )
    ).one_or_none()
    letter = invitation_letter(
        row, token, account.name, str(inviter and inviter.name), call.control.settings.control_url
    )
    # The language of somebody who may have no user yet is not known: that of the inviter is the best guess.
    to = Recipient(row.email, inviter.language if inviter else None)
    queue_mail(
        call.session,
        write_letter(letter, to),
        kind=MailKind.INVITATION,
        account_id=row.account_id,
        keys=call.control.keys,
        now=call.now,
    )


def invitation_letter(
    row: InvitationRow, token: str, account: str, inviter: str, control_url: str
) -> Letter:
    """Senders choose the names in the mail, so names are quoted, shortened, without links, and never in the subject."""
    return Letter(
        Message("You are invited to join an account on Placard"),
        (
            # An owner who gave no name has that of the account.
            Message(
                "You are invited to join {account} on Placard as {role}.",
                account=quoted(account),
                role=row.role,
            )
            if inviter == account
            else Message(
                "{inviter} invites you to join {account} on Placard as {role}.",
                inviter=quoted(inviter),
                account=quoted(account),
                role=row.role,
            ),
            Message(
                "To accept, open the link by {until} (UTC).",
                until=row.expires_at,
            ),
        ),
        (Message("Accept the invitation"), f"{control_url}/accept-invitation?token={token}"),
        after=(Message("If you do not know the sender, please ignore this email."),),
    )
