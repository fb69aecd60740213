"""`control backup` and `restore` refuse what is no backup, before they write anything."""

import hashlib
import json
import re
import subprocess
from pathlib import Path

import pytest

from control.operations.backup.programs import BackupFailed
from control.operations.backup.restore import restore_backup
from control.operations.backup.take import take_backup


def a_backup(folder: Path, *, content: bytes = b"17") -> Path:
    """A backup of one file, whose manifest is for the content ``17``."""
    data = folder / "backup" / "data"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_bytes(content)
    checksum = hashlib.sha256(b"17").hexdigest()
    files = [{"Path": "PG_VERSION", "Size": 2, "Checksum": checksum}]
    (data / "backup_manifest").write_text(json.dumps({"Files": files}))
    (folder / "backup" / "backup.json").write_text('{"ended_at": "2026-11-25T20:00:00Z"}')
    return folder / "backup"


def test_a_restored_folder_recovers_from_the_archive_to_the_instant(tmp_path: Path) -> None:
    restore_backup(a_backup(tmp_path), tmp_path / "new", tmp_path, "2026-11-25T20:00:01.5Z")

    settings = (tmp_path / "new" / "postgresql.auto.conf").read_text()
    assert f"restore_command = 'cp {tmp_path}/%f \"%p\"'" in settings
    assert "recovery_target_time = '2026-11-25T20:00:01.500000+00:00'" in settings
    assert (tmp_path / "new" / "recovery.signal").exists()
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_a_segment_is_copied_from_an_archive_whose_path_has_special_characters(
    tmp_path: Path,
) -> None:
    archive = tmp_path / 'it\'s "100%" $HOME\\safe'
    archive.mkdir()
    (archive / "0001").write_bytes(b"segment")
    restore_backup(a_backup(tmp_path), tmp_path / "new", archive, None)

    (line,) = (tmp_path / "new" / "postgresql.auto.conf").read_text().splitlines()
    value = line.partition(" = ")[2][1:-1].replace("''", "'").replace("\\\\", "\\")
    meant = {"%f": "0001", "%p": str(tmp_path / "copied"), "%%": "%"}
    command = re.sub("%[fp%]", lambda found: meant[found[0]], value)
    subprocess.run(["/bin/sh", "-c", command], check=True)
    assert (tmp_path / "copied").read_bytes() == b"segment"


@pytest.mark.parametrize("content", [b"18", b"170"])
def test_a_damaged_backup_is_refused(tmp_path: Path, content: bytes) -> None:
    backup = a_backup(tmp_path, content=content)
    with pytest.raises(BackupFailed, match="PG_VERSION"):
        restore_backup(backup, tmp_path / "new", tmp_path, None)
    assert not (tmp_path / "new").exists()


def test_an_instant_before_the_end_of_the_backup_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BackupFailed, match="ended at 2026-11-25T20:00:00Z"):
        restore_backup(a_backup(tmp_path), tmp_path / "new", tmp_path, "2026-11-25T19:59:59Z")


def test_text_that_is_no_instant_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BackupFailed, match="noon"):
        restore_backup(a_backup(tmp_path), tmp_path / "new", tmp_path, "noon")


def test_a_folder_with_data_is_never_overwritten(tmp_path: Path) -> None:
    backup = a_backup(tmp_path)
    with pytest.raises(BackupFailed, match="not empty"):
        restore_backup(backup, backup, tmp_path, None)
    with pytest.raises(BackupFailed, match="not empty"):
        take_backup("postgresql://nowhere", backup, None)


def test_an_unfinished_backup_is_refused(tmp_path: Path) -> None:
    backup = a_backup(tmp_path)
    (backup / "backup.json").unlink()
    with pytest.raises(BackupFailed, match="no complete backup"):
        restore_backup(backup, tmp_path / "new", tmp_path, None)


def test_a_missing_program_is_named_with_the_option(tmp_path: Path) -> None:
    with pytest.raises(BackupFailed, match=r"pg_basebackup was not found.*--programs"):
        take_backup("postgresql://nowhere", tmp_path / "new", tmp_path)
