"""
`make mutate-uses` copies the tree as it is, and leaves alone what `tests/removals.toml` explains: each entry must be of
a use that is there.
"""

import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.architecture.imports import ROOT
from tests.forked_runs import unaffected
from tests.mutation import files_of
from tests.removals import explanations, reason_for, uses_of

_NAMES = sorted(tomllib.loads((ROOT / "tests/removals.toml").read_text("utf-8")))


@pytest.mark.parametrize("name", _NAMES)
def test_each_explanation_is_of_a_use(name: str) -> None:
    reasons, uses = explanations(name), uses_of(name)

    unused = [
        start
        for start, reason in reasons.items()
        if not any(reason_for(use, {start: reason}) for use in uses)
    ]

    assert unused == []


def test_a_copy_has_new_files_and_lacks_deleted_and_ignored_ones(tmp_path: Path) -> None:
    for name, text in ((".gitignore", "*.log"), ("old.py", ""), ("gone.py", "")):
        (tmp_path / name).write_text(text)
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    (tmp_path / "gone.py").unlink()
    (tmp_path / "new.py").touch()
    (tmp_path / "run.log").touch()

    assert sorted(files_of(tmp_path)) == [".gitignore", "new.py", "old.py"]


def test_a_module_in_c_is_imported_after_what_it_imports_changed() -> None:
    built = ROOT / "build/native/0/control/events/ingest/rows.so"
    modules = {
        "control.events.ingest.rows": str(built),
        "control.demand.ads.rows": str(ROOT / "control/demand/ads/rows.py"),
        "common.values.clock": str(ROOT / "common/values/clock.py"),
    }

    left = unaffected(modules, list(modules), ROOT / "common/values/enums.py")

    assert left == ["common.values.clock"]
