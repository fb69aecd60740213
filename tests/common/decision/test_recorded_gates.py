"""What a decision record holds of the gates, and what a replay may read from it."""

from dataclasses import fields

import orjson
import pytest

from common.decision.recorded_gates import NotRecorded, recorded_lookups, recording, replayed
from common.decision.rules.gates import Gates, Ranking

_RECORDED = {"available_micros": "open_micros", "pass_rates": "passes"}
"""Attributes that records store under another name."""


def test_a_lookup_is_recorded_with_its_result() -> None:
    gates = recording(Gates(available_micros={"a": 5, "b": 6}, counts={"k": 1}))

    assert (gates.available_micros.get("a", 0), gates.available_micros.get("c", 0)) == (5, 0)
    assert gates.counts is not None
    assert gates.counts.get("k", 0) == 1
    assert recorded_lookups(gates) == {
        "open_micros": {"a": 5, "c": 0},
        "counts": {"k": 1},
        "passes": {},
    }


def test_replayed_gates_return_recorded_lookups_and_refuse_others() -> None:
    gates = recording(Gates(stale=True, available_micros={"a": 5}, ranking=Ranking.THOMPSON))
    gates.available_micros.get("a", 0)

    again = replayed(orjson.loads(orjson.dumps(recorded_lookups(gates))))

    assert (again.stale, again.spool_full, again.ranking) == (True, False, Ranking.THOMPSON)
    assert again.available_micros.get("a", 0) == 5
    assert again.counts is None
    with pytest.raises(NotRecorded):
        again.available_micros.get("b", 0)


@pytest.mark.parametrize("field", fields(Gates), ids=lambda field: field.name)
def test_every_gate_is_recorded(field: object) -> None:
    """A gate added to `Gates` and not to the record would be forgotten by every replay."""
    odd = Gates(
        stale=True,
        spool_full=True,
        available_micros={"x": 1},
        counts={"x": 1},
        ranking=Ranking.THOMPSON,
    )

    name = getattr(field, "name", "")
    assert _RECORDED.get(name, name) in recorded_lookups(recording(odd))
