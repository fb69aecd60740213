"""``python -m edge``: one edge machine, for one environment; with ``--scenario FILE``, a fake one for tests."""

import os
import random
import sys
from datetime import datetime
from pathlib import Path

import structlog
import uvloop
from pydantic import ValidationError

from common.service.internal_tls import InternalTlsInvalid
from common.service.kafka_connection import KafkaConnection, KafkaSettingsInvalid
from common.service.logging import configure_logging
from common.service.secrets import KeyFileInvalid
from common.service.settings import explain_invalid, warn_of_names
from common.service.tracing import TracingInvalid, read_tracing
from common.values.clock import SystemClock, to_iso
from edge.settings import EdgeSettings
from edge.supervisor.listening_socket import PortTaken
from edge.supervisor.supervisor import supervise
from edge.wiring import (
    open_limit_store,
    open_replayer,
    open_snapshot_source,
    read_traffic_lists,
)

_WRONG_SETTINGS = 2
_DERIVE = (
    "The next release refuses root keys on an edge. Write an edge key file with `control keys derive-edge`, "
    "set PLACARD_KEY_FILE to it, and take the root key file off this machine."
)
_log: structlog.stdlib.BoundLogger = structlog.get_logger("edge")


class SettingWrong(Exception):
    """A setting that parses but cannot work on this machine. The message names it and states what to do."""


def main() -> int:
    """Returns the exit code: 0 after a signal, 2 for settings that cannot work, with one line printed for each."""
    if len(sys.argv) > 1:
        from edge.scenario.fake_edge import main as run_scenario

        return run_scenario(sys.argv[1:])
    try:
        settings = EdgeSettings()
        configure_logging(log_format=settings.log_format)
        warn_of_names()
        _check(settings)
        uvloop.run(_run(settings))
    except ValidationError as error:
        return _complain(explain_invalid(error, EdgeSettings))
    except (KeyFileInvalid, PortTaken, SettingWrong) as error:
        return _complain(str(error))
    return 0


def _check(settings: EdgeSettings) -> None:
    """Checks the settings that would make every worker fail at each start. Raises `SettingWrong`."""
    if settings.key_ring().keys:
        _log.warning("root_key_file_deprecated", key_file=str(settings.key_file), advice=_DERIVE)
    try:
        read_traffic_lists(settings)
    except (OSError, ValueError) as error:
        raise SettingWrong(f"PLACARD_DATA_CENTER_RANGES: {error}") from error
    try:
        KafkaConnection.of(settings)
        read_tracing()
        tls = settings.internal_tls()
        if tls is not None:
            tls.open_server()
    except (KafkaSettingsInvalid, InternalTlsInvalid, TracingInvalid) as error:
        raise SettingWrong(str(error)) from error
    _check_clicks_signed_since(settings.clicks_signed_since, SystemClock().now())
    _check_folder("PLACARD_SPOOL_DIR", settings.spool_dir)
    _check_folder("PLACARD_SNAPSHOT_DIR", settings.snapshot_dir)


def _check_clicks_signed_since(since: datetime, now: datetime) -> None:
    if since > now:
        raise SettingWrong(
            f"PLACARD_CLICKS_SIGNED_SINCE: {to_iso(since)} is in the future; this machine's clock says {to_iso(now)}. "
            "Set it to the time of the upgrade to signed click ids, or remove it."
        )


def _check_folder(name: str, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SettingWrong(f"{name}: {folder} cannot be made: {error.strerror}.") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SettingWrong(f"{name}: {folder} is not writable. Give its user the right to write.")


async def _run(settings: EdgeSettings) -> None:
    clock = SystemClock()
    async with (
        open_snapshot_source(settings) as (source, fallback),
        open_replayer(settings, clock) as replayer,
        open_limit_store(settings) as limits,
    ):
        await supervise(
            settings,
            source,
            fallback,
            replayer,
            limits,
            clock=clock,
            rng=random.Random(),
            worker_command=(sys.executable, "-m", "edge.worker"),
        )


def _complain(message: str) -> int:
    sys.stderr.write(f"{message}\n")
    return _WRONG_SETTINGS


if __name__ == "__main__":
    sys.exit(main())
