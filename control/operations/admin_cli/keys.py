"""`control admin keys`: finds and revokes keys, also by the text of a leaked key."""

import sys
from typing import Annotated, Any

import typer
from sqlmodel import col, select

from common.snapshot.model import ObjectType
from common.values.keys import KeyKind, find_key_text, redacted
from control.api.operator_action import ActionRefused, NotFound, OperatorAction
from control.operations.admin_cli.run import Before, Most, OfAccount, Printed, run_action, shown
from control.storage.tables.properties import KeyRow

app = typer.Typer(help="Keys: list, revoke.", no_args_is_help=True)

_COLUMNS = (
    *("id", "account_id", "property_id", "kind", "environment", "name", "last4", "scopes"),
    *("created_by", "created_at", "last_used_at", "expires_at", "revoked_at"),
)


@app.command("list")
def list_(
    account: OfAccount = None,
    property_id: Annotated[
        str | None, typer.Option("--property", help="Only of this property.")
    ] = None,
    limit: Most = 100,
    before: Before = None,
) -> None:
    """List keys without their texts, newest first."""
    run_action(lambda act: list_keys(act, account, property_id, limit, before))


@app.command()
def revoke(
    key: Annotated[str | None, typer.Option("--key", help="The key's id.")] = None,
    pasted: Annotated[  # noqa: FBT002 - typer reads flags from defaults
        bool,
        typer.Option(
            "--pasted",
            help="Read the key's text from standard input, to keep it out of the shell history.",
        ),
    ] = False,
) -> None:
    """Revoke a key permanently, by its id or its text."""
    if (key is None) is not pasted:
        raise typer.BadParameter("Name one of --key and --pasted.")
    text = sys.stdin.readline().strip() if pasted else ""
    run_action(lambda act: revoke_key(act, key, text))


async def list_keys(
    act: OperatorAction,
    account: str | None,
    property_id: str | None,
    limit: int,
    before: str | None,
) -> Printed:
    wanted = select(KeyRow).order_by(col(KeyRow.id).desc()).limit(limit)
    if account is not None:
        wanted = wanted.where(col(KeyRow.account_id) == account)
    if property_id is not None:
        wanted = wanted.where(col(KeyRow.property_id) == property_id)
    if before is not None:
        wanted = wanted.where(col(KeyRow.id) < before)
    return [shown(row, *_COLUMNS) for row in await act.session.scalars(wanted)]


async def revoke_key(act: OperatorAction, key_id: str | None, text: str) -> dict[str, Any]:
    """By id, or by *text*. Raises `NotFound`, and `ActionRefused` where it was revoked before."""
    row: KeyRow = await (act.get(KeyRow, key_id) if key_id else _of_text(act, text))
    if row.revoked_at is not None:
        raise ActionRefused(f"The key {row.id} was revoked already.")
    row.revoked_at = act.control.clock.now()
    row.version += 1
    act.record("key.revoke", "key", row.id, row.account_id, found_by="id" if key_id else "text")
    if row.kind != KeyKind.INTEGRATION:
        act.changes.touch(ObjectType.KEY, row.id)
    return shown(row, *_COLUMNS)


async def _of_text(act: OperatorAction, text: str) -> KeyRow:
    parsed = find_key_text(text)
    if parsed is None:
        raise NotFound("This is no key's text. Paste it whole, on one line.")
    row = await act.session.scalar(
        select(KeyRow).where(col(KeyRow.hash) == parsed.hash).with_for_update()
    )
    if row is None:
        raise NotFound(f"There is no key {redacted(text)}.")
    return row
