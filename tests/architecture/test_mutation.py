"""`make mutate` writes each change beside what it replaces. A switch that all processes share chooses one of both."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import switches
from tests.forked_runs import in_fork
from tests.mutation import Change, changes_of, switched

_SOURCE = '''
def price(items, is_taxed):
    """The sum of some."""
    total = 0
    for item in items:
        if (item + 1) * 2 > 4 and item != 3 and is_taxed:
            continue
        total += item
    return f"{total} of {len(items)}"
'''


@pytest.fixture
def changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[int, Change]]:
    """Of the source above, by number; with switches of the test's own."""
    monkeypatch.setattr(switches, "_FILE", tmp_path / "switches.bin")
    switches._shared.cache_clear()
    path = tmp_path / "price.py"
    path.write_text(_SOURCE)
    yield dict(enumerate(changes_of(path), 1))
    switches._shared.cache_clear()


def _price(source: str) -> Any:
    names: dict[str, Any] = {}
    exec(source, names)  # noqa: S102 - what the test wrote
    return names["price"]([1, 2, 3], is_taxed=True)


def test_each_change_makes_its_difference_while_it_is_on(changes: dict[int, Change]) -> None:
    source = switched(_SOURCE, changes)
    results = {}

    for number, change in changes.items():
        switches.switch(on=number)
        results[change.start[0], change.text] = _price(source)
    switches.switch()

    assert _price(source) == "4 of 3"
    assert results == {
        (4, "1"): "5 of 3",
        (6, "((item + 1) * 2 > 4) or (item != 3) and is_taxed"): "0 of 3",
        (6, "((item + 1) * 2) >= (4)"): "3 of 3",
        (6, "(item + 1) // (2)"): "6 of 3",
        (6, "(item) - (1)"): "6 of 3",
        (6, "2"): "3 of 3",
        (6, "3"): "3 of 3",
        (6, "5"): "4 of 3",
        (6, "(item) == (3)"): "3 of 3",
        (6, "4"): "1 of 3",
        (7, "pass"): "6 of 3",
        (8, "pass"): "0 of 3",
        (9, "None"): None,
    }


def test_what_a_test_executes_is_noted_in_every_process(changes: dict[int, Change]) -> None:
    switches.switch(test=7)

    in_fork(lambda: _price(switched(_SOURCE, changes)))

    assert switches.take_executed(7) == list(changes)
    assert switches.take_executed(7) == []
    assert switches.take_executed() == []
