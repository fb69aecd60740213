"""When campaigns are checked for which no worker sent a request."""

from control.delivery.pacing.check_schedule import EVERY_MS, CheckSchedule


def test_a_campaign_is_checked_again_after_a_time_or_when_its_plan_begins() -> None:
    looks = CheckSchedule()
    looks.put_next("plain", 0, 0)
    looks.put_next("begins", 0, 1_000)
    looks.put_next("begun", 5_000, 4_000)
    assert looks.take(999, 9) == []
    assert looks.take(1_000, 9) == ["begins"]
    assert looks.take(EVERY_MS, 9) == ["plain"]
    assert looks.take(EVERY_MS + 5_000, 9) == ["begun"]


def test_campaigns_checked_within_seconds_are_checked_together_again() -> None:
    looks = CheckSchedule()
    looks.put_next("first", 10_000, 0)
    looks.put_next("last", 14_000, 0)
    assert looks.take(EVERY_MS + 10_000, 9) == ["first", "last"]


def test_a_rescheduled_campaign_is_taken_once_and_takes_are_limited() -> None:
    looks = CheckSchedule()
    for name in "abc":
        looks.put(name, 10)
    looks.put("a", 5)
    assert (looks.take(10, 2), "a" in looks, "c" in looks) == (["a", "b"], False, True)
    assert (looks.take(10, 2), looks.is_due(10)) == (["c"], False)


def test_a_campaign_that_is_put_again_and_again_keeps_its_first_instant() -> None:
    looks = CheckSchedule()
    for due_ms in range(10, 10_010):
        looks.put("a", due_ms)
    assert (looks.take(10, 9), looks.is_due(99_999)) == (["a"], False)


def test_replaced_entries_are_removed_a_limited_number_at_a_time() -> None:
    looks = CheckSchedule()
    for number in range(20_000):
        looks.put("a", 20_000 - number)
    looks.put("b", 20_000)
    taken = [looks.take(20_000, 9) for _ in range(5)]
    assert taken[0] == ["a"]
    assert [] in taken
    assert ["b"] in taken
