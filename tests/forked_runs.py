"""
Runs tests on variants of a file, each in a fork of a process that has imported what does not depend on the file.

Runs in a copy of the tree, whose files it changes. The arguments are pytest's. Reads from standard input JSON lines of
a path and its texts; writes a JSON line at the start, and for each text one: the first test that fails, or null.
"""

import json
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.imports import ROOT
from tests.support.import_graph import steps_to

_MAX_S = 300
_NATIVE = {".c", ".h", ".inc"}
"""They are built when a test's module is first imported, so that nothing may be imported before."""


class Watch:
    """``took_s``: the duration of each test. *known_s*: those of another run; the quickest tests begin."""

    def __init__(self, known_s: Mapping[str, float]) -> None:
        self.took_s: defaultdict[str, float] = defaultdict(float)
        self.failed: str | None = None
        self._known_s = known_s

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: self._known_s.get(item.nodeid, 0.0))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.took_s[report.nodeid] += report.duration
        if report.failed:
            self.failed = self.failed or report.nodeid


def main() -> int:
    """Returns 1 where the tests fail on the tree as it is."""
    arguments, answers = sys.argv[1:], os.fdopen(os.dup(1), "w")
    first = in_fork(lambda: _run(arguments, {}))
    own = [name for name, path in first["modules"].items() if path.startswith(str(ROOT))]
    for name in first["modules"]:
        if name not in own:
            with suppress(ImportError):
                import_module(name)
    again = in_fork(lambda: _run(arguments, first["took_s"], own))
    failed = first["failed"] or again["failed"]
    print(json.dumps({"failed": failed, "tests": len(first["took_s"])}), file=answers, flush=True)
    for line in () if failed else sys.stdin:
        path, texts = json.loads(line)
        ready = unaffected(first["modules"], own, ROOT / path)
        in_fork(lambda: _run_each(arguments, first["took_s"], ready, (path, texts), answers))  # noqa: B023 - it has ended
    return 1 if failed else 0


def unaffected(modules: Mapping[str, str], own: Sequence[str], path: Path) -> list[str]:
    """
    The names of *own*, the tree's modules, that a change of *path* does not reach. *modules*: name → file.

    Not those in C: their files are elsewhere, and the graph of imports does not have what they import.
    """
    # The import of any module below a package runs its `__init__.py`.
    if path.suffix in _NATIVE or path.name == "__init__.py":
        return []
    reached = {str(file) for file in steps_to([path])}
    return [name for name in own if modules[name].endswith(".py") and modules[name] not in reached]


def _run_each(
    arguments: Sequence[str],
    known_s: Mapping[str, float],
    ready: Sequence[str],
    variants: tuple[str, Sequence[str]],
    answers: Any,
) -> None:
    _import(ready)
    path, texts = variants
    before = Path(path).read_text("utf-8")
    for text in texts:
        Path(path).write_text(text, "utf-8")
        found = in_fork(lambda: _run(arguments, known_s))
        print(json.dumps(found["failed"]), file=answers, flush=True)
    Path(path).write_text(before, "utf-8")


def _run(
    arguments: Sequence[str], known_s: Mapping[str, float], ready: Sequence[str] = ()
) -> dict[str, Any]:
    signal.alarm(_MAX_S)
    _import(ready)
    watch = Watch(known_s)
    options = ["-xqp", "no:cacheprovider", "-m", "not long and not faults"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    code = int(pytest.main([*options, *arguments], plugins=[watch]))
    if code not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
        watch.failed = watch.failed or "what tests/conftest.py imports"
    loaded = {name: str(getattr(module, "__file__", None)) for name, module in sys.modules.items()}
    return {"failed": watch.failed, "took_s": watch.took_s, "modules": loaded}


def _import(names: Sequence[str]) -> None:
    """Leaves out the modules of tests, which pytest imports under other names."""
    for name in names:
        if not name.rpartition(".")[2].startswith(("test_", "conftest")):
            import_module(name)


def in_fork(work: Callable[[], Any]) -> Any:
    """The result of *work*, as JSON; a run that ends without one has failed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            null = os.open(os.devnull, os.O_RDWR)
            for standard in (1, 2):
                os.dup2(null, standard)
            result = json.dumps(work())
            with os.fdopen(writer, "w") as pipe:
                pipe.write(result)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"failed": "the run ended early"}


if __name__ == "__main__":
    sys.exit(main())
