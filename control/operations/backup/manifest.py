"""Checks a base backup against its manifest, which `pg_basebackup` writes with a SHA-256 of each file."""

import hashlib
import json
from pathlib import Path
from typing import Any

from control.operations.backup.programs import BackupFailed

_NAME = "backup_manifest"


def check_manifest(data: Path) -> int:
    """
    Returns the bytes of all files of the backup in *data*. Raises `BackupFailed` where a file is missing or altered.

    WAL is not in the manifest: the server checks it when it recovers.
    """
    try:
        files: list[dict[str, Any]] = json.loads((data / _NAME).read_bytes())["Files"]
    except (OSError, ValueError, KeyError) as error:
        raise BackupFailed(f"{data} has no readable manifest: {error}") from error
    for one in files:
        path = data / _path_of(one)
        if not path.is_file() or path.stat().st_size != one["Size"]:
            raise BackupFailed(f"The backup is damaged: {path} is missing or has another size.")
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != one["Checksum"]:
            raise BackupFailed(f"The backup is damaged: {path} has another content.")
    return sum(int(one["Size"]) for one in files)


def _path_of(file: dict[str, Any]) -> str:
    """A name that is not UTF-8 is stored in hexadecimal."""
    if "Path" in file:
        return str(file["Path"])
    return bytes.fromhex(file["Encoded-Path"]).decode(errors="surrogateescape")
