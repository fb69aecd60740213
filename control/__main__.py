"""`python -m control COMMAND`: a process of the control plane, or a single command."""

import gc
import json
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
import uvloop
from pydantic import ValidationError

from common.service.logging import configure_logging
from common.service.settings import explain_invalid, warn_of_names
from common.service.tracing import read_tracing
from common.values.errors import ApiError
from control.foundation.key_files import app as key_files
from control.foundation.settings import ControlSettings, DatabaseSettings

app = typer.Typer(
    help="Placard's control plane. Settings come from PLACARD_* variables.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(key_files, name="keys")

Run = Callable[[ControlSettings], Coroutine[Any, Any, None]]


@app.command()
def api() -> None:
    """Serve the management API."""
    with _without_collections():
        from control.processes.api import run

    _serve(run)


@app.command()
def ingest() -> None:
    """Store events from the event log in PostgreSQL."""
    with _without_collections():
        from control.processes.ingest import run

    _serve(run)


@app.command()
def publish() -> None:
    """Publish the snapshot to the edges; several may run, one leads."""
    with _without_collections():
        from control.processes.publish import run

    _serve(run)


@app.command()
def pace() -> None:
    """Grant edge workers their parts of budgets; several may run, one leads."""
    with _without_collections():
        from control.processes.pace import run

    _serve(run)


@app.command()
def work() -> None:
    """Run the scheduled jobs; several may run, one leads."""
    with _without_collections():
        from control.processes.work import run

    _serve(run)


@app.command()
def migrate(
    wait: Annotated[  # noqa: FBT002 - typer reads flags from defaults
        bool,
        typer.Option(
            "--wait", help="Change nothing; wait until the schema is this release's or newer."
        ),
    ] = False,
) -> None:
    """Create the roles and migrate the schema to the newest revision; needs only PLACARD_DATABASE_URL."""
    from control.storage.migrate import run

    uvloop.run(run(DatabaseSettings(), is_waiting=wait))


@app.command()
def reconcile(
    explain: Annotated[  # noqa: FBT002 - typer reads flags from defaults
        bool,
        typer.Option("--explain", help="Print the totals of each writer and hour, and the gaps."),
    ] = False,
    hours: Annotated[
        int, typer.Option("--hours", help="Number of hours to look back.", min=1, max=192)
    ] = 24,
    writer: Annotated[
        str | None, typer.Option("--writer", help="Only this writer, as `EDGE/BOOT`.")
    ] = None,
) -> None:
    """Reconcile appended with stored events now; exit with 1 if records are missing."""
    from control.processes.reconcile import run

    settings = ControlSettings()
    configure_logging(log_format=settings.log_format)
    warn_of_names()
    if not uvloop.run(run(settings, explain=explain, hours=hours, writer=writer)):
        raise SystemExit(1)


@app.command()
def doctor(
    as_json: Annotated[  # noqa: FBT002 - typer reads flags from defaults
        bool, typer.Option("--json", help="Print every check as JSON.")
    ] = False,
    quiet: Annotated[  # noqa: FBT002 - typer reads flags from defaults
        bool, typer.Option("--quiet", help="Print only warnings and errors.")
    ] = False,
    at_start: Annotated[  # noqa: FBT002 - typer reads flags from defaults
        bool,
        typer.Option(
            "--at-start", help="Exit with 0 despite errors of edges and of the mail server."
        ),
    ] = False,
) -> None:
    """Check settings, servers, folders and processes; exit with 1 if one is wrong, 2 if settings cannot be read."""
    from control.operations.doctor.examination import run

    try:
        settings = ControlSettings()
    except ValidationError as error:
        sys.stderr.write(f"{_settings_message(error)}\n")
        raise SystemExit(2) from None
    raise SystemExit(uvloop.run(run(settings, as_json=as_json, quiet=quiet, at_start=at_start)))


@app.command()
def backup(
    folder: Annotated[Path, typer.Argument(help="A new or empty folder for the backup.")],
    programs: Annotated[
        Path | None, typer.Option("--programs", help="Folder of PostgreSQL's client programs.")
    ] = None,
) -> None:
    """Write a verified base backup of PostgreSQL, while it runs; needs a login with REPLICATION."""
    from control.operations.backup.take import take_backup

    facts = take_backup(DatabaseSettings().direct_database_url, folder, programs)
    typer.echo(json.dumps(facts))


@app.command()
def restore(
    folder: Annotated[Path, typer.Argument(help="The folder of `control backup`.")],
    into: Annotated[
        Path, typer.Option("--into", help="The server's new data folder, which is empty.")
    ],
    archive: Annotated[
        Path, typer.Option("--archive", help="Folder to which the server archived its WAL.")
    ],
    until: Annotated[
        str | None,
        typer.Option(
            "--until", help="Instant to recover to, ISO 8601, UTC; none: all archived WAL."
        ),
    ] = None,
) -> None:
    """Prepare a data folder from a backup. The PostgreSQL that starts on it recovers by itself."""
    from control.operations.backup.restore import restore_backup

    restore_backup(folder, into, archive, until)
    typer.echo(f"{into} is ready. Start PostgreSQL on it, then run `python -m control doctor`.")


@app.command()
def simulate(
    scenario: Annotated[
        str, typer.Argument(help="A TOML file, or the name of an included scenario.")
    ],
    seed: Annotated[
        int | None, typer.Option("--seed", help="Seed that replaces the scenario's.")
    ] = None,
    pictures: Annotated[
        Path | None, typer.Option("--pictures", help="Folder for SVG charts, one per campaign.")
    ] = None,
    account: Annotated[
        str | None,
        typer.Option(
            "--account",
            help="Use this account's live campaigns and recorded traffic instead of synthetic ones.",
        ),
    ] = None,
    sample: Annotated[
        str | None,
        typer.Option(
            "--sample",
            help="Store the scenario as the past of this account, which becomes the sample account of `make run`.",
        ),
    ] = None,
) -> None:
    """Simulate traffic, decisions and pacing on a virtual clock; print delivery, error against plan, overspend."""
    from control.operations.simulator.command import run, store

    if sample is not None:
        store(scenario, account=sample)
    else:
        run(scenario, seed=seed, pictures=pictures, account=account)


@app.command()
def openapi(
    check: Annotated[  # noqa: FBT002 - typer reads flags from defaults
        bool,
        typer.Option(
            "--check", help="Only check whether the committed copy is current, and fail if not."
        ),
    ] = False,
) -> None:
    """Write the public API description to docs/openapi.json."""
    from control.api.openapi import COMMITTED, is_fresh, write
    from control.processes.app import OPERATIONS

    if not check:
        write(OPERATIONS)
    elif not is_fresh(OPERATIONS):
        raise SystemExit(f"{COMMITTED} is stale. Run `python -m control openapi` and commit it.")


def main() -> None:
    """Prints an operator's mistake as one sentence; an unexpected error keeps its traceback."""
    if sys.argv[1:2] in ([], ["--help"], ["admin"]):
        _add_admin()
    try:
        app()
    except ValidationError as error:
        sys.exit(_settings_message(error))
    except OSError as error:
        sys.exit(error.strerror or str(error))
    except ApiError as error:
        sys.exit(_describe(error))
    except Exception as error:
        if isinstance(error, _mistakes()):
            sys.exit(str(error))
        if _is_refusal_of_the_database(error):
            sys.exit(_describe(error))
        raise


def _add_admin() -> None:
    """The operator's commands import half the control plane. Processes start sooner without."""
    from control.operations.admin_cli.commands import app as admin

    app.add_typer(admin, name="admin")


def _mistakes() -> tuple[type[Exception], ...]:
    from common.service.internal_tls import InternalTlsInvalid
    from common.service.kafka_connection import KafkaSettingsInvalid
    from common.service.secrets import KeyFileInvalid
    from common.service.tracing import TracingInvalid
    from control.api.operator_action import ActionRefused, NotFound
    from control.operations.backup.programs import BackupFailed
    from control.operations.simulator.from_account import NotRecorded
    from control.operations.simulator.scenario import ScenarioInvalid
    from control.ports.assets import StoreInvalid
    from control.ports.mail import MailUrlInvalid
    from control.storage.migrate import DatabaseNotThere

    return (
        *(InternalTlsInvalid, TracingInvalid),
        *(DatabaseNotThere, KafkaSettingsInvalid, KeyFileInvalid, MailUrlInvalid, StoreInvalid),
        *(NotFound, ActionRefused, BackupFailed, ScenarioInvalid, NotRecorded),
    )


def _is_refusal_of_the_database(error: Exception) -> bool:
    """Whether PostgreSQL refused the login, or has not the database or the schema."""
    from sqlalchemy.exc import DBAPIError

    from control.storage.database import sql_state

    refused = ("28", "3D", "3F", "42P01", "22023")
    return isinstance(error, DBAPIError) and sql_state(error).startswith(refused)


def _describe(error: Exception) -> str:
    from control.storage.database import describe_error

    return describe_error(error)


@contextmanager
def _without_collections() -> Iterator[None]:
    """Imports make a million objects and little garbage: collections would take a fifth of their time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _serve(run: Run) -> None:
    settings = ControlSettings()
    read_tracing()
    configure_logging(log_format=settings.log_format)
    warn_of_names()
    uvloop.run(run(settings))


def _settings_message(error: ValidationError) -> str:
    faults = explain_invalid(error, ControlSettings).splitlines()
    return "\n  ".join(["Settings are missing or wrong; set these variables:", *faults])


if __name__ == "__main__":
    main()
