"""The state folder of one stack: its lock, the key file of its secrets, and the list of its processes."""

import base64
import fcntl
import json
import os
import secrets
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deploy.standalone.errors import StartError
from deploy.standalone.process import Identity, end_foreign, list_pids

MARK = "PLACARD_STACK"
"""Set for every child to its state folder: processes that a killed start left behind are found by it."""

_LOCK_WAIT_S = 12.0  # a start that is stopping takes up to 10 s


@contextmanager
def locked(state: Path) -> Iterator[None]:
    """
    Hold `state` for one stack; the lock file has its process id. The kernel releases the lock however that process
    ends.
    """
    state.mkdir(mode=0o711, parents=True, exist_ok=True)  # other users may pass through, not list
    with (state / "lock").open("a+", encoding="utf-8") as file:
        _lock(file.fileno(), state)
        (state / "demo.json").unlink(missing_ok=True)  # left by a start that was killed
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield


def _lock(descriptor: int, state: Path) -> None:
    deadline = time.monotonic() + _LOCK_WAIT_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # A running stack has `demo.json`. Without it, the stack is stopping, or still starting.
            if (state / "demo.json").exists() or time.monotonic() > deadline:
                pid = (state / "lock").read_text(encoding="utf-8").strip()
                raise StartError(
                    f"A stack already runs on {state} (process {pid}). Stop that one, or name "
                    "another folder in PLACARD_STATE and other ports for a second one."
                ) from None
            time.sleep(0.1)
        else:
            return


def write_json(path: Path, content: Any) -> None:
    """Write the file atomically, with mode 0600, because these files hold secrets."""
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=2)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def read_json(path: Path) -> Any:
    """None if the file does not exist."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def make_key_file(state: Path) -> Path:
    """The service's secrets derive from this file; it is created once and never changed here."""
    path = state / "keys.json"
    if not path.exists():
        key = base64.b64encode(secrets.token_bytes(32)).decode("ascii")
        write_json(path, {"active": "k1", "keys": {"k1": key}})
    return path


def note_processes(state: Path, running: Iterable[tuple[str, Identity | None]]) -> None:
    """Store the running processes, for people and for the next start."""
    found = [
        {"name": name, "pid": one.pid, "started_ticks": one.started_ticks, "boot": one.boot}
        for name, one in running
        if one is not None
    ]
    write_json(state / "pids.json", found)


def noted(state: Path) -> dict[Identity, str]:
    """The processes that were running when `note_processes` was last called, and their names."""
    return {
        Identity(one["pid"], one["started_ticks"], one["boot"]): one["name"]
        for one in read_json(state / "pids.json") or []
    }


def end_leftovers(state: Path) -> list[str]:
    """End processes that a killed start of `state` left running, except servers; return their names."""
    marked = {one: f"process {one.pid}" for one in _list_marked(state)}
    left = {one: name for one, name in {**marked, **noted(state)}.items() if one.alive()}
    end_foreign(list(left), first=signal.SIGTERM, wait_s=5)
    return sorted(left.values())


def _list_marked(state: Path) -> list[Identity]:
    mark = f"{MARK}={state}".encode()
    found = []
    for pid in list_pids():
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        identity = Identity.find(pid)
        if mark in environment and identity is not None and pid != os.getpid():
            found.append(identity)
    return found
