"""
When the owners of an account are warned of an end, pure: of a subscription that runs out, or of an unpaid invoice.

Days count from the day of the end: the subscription's last, or the invoice's due date.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class NoticePlan:
    """
    ``days``: when mails leave, ascending, negative before the end. ``suspend_day``: when the account is suspended, if
    ``needed`` of the mails were accepted by the mail server by then.
    """

    days: tuple[int, ...]
    suspend_day: int
    needed: int


@dataclass(frozen=True, slots=True)
class Sent:
    """What was sent of one end so far: the days, ascending, and of how many days the server accepted a mail."""

    days: tuple[int, ...] = ()
    accepted: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """What is due now. ``notice_day``: the day whose mail leaves, None for no mail."""

    notice_day: int | None = None
    suspends: bool = False


def next_step(plan: NoticePlan, end_at: datetime, sent: Sent, now: datetime) -> Step:
    """
    A scheduler that was away sends the newest mail that is due, not all it missed.

    While too few mails were accepted, nobody is suspended: a mail a day leaves until there are enough.
    """
    today = (now - end_at) // timedelta(days=1)
    last = sent.days[-1] if sent.days else None
    if today >= plan.suspend_day and sent.accepted >= plan.needed:
        return Step(suspends=True)
    due = max((day for day in plan.days if day <= today), default=None)
    if due is not None and (last is None or last < due):
        return Step(notice_day=due)
    if today >= plan.suspend_day and (last is None or last < today):
        return Step(notice_day=today)
    return Step()
