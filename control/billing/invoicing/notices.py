"""
Schedules the warnings to owners before a subscription expires or an unpaid invoice suspends the account. Pure.

Days count from the end: the end of the subscription, or the due date of the invoice.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class NoticePlan:
    """
    ``days``: the days on which mails are sent, ascending; negative before the end. ``suspend_day``: the day on which
    the account is suspended, if the mail server has accepted ``needed`` of the mails by then.
    """

    days: tuple[int, ...]
    suspend_day: int
    needed: int


@dataclass(frozen=True, slots=True)
class Sent:
    """Warnings sent about one end: their days, ascending, and the number of days whose mail the server accepted."""

    days: tuple[int, ...] = ()
    accepted: int = 0


@dataclass(frozen=True, slots=True)
class NoticeStep:
    """The action that is due now. ``notice_day``: the day whose mail is sent; None: no mail."""

    notice_day: int | None = None
    suspends: bool = False


def next_step(plan: NoticePlan, end_at: datetime, sent: Sent, now: datetime) -> NoticeStep:
    """
    Returns the next action. After a pause, the scheduler sends only the newest mail that is due, not all it missed.

    The account is not suspended until enough mails were accepted: until then one mail is sent each day.
    """
    today = (now - end_at) // timedelta(days=1)
    last = sent.days[-1] if sent.days else None
    if today >= plan.suspend_day and sent.accepted >= plan.needed:
        return NoticeStep(suspends=True)
    due = max((day for day in plan.days if day <= today), default=None)
    if due is not None and (last is None or last < due):
        return NoticeStep(notice_day=due)
    if today >= plan.suspend_day and (last is None or last < today):
        return NoticeStep(notice_day=today)
    return NoticeStep()
