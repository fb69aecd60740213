"""What a worker committed is read from its file once the worker is dead, and not before."""

import mmap
import os
import shutil
import signal
import struct
import subprocess
import sys
from pathlib import Path

from edge.state.commit_file import CommitFile, Ended, find_dead

COMMIT_AND_WAIT = """
import signal, sys
from pathlib import Path
from edge.state.commit_file import CommitFile
file = CommitFile(Path(sys.argv[1]), "edge/1")
for number in range(6000):
    if file.needs_room:
        file.make_room()
    counts, place = file.place(f"campaign-{number}")
    counts[place] = number
file.record_report(7, 123)
print("written", flush=True)
signal.pause()
"""


def test_what_a_killed_worker_committed_is_read_once_it_is_dead(tmp_path: Path) -> None:
    command = [sys.executable, "-c", COMMIT_AND_WAIT, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        worker.stdout.readline()
        while_it_lives = list(find_dead(tmp_path))
        os.kill(worker.pid, signal.SIGKILL)
    (dead,) = find_dead(tmp_path)
    committed = {f"campaign-{number}": number for number in range(6000)}
    assert while_it_lives == []
    assert dead.ended == Ended("edge/1", 7, 123, committed)
    assert list(find_dead(tmp_path)) == []
    dead.remove()
    assert list(tmp_path.iterdir()) == []


def test_what_killed_workers_left_of_new_files_is_deleted_an_hour_later(tmp_path: Path) -> None:
    old, new = tmp_path / "old.new", tmp_path / "new.new"
    old.touch()
    new.touch()
    os.utime(old, (0, 0))
    CommitFile(tmp_path, "edge/1").remove()
    assert list(tmp_path.iterdir()) == [new]


def test_a_file_of_a_release_without_holds_is_read(tmp_path: Path) -> None:
    """Its names have 40 bytes; its version was read as a mark of files with room."""
    name, micros = "01900000-0000-7000-8000-000000000001", 12_000
    boot = Path("/proc/sys/kernel/random/boot_id").read_bytes().strip()
    head = boot.ljust(40, b"\0") + struct.pack("=3q", 7, 123, 1)
    entry = name.encode().ljust(40, b"\0") + struct.pack("=q", micros)
    raw = head.ljust(mmap.PAGESIZE, b"\0") + entry.ljust(48 * 4096, b"\0")
    (tmp_path / "edge%2F1.commits").write_bytes(raw)
    (dead,) = find_dead(tmp_path)
    assert dead.ended == Ended("edge/1", 7, 123, {name: micros})
    dead.release()


def test_a_full_commit_file_or_one_of_another_boot_reports_nothing(tmp_path: Path) -> None:
    full = CommitFile(tmp_path / "living", "full")
    while full.needs_room:
        full.make_room()
    for number in range(10_000):
        full.place(f"campaign-{number}")
    CommitFile(tmp_path / "living", "rebooted")
    # A copy has no lock on it, as if the worker were dead.
    shutil.copytree(tmp_path / "living", tmp_path / "dead")
    with (tmp_path / "dead" / "rebooted.commits").open("r+b") as file:
        file.write(b"another boot")
    assert [dead.ended for dead in find_dead(tmp_path / "dead")] == [None, None]
