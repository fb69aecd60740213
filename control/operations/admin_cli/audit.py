"""`control admin audit`: reads the audit log of all accounts."""

from typing import Annotated

import typer
from pydantic import ValidationError

from control.api.operator_action import OperatorAction
from control.identity.audit_log.queries import list_lines, to_public
from control.identity.audit_log.schemas import AuditQuery
from control.operations.admin_cli.run import Before, OfAccount, Printed, run_action

app = typer.Typer(help="The audit log.", no_args_is_help=True)


@app.command()
def show(  # noqa: PLR0917 - typer makes an option of each
    account: OfAccount = None,
    actor: Annotated[str | None, typer.Option(help="user:ID, key:ID, operator, system.")] = None,
    action: Annotated[str | None, typer.Option(help="The action, such as createCampaign.")] = None,
    object_type: Annotated[
        str | None, typer.Option(help="The type of object, such as campaign.")
    ] = None,
    object_id: Annotated[str | None, typer.Option(help="The object's id.")] = None,
    since: Annotated[str | None, typer.Option(help="From 2026-03-01T00:00:00Z on.")] = None,
    until: Annotated[str | None, typer.Option(help="Before 2026-03-01T00:00:00Z.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="Maximum number of items.")] = 100,
    before: Before = None,
) -> None:
    """List changes and who made them, newest first."""
    given = {
        "actor": actor,
        "action": action,
        "object_type": object_type,
        "object_id": object_id,
        "since": since,
        "until": until,
        "limit": str(limit),
    }
    try:
        query = AuditQuery.model_validate({k: v for k, v in given.items() if v is not None})
    except ValidationError as error:
        raise typer.BadParameter(error.errors(include_url=False)[0]["msg"]) from None
    run_action(lambda act: show_lines(act, account, query, before))


async def show_lines(
    act: OperatorAction, account: str | None, query: AuditQuery, before: str | None
) -> Printed:
    rows = await list_lines(act.session, account, query, before)
    return [
        {"account_id": row.account_id} | to_public(row).model_dump(mode="json")
        for row in rows[: query.limit]
    ]
