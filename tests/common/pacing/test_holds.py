"""What mails hold of a budget: no more than was committed and not charged, and nothing once they have expired."""

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from common.pacing.holds import HeldCommits, Hold, HoldDays, find_hold, hold_name
from common.pacing.lease_messages import run_to_end
from common.tracking.token import DAY_MS, last_day
from common.values.ids import new_id
from edge.state.commit_file import MAX_NAME_BYTES

_DAYS = st.builds(
    lambda day, life: HoldDays(f"2027-01-{day:02}", 20_000 + day + life),
    st.integers(1, 9),
    st.integers(1, 30),
)
_COMMITS = st.lists(st.tuples(st.sampled_from("abc"), _DAYS, st.integers(1, 1_000)), max_size=20)


def reported(commits: list[tuple[str, HoldDays, int]]) -> list[Hold]:
    """The counts that workers report, one commit after another."""
    sums = Counter[tuple[str, HoldDays]]()
    found = []
    for worker, days, micros in commits:
        sums[worker, days] += micros
        found.append(Hold(worker, "c", days, sums[worker, days]))
    return found


@given(_COMMITS, st.randoms(use_true_random=False))
def test_reports_that_are_repeated_and_reordered_hold_each_commit_once(
    commits: list[tuple[str, HoldDays, int]], rng: Random
) -> None:
    holds = HeldCommits()
    sent = reported(commits) * 2
    rng.shuffle(sent)
    more = sum(holds.merge(hold) for hold in sent)
    assert more == holds.held_micros("c", first_day=0) == sum(micros for *_, micros in commits)


@given(_COMMITS, st.data())
def test_a_charge_releases_its_own_commit_and_no_other(
    commits: list[tuple[str, HoldDays, int]], data: st.DataObject
) -> None:
    holds = HeldCommits()
    for hold in reported(commits):
        holds.merge(hold)
    opened = data.draw(st.lists(st.sampled_from(commits), unique_by=id)) if commits else []
    charged = Counter[HoldDays]()
    for _, days, micros in opened:
        charged[days] += micros
    committed = Counter[HoldDays]()
    for _, days, micros in commits:
        committed[days] += micros
    expected = sum(max(0, committed[days] - charged[days]) for days in committed)
    assert holds.held_micros("c", charged, first_day=0) == expected
    by_day = [
        holds.held_micros("c", charged, day=day, first_day=0)
        for day in {days.day for days in committed}
    ]
    assert sum(by_day) == expected


@given(_COMMITS, st.integers(20_000, 20_050))
def test_what_was_not_charged_returns_when_the_last_day_is_over(
    commits: list[tuple[str, HoldDays, int]], first_day: int
) -> None:
    holds = HeldCommits()
    for hold in reported(commits):
        holds.merge(hold)
    left = sum(micros for _, days, micros in commits if days.until_day >= first_day)
    assert holds.held_micros("c", first_day=first_day) == left
    run_to_end(holds.drop_before_steps(first_day))
    assert holds.held_micros("c", first_day=0) == left
    for hold in reported(commits):  # a report that comes late
        holds.merge(hold)
    assert holds.held_micros("c", first_day=0) == left
    assert set(holds.campaigns) == ({"c"} if left else set())


@given(_COMMITS)
def test_a_restored_state_holds_the_same(commits: list[tuple[str, HoldDays, int]]) -> None:
    holds, stored = HeldCommits(), dict[object, Hold]()
    for hold in reported(commits):
        holds.merge(hold)
        stored |= {one[:3]: one for one in holds.take_grown()}
    again = HeldCommits()
    run_to_end(again.restore_steps(stored.values()))
    assert again.held_micros("c", first_day=0) == holds.held_micros("c", first_day=0)
    assert again.take_grown() == ()


def test_the_name_of_a_hold_fits_into_a_commit_file_and_is_no_campaign() -> None:
    campaign_id, days = new_id(), HoldDays("2027-01-15", 99_999)
    name = hold_name(campaign_id, days)
    assert len(name) <= MAX_NAME_BYTES
    assert find_hold(name) == (campaign_id, days)
    assert [find_hold(other) for other in (campaign_id, "c@", "c@2027-01-15/x", "c@today/1")] == [
        None
    ] * 4


def test_the_last_day_of_a_token_is_that_of_its_last_valid_instant() -> None:
    noon = 20_000 * DAY_MS + DAY_MS // 2
    assert last_day(noon, 86_400) == 20_001
    assert last_day(20_000 * DAY_MS, 86_400 - 1) == 20_001  # its leeway ends on the next day
