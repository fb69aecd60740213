"""When owners are warned, and when an account is suspended: one rule for subscriptions and invoices."""

from datetime import UTC, datetime, timedelta

import pytest

from control.billing.invoicing.notices import NoticePlan, NoticeStep, Sent, next_step
from control.foundation.subscription_terms import Term, parse_days, term_after

END = datetime(2026, 3, 31, 9, tzinfo=UTC)
PLAN = NoticePlan((-14, -3, 0, 3, 14), suspend_day=15, needed=2)


def _on(day: float, *sent: int, accepted: int = 0) -> NoticeStep:
    return next_step(PLAN, END, Sent(sent, accepted), END + timedelta(days=day))


def test_each_day_has_one_mail_and_the_last_is_followed_by_the_suspension() -> None:
    days: tuple[int, ...] = ()
    found = []
    for day in range(-20, 16):
        step = _on(day, *days, accepted=len(days))
        if step.notice_day is not None:
            days = (*days, step.notice_day)
        found.append((day, step))

    assert days == PLAN.days
    assert [day for day, step in found if step.suspends] == [15]


@pytest.mark.parametrize("accepted", [0, 1])
def test_nobody_is_suspended_before_two_mails_were_accepted(accepted: int) -> None:
    assert _on(15, -14, 14, accepted=accepted) == NoticeStep(notice_day=15)
    assert _on(15.5, -14, 14, 15, accepted=accepted) == NoticeStep()
    assert _on(40, -14, 14, 15, accepted=accepted) == NoticeStep(notice_day=40)
    assert _on(40, 14, 15, accepted=2) == NoticeStep(suspends=True)


def test_a_scheduler_that_was_away_sends_the_newest_mail_only() -> None:
    assert _on(5, -14) == NoticeStep(notice_day=3)
    assert _on(13, -14, 3) == NoticeStep()


def test_terms_end_on_their_day_or_on_the_last_of_a_short_month() -> None:
    begin = datetime(2026, 1, 31, tzinfo=UTC)
    february = term_after(begin, Term.MONTH, day=31)
    assert february.end_at == datetime(2026, 2, 28, tzinfo=UTC)
    assert term_after(february.end_at, Term.MONTH, day=31).end_at.day == 31
    leap = datetime(2024, 2, 29, tzinfo=UTC)
    assert term_after(leap, Term.YEAR, day=29).end_at == datetime(2025, 2, 28, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "3,0", "0,0", "x"])
def test_inconsistent_days_are_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - int's own and ours
        parse_days(text)
