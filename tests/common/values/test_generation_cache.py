"""A bounded cache keeps what is used and evicts the rest."""

from hypothesis import given
from hypothesis import strategies as st

from common.values.generation_cache import GenerationCache


@given(st.integers(1, 8), st.lists(st.integers(0, 30), max_size=200))
def test_the_cache_never_exceeds_two_generations_nor_returns_another_value(
    max_size: int, keys: list[int]
) -> None:
    cache = GenerationCache(max_size)
    for key in keys:
        assert cache.get(key) in {None, -key - 1}
        cache.put(key, -key - 1)
        assert cache.get(key) == -key - 1
        assert len(cache) <= 2 * max_size


def test_an_entry_in_use_survives_any_number_of_others() -> None:
    cache = GenerationCache(2)
    cache.put("used", 1)
    for number in range(50):
        cache.put(number, number)
        assert cache.get("used") == 1
    assert cache.get(0) is None


def test_replacing_an_entry_evicts_nothing() -> None:
    cache = GenerationCache(3)
    cache.put("a", 1)
    cache.put("b", 1)
    for number in range(10):
        cache.put("b", number)
    assert (cache.get("a"), cache.get("b")) == (1, 9)


def test_a_discarded_entry_is_gone_from_both_generations() -> None:
    cache = GenerationCache(2)
    for key in ("a", "b", "c", "a"):
        cache.put(key, key)
    cache.discard("a")
    assert cache.get("a") is None
    cache.clear()
    assert (cache.get("c"), len(cache), list(cache.values())) == (None, 0, [])


def test_entries_that_have_grown_heavy_end_their_generation() -> None:
    cache = GenerationCache(100, max_weight=10, weigh=len)
    grown: list[int] = []
    cache.put("first", grown)
    grown += range(11)
    for key in ("second", "third"):
        cache.put(key, list(range(11)))
    cache.put("fourth", [])

    assert cache.get("first") is None
    assert cache.get("fourth") == []
