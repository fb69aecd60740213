"""What was shown just now counts for a minute, and for no longer than until it came in."""

from edge.state.cap_reservations import RESERVED_MS, Reservations
from tests.support.builders import NOW_MS

ANNA, BEN = b"annaanna", b"benbenbe"


def _none(_key: str) -> int:
    return 0


def test_a_reservation_counts_for_its_person_and_key_for_a_minute() -> None:
    reserved = Reservations()
    reserved.add(ANNA, ["a", "b"], NOW_MS, _none)
    found = [
        reserved.count(ANNA, "a", NOW_MS, 0),
        reserved.count(ANNA, "a", NOW_MS + RESERVED_MS - 1, 0),
        reserved.count(ANNA, "a", NOW_MS + RESERVED_MS, 0),
        reserved.count(ANNA, "c", NOW_MS, 0),
        reserved.count(BEN, "a", NOW_MS, 0),
    ]
    assert found == [1, 1, 0, 0, 0]


def test_an_event_releases_one_reservation() -> None:
    reserved = Reservations()
    reserved.add(ANNA, ["a"], NOW_MS, _none)
    reserved.add(ANNA, ["a"], NOW_MS + 1, _none)
    reserved.release(ANNA, ["a"])
    assert reserved.count(ANNA, "a", NOW_MS + 1, 0) == 1
    reserved.add(BEN, ["a"], NOW_MS + RESERVED_MS, _none)
    assert reserved.count(ANNA, "a", NOW_MS + RESERVED_MS, 0) == 1


def test_an_event_without_a_reservation_releases_nothing() -> None:
    reserved = Reservations()
    reserved.release(ANNA, ["a"])
    reserved.add(ANNA, ["a"], NOW_MS, _none)
    assert reserved.count(ANNA, "a", NOW_MS, 0) == 1


def test_beyond_the_maximum_the_oldest_reservation_is_dropped() -> None:
    reserved = Reservations(max_size=2)
    for key in ("a", "b", "c"):
        reserved.add(ANNA, [key], NOW_MS, _none)
    assert [reserved.count(ANNA, key, NOW_MS, 0) for key in "abc"] == [0, 1, 1]
    assert len(reserved) == 2


def test_what_the_store_counts_since_is_no_longer_reserved() -> None:
    """Another worker got the impression of the first ad."""
    reserved = Reservations()
    for counted in (4, 4, 5):
        reserved.add(ANNA, ["a"], NOW_MS, {"a": counted}.__getitem__)
    assert [reserved.count(ANNA, "a", NOW_MS, counted) for counted in (4, 5, 6, 7, 9)] == [
        *(3, 2, 1, 0, 0)
    ]
    assert reserved.count(ANNA, "a", NOW_MS, 0) == 3, "the window of the cap is over"


def test_an_event_of_this_worker_leaves_the_others_reserved() -> None:
    reserved = Reservations()
    reserved.add(ANNA, ["a"], NOW_MS, _none)
    reserved.add(ANNA, ["a"], NOW_MS, _none)
    reserved.release(ANNA, ["a"])
    reserved.note_own(ANNA, ["a"])
    assert reserved.count(ANNA, "a", NOW_MS, 1) == 1
