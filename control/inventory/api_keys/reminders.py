"""Sends a weekly mail to owners and admins while keys of their account are older than recommended."""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import exists, or_
from sqlmodel import col, select

from common.contract.permissions import Role
from common.values.enums import AccountState
from common.values.environment import Environment
from common.values.messages import Message
from control.api.context import ControlContext
from control.api.job_items import FailedItems
from control.api.key_status import due_for_rotation
from control.api.mail.letter import Letter, write_letter
from control.api.mail.outbox import queue_mail
from control.identity.own_data.mail_kinds import OptionalMail
from control.identity.users.names import quoted
from control.inventory.api_keys.queries import SDK_KINDS
from control.inventory.domain_verification.queries import list_owners
from control.storage.tables.accounts import AccountRow
from control.storage.tables.properties import KeyRow

EVERY = timedelta(days=7)
_AT_ONCE = 200
_MAX_NAMED = 20


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
        for owner in await list_owners(
            session, account_id, also=Role.ADMIN, kind=OptionalMail.KEYS_TO_ROTATE
        ):
            mail = write_letter(letter, owner)
            queue_mail(
                session,
                mail,
                kind=OptionalMail.KEYS_TO_ROTATE,
                account_id=account_id,
                keys=control.keys,
                now=now,
            )


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
