"""`control admin mails`: lists outgoing mails, and retries failed ones."""

from enum import StrEnum
from typing import Annotated, Any

import typer
from sqlmodel import col, select

from control.api.operator_action import ActionRefused, OperatorAction
from control.operations.admin_cli.run import Before, Most, Printed, run_action, shown
from control.storage.tables.mails import MailRow

app = typer.Typer(help="Mails: list, retry.", no_args_is_help=True)

_COLUMNS = (
    *("id", "account_id", "kind", "created_at", "due_at", "attempts"),
    *("sent_at", "failed_at", "last_error"),
)


class MailState(StrEnum):
    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"


@app.command("list")
def list_(
    state: Annotated[MailState | None, typer.Option(help="Only items with this status.")] = None,
    limit: Most = 100,
    before: Before = None,
) -> None:
    """List mails without their content, newest first."""
    run_action(lambda act: list_mails(act, state, limit, before))


@app.command()
def retry(mail: Annotated[str, typer.Option("--mail", help="The mail's id.")]) -> None:
    """Send a failed mail again, now."""
    run_action(lambda act: retry_mail(act, mail))


async def list_mails(
    act: OperatorAction, state: MailState | None, limit: int, before: str | None
) -> Printed:
    wanted = select(MailRow).order_by(col(MailRow.id).desc()).limit(limit)
    sent, failed = col(MailRow.sent_at), col(MailRow.failed_at)
    match state:
        case MailState.WAITING:
            wanted = wanted.where(sent.is_(None), failed.is_(None))
        case MailState.SENT:
            wanted = wanted.where(sent.is_not(None))
        case MailState.FAILED:
            wanted = wanted.where(failed.is_not(None))
        case None:
            pass
    if before is not None:
        wanted = wanted.where(col(MailRow.id) < before)
    return [shown(row, *_COLUMNS) for row in await act.session.scalars(wanted)]


async def retry_mail(act: OperatorAction, mail_id: str) -> dict[str, Any]:
    """Raises `NotFound`, and `ActionRefused` unless the mail has failed."""
    row = await act.get(MailRow, mail_id)
    if row.failed_at is None:
        raise ActionRefused(f"The mail {mail_id} was not given up: it is sent, or on its way.")
    row.failed_at = None
    row.attempts = 0
    row.due_at = act.control.clock.now()
    if row.account_id is None:
        await act.record_of_all("mail.retry", "mail", row.id, kind=row.kind)
    else:
        act.record("mail.retry", "mail", row.id, row.account_id, kind=row.kind)
    return shown(row, *_COLUMNS)
