"""`python -m control simulate`: runs a scenario, prints what came of it, and draws it."""

from pathlib import Path

import typer

from control.simulate.picture import write_pictures
from control.simulate.run import simulate
from control.simulate.scenario import read_scenario
from control.simulate.table import lines_of


def run(name: str, *, seed: int | None, pictures: Path | None) -> None:
    """Raises `ScenarioInvalid`."""
    scenario = read_scenario(name)
    if seed is not None:
        scenario = scenario.model_copy(update={"seed": seed})
    outcome = simulate(scenario)
    for line in lines_of(outcome):
        typer.echo(line)
    if pictures is not None:
        written = write_pictures(outcome, pictures)
        typer.echo(f"wrote {written[0]} and {len(written) - 1} beside it")
