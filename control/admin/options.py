"""The options that the operator's commands share."""

from typing import Annotated

import typer

AccountId = Annotated[str, typer.Option("--account", help="The account's id.")]
OfAccount = Annotated[str | None, typer.Option("--account", help="Only of this account.")]
PropertyId = Annotated[str, typer.Option("--property", help="The property's id.")]
Most = Annotated[int, typer.Option("--limit", min=1, max=1000, help="At most so many.")]
Before = Annotated[str | None, typer.Option("--before", help="Go on behind this id.")]
