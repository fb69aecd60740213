"""What is counted in the tally comes out of it once, compiled as from source."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from edge.spool.serve_counter import GroupedCounter
from tests.support.source import source_of

_from_source = source_of("edge.spool.serve_counter").GroupedCounter
_ROWS = tuple((f"property-{number}", f"slot-{number}") for number in range(5))
_COUNTRIES = (None, "de", "fr")
_DEVICES = (None, "phone")


def _sums(taken: list[Any]) -> dict[Any, int]:
    sums: dict[Any, int] = {}
    for *who, count in taken:
        sums[tuple(who)] = sums.get(tuple(who), 0) + count
    return sums


@given(
    st.lists(
        st.tuples(
            st.sampled_from(_ROWS),
            st.sampled_from(_COUNTRIES),
            st.sampled_from(_DEVICES),
            st.integers(0, 9),
        )
    )
)
def test_compiled_and_python_versions_count_alike(calls: list[Any]) -> None:
    """A tenth of the calls take everything out."""
    tally, spec = GroupedCounter(), _from_source()
    for row, country, device, draw in calls:
        if not draw:
            assert _sums(tally.take()) == _sums(spec.take())
        assert tally.add(row, country, device)
        assert spec.add(row, country, device)
    assert _sums(tally.take()) == _sums(spec.take())
    assert tally.take() == []


def test_a_full_counter_refuses_another_kind_until_it_is_taken() -> None:
    tally, spec = GroupedCounter(), _from_source()
    rows = [(str(number),) for number in range(14_000)]
    reported = [tally.add(row, None, None) for row in rows]
    assert reported == [spec.add(row, None, None) for row in rows]
    assert not all(reported)
    assert tally.add(rows[0], None, None)
    assert sum(count for *_, count in tally.take()) == sum(reported) + 1
    assert tally.add(rows[-1], None, None)
