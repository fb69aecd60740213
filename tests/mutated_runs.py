"""
Tries changes of `tests.mutation`, each in a fork of a process that has collected the tests.

Runs in a copy of the tree, whose files hold each change behind a switch. At first each file of tests runs with none on,
which records the changes whose lines a test executes, in whatever process. The argument is JSON: the test files that
import the module of each change, and where the record is kept. Writes a JSON line for each change: its number, and
``caught`` by which test, or ``SURVIVED`` how many.
"""

import hashlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any

import pytest

from tests import switches
from tests.architecture.imports import ROOT
from tests.forked_runs import Watch, in_fork
from tests.mutation import FOLDERS, PLANES, do_tests_fail

_MOST_S = 60.0
_MOST_NEAR_S = 30.0
"""As recorded: of the tests that execute a line, and of the others in the files that import its module."""
_FRESH_S = 400
_MIN_S = 60
_TIMES = 10
"""A test is stopped after a minute and so many times what it took before."""


class _Runs:
    def __init__(self, near: dict[str, list[str]], record: Path, answers: Any) -> None:
        self._near = near
        self._record = record
        self._answers = answers
        self._took_s: dict[str, float] = {}
        self._executed: dict[str, list[int]] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed:
            return None
        imported = switches.take_executed()
        self._read_record(session)
        for number, near in self._near.items():
            began_s = time.monotonic()
            outcome = self._outcome(session, int(number), near, is_imported=int(number) in imported)
            line = [int(number), f"{outcome} in {time.monotonic() - began_s:.0f} s"]
            print(json.dumps(line), file=self._answers, flush=True)
        return True

    def _read_record(self, session: pytest.Session) -> None:
        """Runs each file of tests that changed, or all where the product did. A test that fails is not tried again."""
        product = _digest(path for plane in PLANES for path in (ROOT / plane).rglob("*.py"))
        record = json.loads(self._record.read_text()) if self._record.exists() else {}
        for path, of_path in groupby(session.items, key=lambda item: item.path):
            name, items = str(path.relative_to(ROOT)), list(of_path)
            key = product + _digest([path])
            if record.get(name, {}).get("key") != key:
                record[name] = {"key": key, **in_fork(lambda: self._recorded(session, items))}  # noqa: B023 - it has ended
                self._record.write_text(json.dumps(record))
            if record[name]["failed"]:
                print(f"Left out of {name}: {record[name]['failed']}", file=sys.stderr, flush=True)
            self._took_s |= record[name].get("took_s", {})
            self._executed |= record[name].get("executed", {})

    def _recorded(self, session: pytest.Session, items: Sequence[pytest.Item]) -> dict[str, Any]:
        watch, failed = self._watched(session), []
        executed: dict[str, list[int]] = {}
        for place, (item, following) in enumerate(zip_longest(items, items[1:]), 1):
            switches.switch(test=place)
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            found = switches.take_executed(place)
            if watch.failed:
                failed.append(item.nodeid)
                watch.failed = None
            else:
                executed[item.nodeid] = found
        return {"took_s": watch.took_s, "executed": executed, "failed": failed}

    def _outcome(
        self, session: pytest.Session, number: int, near: Sequence[str], *, is_imported: bool
    ) -> str:
        tests = self._chosen(session, number, near)
        while failed := in_fork(lambda: self._first_failure(session, tests, number)):
            alone = [item for item in tests if item.nodeid == failed]
            if not alone or not in_fork(lambda: self._first_failure(session, alone, 0)):  # noqa: B023 - it has ended
                return f"caught by {failed}"
            tests.remove(alone[0])
        executing = sum(number in executed for executed in self._executed.values())
        if is_imported or not executing:
            switches.switch(on=number)
            fails = do_tests_fail(ROOT, list(near), _FRESH_S)
            switches.switch()
            if fails and not do_tests_fail(ROOT, list(near), _FRESH_S):
                return f"caught by one of {len(near)} files that import it"
        return f"SURVIVED {len(tests)} tests, of which {executing} execute its line,"

    def _chosen(
        self, session: pytest.Session, number: int, near: Sequence[str]
    ) -> list[pytest.Item]:
        """The tests that execute the line; if there are any, also the others in the files that import its module."""
        known = [item for item in session.items if item.nodeid in self._executed]
        executing = [item for item in known if number in self._executed[item.nodeid]]
        others = [item for item in known if item not in executing and _file_of(item) in near]
        if not executing:
            return []
        return [*self._first(executing, near, _MOST_S), *self._first(others, near, _MOST_NEAR_S)]

    def _first(
        self, items: Sequence[pytest.Item], near: Sequence[str], seconds: float
    ) -> list[pytest.Item]:
        """The quickest, while there is time: file by file, as fixtures need it, those first that import the module."""
        chosen: set[pytest.Item] = set()
        for item in sorted(items, key=self._time_of):
            seconds -= self._time_of(item)
            if seconds > 0 or not chosen:
                chosen.add(item)
        files = {
            name: [item for item in of_file if item in chosen]
            for name, of_file in groupby(items, key=_file_of)
        }
        took_s = {name: sum(map(self._time_of, of_file)) for name, of_file in files.items()}
        order = sorted(files, key=lambda name: (name not in near, took_s[name]))
        return [item for name in order for item in files[name]]

    def _time_of(self, item: pytest.Item) -> float:
        return self._took_s.get(item.nodeid, 0.0)

    def _first_failure(
        self, session: pytest.Session, items: Sequence[pytest.Item], number: int
    ) -> str | None:
        switches.switch(on=number)
        watch = self._watched(session)
        try:
            for item, following in zip_longest(items, items[1:]):
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
                if watch.failed:
                    return watch.failed
        except _TooLong:
            return item.nodeid
        finally:
            switches.switch()
            signal.alarm(_MIN_S)
            with suppress(Exception, _TooLong):
                session._setupstate.teardown_exact(None)
        return None

    def _watched(self, session: pytest.Session) -> Watch:
        watch = Watch({})
        session.config.pluginmanager.register(watch)
        signal.signal(signal.SIGALRM, _stop)
        return watch

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        signal.alarm(_MIN_S + int(_TIMES * self._time_of(item)))
        try:
            return (yield)
        finally:
            signal.alarm(0)


class _TooLong(KeyboardInterrupt):
    """Neither pytest nor an event loop handles it as a failure of the test."""


def _stop(*_: object) -> None:
    raise _TooLong


def _file_of(item: pytest.Item) -> str:
    return str(item.path.relative_to(ROOT))


def _digest(paths: Iterable[Path]) -> str:
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sorted(paths))).hexdigest()


def main() -> int:
    """Returns pytest's exit code."""
    job = json.loads(sys.argv[1])
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    runs = _Runs(job["near"], Path(job["record"]), answers)
    options = ["-q", "-p", "no:cacheprovider", "-m", "not long and not faults"]
    return int(pytest.main([*options, "--hypothesis-profile=as_found", *FOLDERS], plugins=[runs]))


if __name__ == "__main__":
    sys.exit(main())
