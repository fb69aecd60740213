"""
The progress of the rotation of a property's shared secret, and how many edge workers have the new one.

For the property's page: the API starts a rotation, and shows nothing of it afterwards.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from common.snapshot.model import SecretState
from common.values.clock import to_iso
from control.api.context import ControlContext
from control.delivery.edge_status.queries import list_living, propagation_of, read_head
from control.inventory.signing_secrets.queries import list_secrets
from control.inventory.signing_secrets.rules import is_pending
from control.storage.tables.properties import PropertySecretRow


@dataclass(frozen=True, slots=True)
class PendingSecret:
    """A new secret. ``having`` of ``workers`` accept it already; ``having`` None: no worker was checked yet."""

    kid: int
    created_at: str
    signs_at: str
    workers: int
    having: int | None


@dataclass(frozen=True, slots=True)
class Secrets:
    """
    ``earlier``: those that still verify earlier signatures, or redirect earlier clicks.

    ``since``: when it was made.
    """

    signing: int
    since: str
    pending: PendingSecret | None
    earlier: int


async def read_secrets(
    control: ControlContext, account_id: str, property_id: str, now: datetime
) -> Secrets | None:
    """
    None: a property without a secret is not served yet.

    The caller has checked that the viewer may see the property.
    """
    async with control.database.tenant(account_id) as session:
        rows = await list_secrets(session, account_id, property_id)
    signing = next((row for row in rows if row.state == SecretState.SIGN), None)
    if signing is None:
        return None
    new = next((row for row in rows if is_pending(row)), None)
    return Secrets(
        signing=signing.kid,
        since=to_iso(signing.created_at),
        pending=None if new is None else await _pending(control, new, now),
        earlier=len(rows) - 1 - (new is not None),
    )


async def _pending(control: ControlContext, row: PropertySecretRow, now: datetime) -> PendingSecret:
    async with control.database.service() as session:
        head, living = await read_head(session), await list_living(session, now)
    having = None
    if row.known_version is not None:
        standing = propagation_of(living, head.epoch, row.known_version)
        having = standing.workers - len(standing.pending)
    return PendingSecret(
        kid=row.kid,
        created_at=to_iso(row.created_at),
        signs_at=to_iso(row.created_at + timedelta(seconds=control.settings.secret_wait_s)),
        workers=len(living),
        having=having,
    )
