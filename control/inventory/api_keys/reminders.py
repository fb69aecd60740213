"""Sends a weekly or monthly mail to owners and admins while keys of their account are older than recommended."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import exists, or_, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from common.contract.permissions import Role
from common.values.enums import AccountState
from common.values.environment import Environment
from common.values.messages import Message
from control.api.context import ControlContext
from control.api.job_items import FailedItems
from control.api.key_status import due_for_rotation
from control.api.mail.kinds import MailKind
from control.api.mail.letter import Letter, Recipient, write_letter
from control.api.mail.outbox import queue_mail
from control.identity.own_data.mail_topics import A_MONTH
from control.identity.users.names import quoted
from control.inventory.api_keys.queries import SDK_KINDS
from control.storage.tables.accounts import AccountRow, MembershipRow, UserRow
from control.storage.tables.properties import KeyRow

EVERY = timedelta(days=7)
_AT_ONCE = 200
_MAX_NAMED = 20
_KIND = MailKind.KEYS_TO_ROTATE


async def remind_of_keys(control: ControlContext) -> None:
    """Process each account in its own transaction."""
    now = control.clock.now()
    has_due = exists().where(col(KeyRow.account_id) == col(AccountRow.id), due_for_rotation(now))
    reminded = col(AccountRow.keys_reminded_at)
    waiting = select(AccountRow.id).where(
        or_(reminded.is_(None), reminded <= now - EVERY),
        col(AccountRow.state) != AccountState.SUSPENDED.value,
        has_due,
    )
    failed = FailedItems()
    while True:
        async with control.database.service() as session:
            ids = (await session.scalars(waiting.limit(_AT_ONCE))).all()
        for account_id in ids:
            with failed.catching(account_id):
                await _remind(control, account_id)
        if len(ids) < _AT_ONCE or failed.ids:
            failed.raise_first()
            return


async def _remind(control: ControlContext, account_id: str) -> None:
    now = control.clock.now()
    async with control.database.service() as session:
        account = await session.get_one(AccountRow, account_id, with_for_update={"key_share": True})
        due = (
            await session.scalars(
                select(KeyRow)
                .where(col(KeyRow.account_id) == account_id, due_for_rotation(now))
                .order_by(col(KeyRow.created_at))
            )
        ).all()
        if not due:  # rotated or revoked since the accounts were listed
            return
        letter = rotation_letter(due, control.settings.control_url)
        account.keys_reminded_at = now
        for recipient in await _take_due_recipients(session, account_id, now):
            mail = write_letter(letter, recipient)
            queue_mail(
                session,
                mail,
                kind=_KIND,
                account_id=account_id,
                keys=control.keys,
                now=now,
            )


async def _take_due_recipients(
    session: AsyncSession, account_id: str, now: datetime
) -> Sequence[Recipient]:
    """Owners and admins who want the mail now. Stores that they had it."""
    reminded = col(MembershipRow.keys_reminded_at)
    wanted = (
        update(MembershipRow)
        .where(
            col(MembershipRow.account_id) == account_id,
            col(MembershipRow.role).in_((Role.OWNER.value, Role.ADMIN.value)),
            col(UserRow.id) == col(MembershipRow.user_id),
            ~col(UserRow.mails_off).contains([_KIND.value]),
            or_(
                ~col(UserRow.mails_monthly).contains([_KIND.value]),
                reminded.is_(None),
                reminded <= now - A_MONTH,
            ),
        )
        .values(keys_reminded_at=now)
        .returning(col(UserRow.email), col(UserRow.language))
        .execution_options(synchronize_session=False)
    )
    return [Recipient(*row) for row in await session.execute(wanted)]


def rotation_letter(keys: Sequence[KeyRow], control_url: str) -> Letter:
    """*keys*: at least one. *control_url*: of the dashboard."""
    return Letter(
        Message("Keys to rotate"),
        (
            Message("{count} keys of your account are older than 90 days.", count=len(keys))
            if len(keys) > 1
            else Message("A key of your account is older than 90 days."),
            Message("To rotate a key, create a new one, deploy it, then revoke the old one."),
        ),
        (Message("Open the keys"), f"{control_url}{_list_with(keys)}"),
        items=tuple(
            Message(
                "{name}, {kind}, {environment}, ...{last4}, {day}",
                name=quoted(key.name),
                kind=key.kind,
                environment=key.environment,
                last4=key.last4,
                day=key.created_at.date(),
            )
            for key in keys[:_MAX_NAMED]
        ),
    )


def _list_with(keys: Sequence[KeyRow]) -> str:
    """The path of a list with some of *keys*. Live keys are preferred, because they matter more."""
    live = [key for key in keys if key.environment == Environment.LIVE]
    shown = live or keys
    family = "" if any(key.kind in SDK_KINDS for key in shown) else "?family=integration"
    return f"/{shown[0].environment}/keys{family}"
