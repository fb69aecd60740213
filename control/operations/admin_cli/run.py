"""Runs one operator command and prints its result as JSON; defines the options that the commands share."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import orjson
import typer

from common.values.clock import to_iso
from control.api.context import ControlContext
from control.api.operator_action import OperatorAction, operator_action
from control.foundation.settings import ControlSettings
from control.wiring import open_control

Printed = dict[str, Any] | list[dict[str, Any]]
Work = Callable[[OperatorAction], Awaitable[Printed]]
AccountId = Annotated[str, typer.Option("--account", help="The account's id.")]
OfAccount = Annotated[str | None, typer.Option("--account", help="Only items of this account.")]
PropertyId = Annotated[str, typer.Option("--property", help="The property's id.")]
Most = Annotated[int, typer.Option("--limit", min=1, max=1000, help="Maximum number of items.")]
Before = Annotated[
    str | None, typer.Option("--before", help="Only items before this id, for the next page.")
]


def run_action(work: Work) -> None:
    """Run *work* in a transaction of its own, then print its result."""

    async def whole(control: ControlContext) -> Printed:
        async with operator_action(control) as act:
            return await work(act)

    run_with(whole)


def run_with(work: Callable[[ControlContext], Awaitable[Printed]]) -> None:
    """The same for work that makes its own transactions, such as bounded batches."""

    async def whole() -> Printed:
        async with open_control(ControlSettings()) as control:
            return await work(control)

    typer.echo(orjson.dumps(asyncio.run(whole()), default=str).decode())


def shown(row: Any, *names: str) -> dict[str, Any]:
    """These columns as JSON values."""
    values = {name: getattr(row, name) for name in names}
    return {
        name: to_iso(value) if hasattr(value, "tzinfo") else value for name, value in values.items()
    }
