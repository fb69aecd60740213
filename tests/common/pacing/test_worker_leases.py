"""A worker's budgets: closed without a lease, open as far as one goes, and closed again when the term is over."""

from dataclasses import replace

from common.budget.local_day import local_day
from common.decision.rules.gates import BUDGET_UNKNOWN
from common.pacing.holds import HoldDays, hold_name
from common.pacing.lease_messages import (
    GrantLine,
    Grants,
    encode_grants,
    parse_grants,
    parse_grants_steps,
    run_to_end,
)
from common.pacing.worker_leases import MAX_LINES, MAX_SENT, LeasedBudgets
from common.service.cooperative import AT_ONCE
from common.snapshot.model import Budget, Campaign
from common.snapshot.snapshot import Snapshot
from common.values.enums import CampaignStatus, PricingModel
from tests.support.builders import NOW_MS, a_campaign, a_snapshot
from tests.support.leases import grant_lease

PRICE = 1_000
TERM_MS = 10_000
TODAY = local_day("UTC", NOW_MS).name


def a_spender(**budget: int | None) -> Campaign:
    """A CPM campaign whose impressions cost `PRICE` micros."""
    bounds: dict[str, int | None] = {"total_micros": 100 * PRICE, "daily_micros": None}
    return a_campaign(bid_cents=100, budget=Budget(**bounds | budget))


def opened(budgets: LeasedBudgets, campaign: Campaign, now_ms: int = NOW_MS) -> int:
    return budgets.available_micros(a_snapshot(campaign), now_ms).get(campaign.id, 0)


def test_a_campaign_without_a_lease_is_unavailable_and_requested() -> None:
    budgets, campaign = LeasedBudgets(), a_spender()
    assert opened(budgets, campaign) == BUDGET_UNKNOWN
    (line,) = budgets.report(0).lines
    assert (line.campaign_id, line.is_request) == (campaign.id, True)


def test_the_first_request_after_a_report_is_announced() -> None:
    budgets, announced = LeasedBudgets(), list[bool]()
    budgets.on_request = lambda: announced.append(budgets.has_requests)
    campaigns = [replace(a_spender(), id=f"campaign-{number}") for number in range(2)]
    available = budgets.available_micros(a_snapshot(*campaigns), NOW_MS)
    for number in range(2):
        for one in campaigns:
            available.get(one.id, 0)
        budgets.apply(Grants(1, number + 1, budgets.report(0).sequence, ()))
        budgets.check_term(0)
    assert announced == [False, False]


def test_an_answer_without_a_grant_leaves_the_campaign_nothing() -> None:
    budgets, campaign = LeasedBudgets(), a_spender()
    opened(budgets, campaign)
    before = budgets.report(0)
    budgets.check_term(0)
    assert opened(budgets, campaign) == BUDGET_UNKNOWN
    budgets.apply(Grants(1, 1, before.sequence, ()))
    budgets.check_term(0)
    assert opened(budgets, campaign) == 0


def test_reports_that_were_not_answered_for_long_are_forgotten() -> None:
    budgets, campaign = LeasedBudgets(), a_spender()
    opened(budgets, campaign)
    first, *_, last = [budgets.report(number) for number in range(MAX_SENT + 1)]
    budgets.check_term(0)
    budgets.apply(Grants(1, 1, first.sequence, ()))
    assert budgets.until_ms == 0
    budgets.apply(Grants(1, 1, last.sequence, ()))
    assert budgets.until_ms > 0


def test_a_campaign_is_available_up_to_its_grant() -> None:
    budgets, campaign = LeasedBudgets(), a_spender()
    grant_lease(budgets, campaign, 3 * PRICE)
    snapshot, left = a_snapshot(campaign), []
    for _ in range(3):
        left.append(opened(budgets, campaign))
        budgets.commit(snapshot, campaign, PRICE, NOW_MS)
    assert [*left, opened(budgets, campaign)] == [3 * PRICE, 2 * PRICE, PRICE, 0]


def test_a_lease_closes_when_its_term_ends_and_resumes_when_a_report_is_answered() -> None:
    budgets, campaign = LeasedBudgets(term_ms=TERM_MS), a_spender()
    grant_lease(budgets, campaign, PRICE, at_ms=5)
    budgets.check_term(TERM_MS + 4)
    assert opened(budgets, campaign) == PRICE
    budgets.check_term(TERM_MS + 5)
    assert opened(budgets, campaign) == BUDGET_UNKNOWN
    grant_lease(budgets, campaign, PRICE, at_ms=TERM_MS + 6, number=2)
    assert opened(budgets, campaign) == PRICE


def test_the_term_counts_from_when_the_report_was_sent() -> None:
    budgets = LeasedBudgets(term_ms=TERM_MS)
    report = budgets.report(1_000)
    budgets.report(4_000)
    budgets.apply(Grants(1, 1, report.sequence, ()))
    assert budgets.until_ms == 1_000 + TERM_MS


def test_stale_and_unmatched_grants_change_nothing() -> None:
    budgets, campaign = LeasedBudgets(), a_spender()
    grant_lease(budgets, campaign, PRICE, number=5)
    line = GrantLine(campaign.id, 9 * PRICE, 0, 0, "", recalled=False)
    budgets.apply(Grants(1, 4, 1, (line,)))
    budgets.apply(Grants(1, 6, 77, (line,)))
    assert opened(budgets, campaign) == PRICE


def test_a_campaign_new_in_a_snapshot_is_requested_until_answered() -> None:
    budgets, campaign, paused = LeasedBudgets(), a_spender(), a_spender()
    paused = replace(paused, status=CampaignStatus.PAUSED)
    changed = [campaign.id, paused.id, a_campaign().id]
    assert budgets.expect(a_snapshot(campaign, paused), changed)
    for at_ms in (0, 100):
        lines = budgets.report(at_ms).lines
        assert [(line.campaign_id, line.is_request) for line in lines] == [(campaign.id, True)]
    grant_lease(budgets, campaign, 9 * PRICE)
    assert not budgets.is_waiting
    assert opened(budgets, campaign) == 9 * PRICE
    assert not budgets.expect(a_snapshot(campaign), [campaign.id])


def test_grants_are_applied_in_steps_whatever_their_number() -> None:
    for count in (0, 1, 1_000):
        lines = tuple(GrantLine(f"c{n}", n, 0, 0, TODAY, recalled=False) for n in range(count))
        raw = encode_grants(Grants(1, 2, 3, lines))
        assert parse_grants(raw) == Grants(1, 2, 3, lines)
        assert len(list(parse_grants_steps(raw))) >= count // 200


def test_report_lines_are_repeated_until_they_are_answered() -> None:
    budgets, campaign = LeasedBudgets(), a_spender()
    grant_lease(budgets, campaign, 9 * PRICE)
    budgets.commit(a_snapshot(campaign), campaign, PRICE, NOW_MS)
    reported = [budgets.report(number).lines for number in range(2)]
    assert [[line.committed_micros for line in lines] for lines in reported] == [[PRICE], [PRICE]]
    grant_lease(budgets, campaign, 9 * PRICE, number=2)
    assert budgets.report(9).lines == ()


def test_a_lease_of_yesterday_is_returned() -> None:
    budgets, campaign = LeasedBudgets(), a_spender(daily_micros=5 * PRICE)
    grant_lease(budgets, campaign, 3 * PRICE, day="2001-01-01")
    assert opened(budgets, campaign) == 0
    (line,) = budgets.report(1).lines
    assert line.returned_micros == 3 * PRICE


def test_a_lease_of_today_is_available() -> None:
    budgets, campaign = LeasedBudgets(), a_spender(daily_micros=5 * PRICE)
    grant_lease(budgets, campaign, 3 * PRICE, day=TODAY)
    assert opened(budgets, campaign) == 3 * PRICE


def test_a_recalled_lease_is_returned_except_for_what_is_in_use() -> None:
    budgets, campaign = LeasedBudgets(), a_spender()
    grant_lease(budgets, campaign, 50 * PRICE)
    budgets.commit(a_snapshot(campaign), campaign, 2 * PRICE, NOW_MS)
    grant_lease(budgets, campaign, 50 * PRICE, number=2, recalled=True)
    (line,) = budgets.report(1).lines
    assert line.returned_micros == (50 - 2 - 2 * 4) * PRICE


def test_a_stopping_worker_returns_all_its_leases() -> None:
    budgets, campaign = LeasedBudgets(), a_spender()
    grant_lease(budgets, campaign, 5 * PRICE)
    budgets.release_all()
    (line,) = budgets.report(1).lines
    assert (line.returned_micros, opened(budgets, campaign)) == (5 * PRICE, 0)


def test_many_leases_are_returned_in_steps_after_a_long_silence() -> None:
    """The loop of a worker that serves may run in between."""
    budgets, campaigns = LeasedBudgets(), [a_spender() for _ in range(2 * AT_ONCE)]
    report = budgets.report(0)
    lines = tuple(GrantLine(one.id, PRICE, 0, 0, "", recalled=False) for one in campaigns)
    budgets.apply(Grants(1, 1, report.sequence, lines))

    steps = budgets.report_steps(2 * TERM_MS)
    left = []
    for _ in range(2):
        next(steps)
        left.append(run_to_end(budgets.count_steps())[1])

    assert left == [AT_ONCE * PRICE, 0]
    assert sum(line.returned_micros for line in run_to_end(steps).lines) == 2 * AT_ONCE * PRICE


def test_campaigns_with_a_flat_rate_or_without_a_budget_get_no_lease() -> None:
    budgets = LeasedBudgets()
    flat = a_campaign(pricing_model=PricingModel.FLAT_RATE, budget=Budget(10, None))
    for campaign in (flat, a_campaign()):
        snapshot: Snapshot = a_snapshot(campaign)
        assert budgets.available_micros(snapshot, NOW_MS).get(campaign.id, 7) == 7
        budgets.commit(snapshot, campaign, 5, NOW_MS)
    assert budgets.report(0).lines == ()


def test_a_report_is_bounded_and_the_rest_follows_in_the_next() -> None:
    budgets = LeasedBudgets()
    campaigns = [a_spender() for _ in range(MAX_LINES + 3)]
    snapshot = a_snapshot(*campaigns)
    for campaign in campaigns:
        budgets.available_micros(snapshot, NOW_MS).get(campaign.id, 0)
    assert [len(budgets.report(number).lines) for number in range(3)] == [MAX_LINES, 3, 0]


def test_committed_and_available_amounts_are_counted() -> None:
    budgets, campaign = LeasedBudgets(), a_spender()
    grant_lease(budgets, campaign, 9 * PRICE)
    budgets.commit(a_snapshot(campaign), campaign, PRICE, NOW_MS)
    assert (run_to_end(budgets.count_steps())[0], run_to_end(budgets.count_steps())[1]) == (
        PRICE,
        8 * PRICE,
    )


def asked_of_many(count: int) -> tuple[LeasedBudgets, list[Campaign], Snapshot]:
    budgets, campaigns = LeasedBudgets(), [a_spender() for _ in range(count)]
    snapshot = a_snapshot(*campaigns)
    for campaign in campaigns:
        budgets.available_micros(snapshot, NOW_MS).get(campaign.id, 0)
    return budgets, campaigns, snapshot


def granted(campaigns: list[Campaign], *, number: int, answers: int) -> Grants:
    return Grants(
        1,
        number,
        answers,
        tuple(GrantLine(one.id, 9 * PRICE, 0, 0, "", recalled=False) for one in campaigns),
    )


def test_many_lines_are_produced_and_applied_in_steps() -> None:
    budgets, campaigns, _ = asked_of_many(3 * AT_ONCE)
    assert len(list(budgets.report_steps(0))) == 3
    assert len(list(budgets.apply_steps(granted(campaigns, number=1, answers=1)))) >= 3
    assert len(list(budgets.count_steps())) == 3
    assert run_to_end(budgets.count_steps())[1] == 3 * AT_ONCE * 9 * PRICE


def test_a_commit_during_a_report_is_in_that_report_or_the_next() -> None:
    budgets, campaigns, snapshot = asked_of_many(2 * AT_ONCE)
    budgets.apply(granted(campaigns, number=1, answers=budgets.report(0).sequence))
    for campaign in campaigns:
        budgets.commit(snapshot, campaign, PRICE, NOW_MS)
    steps = budgets.report_steps(1)
    next(steps)
    for campaign in campaigns:
        budgets.commit(snapshot, campaign, PRICE, NOW_MS)
    first = run_to_end(steps)
    budgets.apply(granted(campaigns, number=2, answers=first.sequence))
    reported = {line.campaign_id: line.committed_micros for line in first.lines}
    reported |= {line.campaign_id: line.committed_micros for line in budgets.report(2).lines}
    assert set(reported.values()) == {2 * PRICE}
    assert len(reported) == 2 * AT_ONCE


def test_partly_applied_grants_can_be_applied_again() -> None:
    budgets, campaigns, _ = asked_of_many(2 * AT_ONCE)
    report = budgets.report(0)
    grants = granted(campaigns, number=1, answers=report.sequence)
    steps = budgets.apply_steps(grants)
    next(steps)
    steps.close()
    assert (budgets.until_ms, budgets.report(1).number) == (0, 0)
    budgets.apply(grants)
    assert budgets.report(2).number == 1
    assert run_to_end(budgets.count_steps())[1] == 2 * AT_ONCE * 9 * PRICE


def test_leases_are_returned_after_two_terms_without_an_answer() -> None:
    """The allocator forgets a silent worker later, and would grant the same budget again."""
    budgets, campaign = LeasedBudgets(term_ms=TERM_MS), a_spender()
    grant_lease(budgets, campaign, PRICE)
    early = budgets.report(2 * TERM_MS - 1)
    late = budgets.report(2 * TERM_MS)
    assert [line.returned_micros for line in (*early.lines, *late.lines)] == [PRICE]


def test_a_hold_is_reported_before_its_campaign_until_it_is_answered() -> None:
    budgets, campaign = LeasedBudgets(), a_spender()
    grant_lease(budgets, campaign, 9 * PRICE)
    snapshot = a_snapshot(campaign)
    for until_day in (20_900, 20_901, 20_900, None):
        budgets.commit(snapshot, campaign, PRICE, NOW_MS, until_day)
    sent = [budgets.report(1), budgets.report(2)]
    names = [hold_name(campaign.id, HoldDays(TODAY, day)) for day in (20_900, 20_901)]
    expected = [(names[0], 2 * PRICE), (names[1], PRICE), (campaign.id, 4 * PRICE)]
    for report in sent:
        assert [(one.campaign_id, one.committed_micros) for one in report.lines] == expected
    budgets.apply(Grants(1, 2, sent[1].sequence, ()))
    assert budgets.report(3).lines == ()
    budgets.commit(snapshot, campaign, PRICE, NOW_MS, 20_901)
    assert [one.campaign_id for one in budgets.report(4).lines] == [names[1], campaign.id]


def test_a_new_allocator_receives_every_hold_again() -> None:
    budgets, campaign = LeasedBudgets(), a_spender()
    grant_lease(budgets, campaign, 9 * PRICE)
    budgets.commit(a_snapshot(campaign), campaign, PRICE, NOW_MS, 20_900)
    budgets.apply(Grants(1, 2, budgets.report(1).sequence, ()))
    budgets.apply(Grants(2, 1, budgets.report(2).sequence, ()))
    hold, _ = budgets.report(3).lines
    assert (hold.campaign_id, hold.committed_micros) == (
        hold_name(campaign.id, HoldDays(TODAY, 20_900)),
        PRICE,
    )
