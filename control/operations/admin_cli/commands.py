"""
`control admin`: the operator's commands. None of them is reachable over HTTP.

Each action is written to the audit log and to the outbox in its own transaction, so that edges receive it, and prints
what it changed as JSON.
"""

import typer

from control.operations.admin_cli import (
    accounts,
    audit,
    dead_letters,
    events,
    keys,
    mails,
    members,
    outbox,
    properties,
    reports,
    writers,
)
from control.operations.admin_cli.billing import app as money

app = typer.Typer(help="Operator commands. They print JSON.", no_args_is_help=True)

app.add_typer(accounts.app, name="accounts")
app.add_typer(properties.app, name="properties")
app.add_typer(keys.app, name="keys")
app.add_typer(members.app, name="members")
app.add_typer(audit.app, name="audit")
app.add_typer(outbox.app, name="outbox")
app.add_typer(dead_letters.app, name="dead-letters")
app.add_typer(events.app, name="events")
app.add_typer(writers.app, name="writers")
app.add_typer(mails.app, name="mails")
app.add_typer(reports.app, name="reports")
app.add_typer(money, name="money")

# Short names of the actions that scripts use most.
app.command("make-operator")(accounts.make_operator)
app.command("suspend-account")(accounts.suspend)
app.command("activate-account")(accounts.activate)
app.command("verify-address")(members.verify_address)
app.command("verify-property")(properties.verify)
