"""`python -m control simulate`: runs a scenario, prints its results, and draws or stores them."""

from pathlib import Path

import typer
import uvloop

from control.foundation.settings import ControlSettings
from control.operations.simulator.from_account import read_world
from control.operations.simulator.run import simulate
from control.operations.simulator.sample_account import write_history
from control.operations.simulator.scenario import read_scenario
from control.operations.simulator.svg_chart import write_pictures
from control.operations.simulator.table import lines_of
from control.wiring import open_control


def run(name: str, *, seed: int | None, pictures: Path | None, account: str | None) -> None:
    """*account*: its campaigns and traffic replace the generated ones. Raises `ScenarioInvalid`, `NotRecorded`."""
    scenario = read_scenario(name)
    if seed is not None:
        scenario = scenario.model_copy(update={"seed": seed})
    world = None if account is None else uvloop.run(read_world(scenario, account))
    outcome = simulate(scenario, world)
    for line in lines_of(outcome):
        typer.echo(line)
    if pictures is not None:
        written = write_pictures(outcome, pictures)
        typer.echo(f"wrote {written[0]} and {len(written) - 1} beside it")


def store(name: str, *, account: str) -> None:
    """Raises `ScenarioInvalid`, `ActionRefused`, `NotFound`."""

    async def whole() -> int:
        async with open_control(ControlSettings()) as control:
            return await write_history(control, read_scenario(name), account)

    typer.echo(f"stored {uvloop.run(whole())} records")
