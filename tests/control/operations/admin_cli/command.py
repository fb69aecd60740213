"""`python -m control …` on a test's own service: as a process, or in this one, which starts faster."""

import asyncio
import os
import sys
from typing import Any

import orjson
from typer.testing import CliRunner, Result

from control.operations.admin_cli.commands import app
from tests.support.control_api import ControlApi


async def run_control(api: ControlApi, *arguments: str, **changes: str) -> tuple[int, bytes, bytes]:
    """Its exit code, its standard output and its standard error."""
    inherited = {name: value for name, value in os.environ.items() if "PLACARD_" not in name}  # noqa: TID251 - the child's own
    environment = {**inherited, **_settings(api), **changes}
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "control",
        *arguments,
        env={name: value for name, value in environment.items() if value},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await child.communicate()
    return child.returncode or 0, output, errors


async def admin(api: ControlApi, *arguments: str, stdin: str = "") -> Any:
    """What a command printed; fails where it did not end well."""
    result = await _invoke(api, arguments, stdin)
    assert result.exit_code == 0, (result.output, result.exception)
    return orjson.loads(result.stdout)


async def refused(api: ControlApi, *arguments: str, stdin: str = "") -> str:
    """The output of a command that changed nothing."""
    result = await _invoke(api, arguments, stdin)
    assert result.exit_code != 0, result.output
    assert result.stdout == ""
    text = result.exception
    return result.stderr if isinstance(text, SystemExit) else str(text)


async def _invoke(api: ControlApi, arguments: tuple[str, ...], stdin: str) -> Result:
    """In a thread, for a command has an event loop of its own."""
    run = CliRunner().invoke
    return await asyncio.to_thread(run, app, arguments, input=stdin, env=_settings(api))


def _settings(api: ControlApi) -> dict[str, str]:
    settings = api.control.settings
    return {
        "PLACARD_DATABASE_URL": settings.database_url,
        "PLACARD_REDIS_URL": settings.redis_url,
        "PLACARD_KEY_FILE": str(settings.key_file),
        "PLACARD_STATE": str(settings.state),
        "PLACARD_CONTROL_URL": settings.control_url,
        "PLACARD_EDGE_LIVE_URL": settings.edge_live_url,
        "PLACARD_EDGE_TEST_URL": settings.edge_test_url,
    }
