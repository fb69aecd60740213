"""
The life of a property's shared secret, pure. The next secret is made before the old one ends, so no event is lost.

verify (pending) ──every edge has it──► sign ──another took over──► verify ──no token of it counts──► retired
                                                                       └────── 400 days ──────► deleted

Edges verify by every secret of the property that is not deleted, and sign by the one that signs. So a token made
before, during or after each step verifies on every edge.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from common.snapshot.model import SecretState
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.outbox.objects import CLICK_RETENTION
from control.storage.tables.properties import PropertySecretRow

RETIRED = "retired"
LONGEST_COUNTED = timedelta(days=30, minutes=5)
"""The longest life of a token that still counts: an email's, with the leeway of both clocks."""
_MAX_KEPT = 50
"""Limit, because every secret is sent to every edge with its property."""


def may_sign(
    secret: PropertySecretRow, now: datetime, wait: timedelta, acknowledged: int | None
) -> bool:
    """
    Whether every edge that can be checked has *secret*.

    *acknowledged*: the version that every living worker has; None if unknown. If a worker never acknowledges, time
    decides: *wait* is longer than an edge may lag behind before it stops serving live traffic.
    """
    if not is_pending(secret):
        return False
    known = secret.known_version
    is_known = known is not None and acknowledged is not None and known <= acknowledged
    return is_known or secret.created_at + wait <= now


def is_pending(secret: PropertySecretRow) -> bool:
    return secret.state == SecretState.VERIFY and secret.signed_until is None


def may_retire(secret: PropertySecretRow, now: datetime, wait: timedelta) -> bool:
    """Whether its tokens no longer count; an edge may have signed with it for *wait* longer."""
    ended = secret.signed_until
    return (
        secret.state == SecretState.VERIFY
        and ended is not None
        and ended + wait + LONGEST_COUNTED <= now
    )


def may_delete(secret: PropertySecretRow, now: datetime, wait: timedelta) -> bool:
    """Whether clicks that it signed are no longer redirected."""
    ended = secret.signed_until
    return secret.state == RETIRED and ended is not None and ended + wait + CLICK_RETENTION <= now


def check_can_rotate(secrets: Sequence[PropertySecretRow], wait: timedelta) -> None:
    """Raises 409 while a rotation runs, and if the limit of secrets that edges should carry is reached."""
    pending = next((secret for secret in secrets if is_pending(secret)), None)
    if pending is not None:
        signs_at = pending.created_at + wait
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message(
                "A rotation is in progress: the secret {kid} starts signing when every edge has it, "
                "at {signs_at} at the latest. Rotate after that.",
                kid=pending.kid,
                signs_at=f"{signs_at:%Y-%m-%dT%H:%M:%SZ}",
            ),
            param="state",
        )
    if len(secrets) >= _MAX_KEPT:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message(
                "The property has {max_secrets} secrets that clicks of the last 400 days still need, "
                "the maximum. Rotate after the oldest one has expired, or contact support.",
                max_secrets=_MAX_KEPT,
            ),
            param="state",
        )


def take_over(
    secrets: Sequence[PropertySecretRow], pending: PropertySecretRow, now: datetime
) -> None:
    """*pending* signs from now on, and the previous one verifies; edges receive both changes in one step."""
    for secret in secrets:
        if secret.state == SecretState.SIGN:
            secret.state = SecretState.VERIFY.value
            secret.signed_until = now
    pending.state = SecretState.SIGN.value
