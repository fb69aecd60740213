"""`control backup`: a base backup of the whole PostgreSQL server, verified."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path

from common.service.version import VERSION
from common.values.clock import SystemClock
from control.operations.backup.manifest import check_manifest
from control.operations.backup.programs import require_empty, run_program

DATA = "data"
FACTS = "backup.json"


def take_backup(url: str, folder: Path, programs: Path | None) -> dict[str, object]:
    """
    Writes the backup into *folder*, which is new or empty, and returns its facts, which are also in `FACTS` there.

    *url*: the primary, in libpq's form, with a login that has the right REPLICATION. Raises `BackupFailed`; what was
    written so far is then no backup, because it has no facts.
    """
    require_empty(folder, "FOLDER")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    data = folder / DATA
    began_at, began_s = SystemClock().now(), time.monotonic()
    run_program(
        programs,
        "pg_basebackup",
        [
            f"--dbname={_libpq(url)}",
            f"--pgdata={data}",
            *("--wal-method=stream", "--checkpoint=fast", "--no-password"),
            "--manifest-checksums=SHA256",
        ],
    )
    facts: dict[str, object] = {
        "began_at": _instant(began_at),
        "ended_at": _instant(SystemClock().now()),
        "seconds": round(time.monotonic() - began_s, 1),
        "bytes": check_manifest(data),
        "release": VERSION,
    }
    (folder / FACTS).write_text(f"{json.dumps(facts, indent=2)}\n", encoding="utf-8")
    return facts


def _libpq(url: str) -> str:
    return url.replace("postgresql+asyncpg://", "postgresql://", 1)


def _instant(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
