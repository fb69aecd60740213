"""`make mutate-uses` leaves alone what `tests/removals.toml` explains: each entry must be of a use that is there."""

import tomllib

import pytest

from tests.architecture.imports import ROOT
from tests.removals import explanations, reason_for, uses_of

_NAMES = sorted(tomllib.loads((ROOT / "tests/removals.toml").read_text("utf-8")))


@pytest.mark.parametrize("name", _NAMES)
def test_each_explanation_is_of_a_use(name: str) -> None:
    reasons, uses = explanations(name), uses_of(name)

    unused = [
        start
        for start, reason in reasons.items()
        if not any(reason_for(use, {start: reason}) for use in uses)
    ]

    assert unused == []
