"""A lock between the processes of one test run, for what they change on the machine: installed programs."""

import fcntl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def one_at_a_time(name: str) -> Iterator[None]:
    """Waits until no other process of this user is in a block of that *name*."""
    path = Path(tempfile.gettempdir()) / f"placard-tests-{name}.lock"
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
