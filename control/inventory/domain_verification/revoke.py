"""Revokes a property's verified status: updates the row, edges, owners and the audit log, in one transaction."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from common.service.secrets import KeyRing
from common.snapshot.model import ObjectType
from common.values.enums import PropertyStatus
from control.api import audit
from control.api.versioning import raise_version
from control.inventory.domain_verification import rules
from control.inventory.domain_verification.mails import Notice, queue_mail_to_owners
from control.inventory.domain_verification.verification_state import VerificationState, column_of
from control.outbox.changes import Changes
from control.storage.tables.properties import PropertyRow

_ACTION = {Notice.LOST: "property.verification_lost", Notice.MOVED: "property.verification_moved"}


async def revoke_verification(
    session: AsyncSession,
    row: PropertyRow,
    state: VerificationState,
    notice: Notice,
    changes: Changes,
    *,
    keys: KeyRing,
    now: datetime,
) -> None:
    """*state*: the new state. The caller has locked *row*; the session is the service's."""
    row.status = PropertyStatus.UNVERIFIED.value
    row.verification = column_of(rules.lost(state))
    row.check_due_at = None
    raise_version(row, now)
    changes.touch(ObjectType.PROPERTY, row.id)
    await queue_mail_to_owners(session, row, notice, state.last_error or "", keys=keys, now=now)
    audit.record_job(session, row.account_id, _ACTION[notice], row.id, now=now)
