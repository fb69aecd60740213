"""What was shown just now counts for a minute, and for no longer than until it came in."""

from edge.state.cap_reservations import RESERVED_MS, Reservations
from tests.support.builders import NOW_MS

ANNA, BEN = b"annaanna", b"benbenbe"


def test_a_reservation_counts_for_its_person_and_key_for_a_minute() -> None:
    reserved = Reservations()
    reserved.add(ANNA, ["a", "b"], NOW_MS)
    found = [
        reserved.count(ANNA, "a", NOW_MS),
        reserved.count(ANNA, "a", NOW_MS + RESERVED_MS - 1),
        reserved.count(ANNA, "a", NOW_MS + RESERVED_MS),
        reserved.count(ANNA, "c", NOW_MS),
        reserved.count(BEN, "a", NOW_MS),
    ]
    assert found == [1, 1, 0, 0, 0]


def test_an_event_releases_one_reservation() -> None:
    reserved = Reservations()
    reserved.add(ANNA, ["a"], NOW_MS)
    reserved.add(ANNA, ["a"], NOW_MS + 1)
    reserved.release(ANNA, ["a"])
    assert reserved.count(ANNA, "a", NOW_MS + 1) == 1
    reserved.add(BEN, ["a"], NOW_MS + RESERVED_MS)
    assert reserved.count(ANNA, "a", NOW_MS + RESERVED_MS) == 1


def test_an_event_without_a_reservation_releases_nothing() -> None:
    reserved = Reservations()
    reserved.release(ANNA, ["a"])
    reserved.add(ANNA, ["a"], NOW_MS)
    assert reserved.count(ANNA, "a", NOW_MS) == 1


def test_beyond_the_maximum_the_oldest_reservation_is_dropped() -> None:
    reserved = Reservations(most=2)
    for key in ("a", "b", "c"):
        reserved.add(ANNA, [key], NOW_MS)
    assert [reserved.count(ANNA, key, NOW_MS) for key in "abc"] == [0, 1, 1]
    assert len(reserved) == 2
