"""`control admin …` on a running stack, without the second or two that a process of its own takes to start."""

from concurrent.futures import ThreadPoolExecutor

from typer.testing import CliRunner

from control.operations.admin_cli.commands import app
from deploy.standalone.background import Background


def verify(stack: Background, *, email: str | None = None, property_id: str | None = None) -> None:
    """As an operator does: the address of a person, and that a property is theirs."""
    if email is not None:
        _run(stack, "verify-address", "--email", email)
    if property_id is not None:
        _run(stack, "verify-property", "--property", property_id)


def _run(stack: Background, *arguments: str) -> None:
    """In a thread: a command has an event loop of its own."""
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(CliRunner().invoke, app, arguments, env=stack.environment)
    assert run.result().exit_code == 0, (run.result().output, run.result().exception)
