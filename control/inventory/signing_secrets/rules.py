"""
The life of a property's shared secret, pure: made before the old one breaks, so that no event is lost.

verify (coming) ──every edge has it──► sign ──another took over──► verify ──no token of it counts──► retired
                                                                       └────── 400 days ──────► forgotten

Edges verify by every secret of the property that is not forgotten, and sign by the one that signs. So a token made
before, during or after each step verifies on every edge.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from common.snapshot.model import SecretState
from common.values.errors import ErrorCode, Refused
from control.outbox.objects import CLICK_KEPT
from control.storage.tables.properties import PropertySecretRow

RETIRED = "retired"
LONGEST_COUNTED = timedelta(days=30, minutes=5)
"""The longest life of a token that still counts: an email's, with the leeway of both clocks."""
_MAX_KEPT = 50
"""Each of them travels to every edge with its property."""


def may_sign(
    secret: PropertySecretRow, now: datetime, wait: timedelta, acknowledged: int | None
) -> bool:
    """
    Whether every edge that could be asked knows *secret*.

    *acknowledged*: the version that every living worker has, None where that is not known. Where one never
    acknowledges, time stands for it: *wait* is longer than an edge may lag behind before it stops serving live traffic.
    """
    if not is_coming(secret):
        return False
    known = secret.known_version
    is_known = known is not None and acknowledged is not None and known <= acknowledged
    return is_known or secret.created_at + wait <= now


def is_coming(secret: PropertySecretRow) -> bool:
    return secret.state == SecretState.VERIFY and secret.signed_until is None


def may_retire(secret: PropertySecretRow, now: datetime, wait: timedelta) -> bool:
    """Whether no token it signed counts any more; an edge that lagged by *wait* signed with it as long."""
    ended = secret.signed_until
    return (
        secret.state == SecretState.VERIFY
        and ended is not None
        and ended + wait + LONGEST_COUNTED <= now
    )


def may_forget(secret: PropertySecretRow, now: datetime, wait: timedelta) -> bool:
    """Whether no click it signed is redirected any more."""
    ended = secret.signed_until
    return secret.state == RETIRED and ended is not None and ended + wait + CLICK_KEPT <= now


def check_can_rotate(secrets: Sequence[PropertySecretRow], wait: timedelta) -> None:
    """Raises 409 while a rotation runs, and where as many secrets as edges should carry are still needed."""
    coming = next((secret for secret in secrets if is_coming(secret)), None)
    if coming is not None:
        signs_at = coming.created_at + wait
        raise Refused(
            ErrorCode.INVALID_STATE,
            f"A rotation runs: secret {coming.kid} signs when every edge has it, at {signs_at:%Y-%m-%dT%H:%M:%SZ} at "
            "the latest. Rotate after that.",
            param="state",
        )
    if len(secrets) >= _MAX_KEPT:
        raise Refused(
            ErrorCode.INVALID_STATE,
            f"{_MAX_KEPT} secrets of the property are still needed by clicks of the last 400 days. "
            "Rotate when the oldest is forgotten, or ask support.",
            param="state",
        )


def take_over(
    secrets: Sequence[PropertySecretRow], coming: PropertySecretRow, now: datetime
) -> None:
    """*coming* signs from now on, and the one that did verifies; edges hear of both in one step."""
    for secret in secrets:
        if secret.state == SecretState.SIGN:
            secret.state = SecretState.VERIFY.value
            secret.signed_until = now
    coming.state = SecretState.SIGN.value
