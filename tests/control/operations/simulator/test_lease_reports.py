"""A simulation's input and output: scenario files, the table, the pictures."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from control.operations.simulator.run import simulate
from control.operations.simulator.scenario import COMMITTED, ScenarioInvalid, read_scenario
from control.operations.simulator.svg_chart import write_pictures
from control.operations.simulator.table import lines_of


@pytest.mark.parametrize("path", sorted(COMMITTED.glob("*.toml")), ids=lambda path: path.stem)
def test_scenarios_that_come_along_can_be_read_and_are_named_as_their_file(path: Path) -> None:
    assert read_scenario(path.stem).name == path.stem


def test_every_fault_of_a_file_is_named(tmp_path: Path) -> None:
    reported = (COMMITTED / "days.toml").read_text()
    path = tmp_path / "wrong.toml"
    path.write_text(
        reported.replace("hours = 48", "hours = 0").replace("edges = 2", "machines = 2")
    )

    with pytest.raises(ScenarioInvalid, match=r"hours: .*fleet\.machines: "):
        read_scenario(str(path))


def test_an_unknown_name_lists_those_that_come_along() -> None:
    with pytest.raises(ScenarioInvalid, match="days, month, race"):
        read_scenario("nothing-of-the-kind")


def test_a_short_race_is_reported_in_lines_and_a_chart(tmp_path: Path) -> None:
    outcome = simulate(read_scenario("race").model_copy(update={"hours": 1}))

    lines = list(lines_of(outcome))
    written = write_pictures(outcome, tmp_path)

    assert any(line.startswith("billed beyond budgets: 0 cents") for line in lines)
    assert len(written) == 1 + len(outcome.results)
    assert all(ET.parse(path).getroot().tag.endswith("svg") for path in written)  # noqa: S314 - written above
