"""`control restore`: a data folder that recovers to the end of the archived WAL, or to an instant before."""

import json
import os
import shlex
import shutil
from datetime import UTC, datetime
from pathlib import Path

from control.operations.backup.manifest import check_manifest
from control.operations.backup.programs import BackupFailed, require_empty
from control.operations.backup.take import DATA, FACTS


def restore_backup(folder: Path, into: Path, archive: Path, until: str | None) -> None:
    """
    Copies the backup in *folder* to the new or empty folder *into*, and sets up its recovery from the WAL in *archive*.

    *until*: None is the end of the archive. The files of *into* belong to this process's user: run it as the server's.
    Raises `BackupFailed`.
    """
    facts = _facts(folder)
    instant = None if until is None else _parse(until)
    if instant is not None and instant < datetime.fromisoformat(str(facts["ended_at"])):
        raise BackupFailed(
            f"--until: the backup ended at {facts['ended_at']}. Name a later instant, or an earlier backup."
        )
    if not archive.is_dir():
        raise BackupFailed(f"--archive: {archive} is no folder.")
    require_empty(into, "--into")
    check_manifest(folder / DATA)
    into.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.copytree(folder / DATA, into, dirs_exist_ok=True, symlinks=True)
    into.chmod(0o700)
    with (into / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in _recovery(archive, instant))
    (into / "recovery.signal").touch(mode=0o600)
    _sync(into)


def _facts(folder: Path) -> dict[str, object]:
    try:
        facts: dict[str, object] = json.loads((folder / FACTS).read_bytes())
    except (OSError, ValueError) as error:
        raise BackupFailed(f"FOLDER: {folder} holds no complete backup ({error}).") from error
    return facts


def _parse(until: str) -> datetime:
    """An instant without an offset is in UTC."""
    try:
        instant = datetime.fromisoformat(until)
    except ValueError as error:
        raise BackupFailed(
            f"--until: {until} is no instant, such as 2026-11-25T20:00:00Z."
        ) from error
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def _recovery(archive: Path, until: datetime | None) -> list[str]:
    lines = [f"restore_command = {_quoted(_copy_from(archive.resolve()))}"]
    if until is not None:
        lines.append(f"recovery_target_time = '{until.isoformat()}'")
        lines.append("recovery_target_action = 'promote'")
    return lines


def _copy_from(archive: Path) -> str:
    """PostgreSQL replaces ``%f`` and ``%p``, and runs the result in a shell."""
    return f'cp {shlex.quote(str(archive)).replace("%", "%%")}/%f "%p"'


def _quoted(value: str) -> str:
    """A string in a configuration file of PostgreSQL."""
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
