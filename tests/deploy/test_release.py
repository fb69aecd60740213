"""A release, run in a throw-away copy of this checkout."""

import datetime as dt
import re
import shutil
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from deploy.release import RefusedError, release
from deploy.verified import COVERS, PAGE, ROOT, find_out_of_date
from tests.support.npm import install

_TODAY = dt.date(2031, 2, 3)
_WITHOUT_A_BAR = {"make bench-market"}
"""Benches that describe something and judge nothing."""


def git(root: Path, *arguments: str) -> str:
    command = ("git", *arguments)
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


def commit(root: Path, message: str) -> str:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(root, "rev-parse", "HEAD").strip()


def record_all(root: Path) -> None:
    head = git(root, "rev-parse", "HEAD").strip()
    rows = (f"| `{check}` | 2031-02-01 | `{head}` | fine |\n" for check in COVERS)
    (root / PAGE).write_text("".join(rows))


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tracked files as they are now, in a repository of their own, with every long check recorded."""
    monkeypatch.delenv("PLACARD_COMPILED", raising=False)  # nothing is compiled there
    root = tmp_path / "checkout"
    for name in git(ROOT, "ls-files", "-z").split("\0"):
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    git(tmp_path, "init", "--quiet", str(root))
    git(root, "config", "user.name", "A maintainer")
    git(root, "config", "user.email", "maintainer@placard.example")
    changelog = root / "CHANGELOG.md"
    _, _, released = changelog.read_text().partition("## Unreleased\n")
    rest = re.search(r"^## .*", released, flags=re.MULTILINE | re.DOTALL)
    changelog.write_text(
        f"# Changelog\n\n## Unreleased\n\n### Fixed\n\n- A fault.\n\n{rest[0] if rest else ''}"
    )
    commit(root, "Begin")
    record_all(root)
    commit(root, "Record the long checks")
    return root


@pytest.mark.long
def test_a_release_sets_one_version_everywhere(checkout: Path) -> None:
    subprocess.run([ROOT / "clients/web/build.sh", "--check"], check=True, capture_output=True)
    (checkout / "clients/web/node_modules").symlink_to(ROOT / "clients/web/node_modules")
    (checkout / "clients/node/node_modules").symlink_to(install(ROOT / "clients/node"))
    (checkout / "clients/go/types.go").write_text("")
    commit(checkout, "Change what the last release wrote")

    release(checkout, "7.1.0", _TODAY, sys.executable)

    package = orjson.loads((checkout / "clients/web/package.json").read_bytes())
    described = orjson.loads((checkout / "docs/openapi.json").read_bytes())
    assert (package["version"], described["info"]["version"]) == ("7.1.0", "7.1.0")
    assert '"7.1.0"' in (checkout / "common/service/version.py").read_text()
    assert '"7.1.0"' in (checkout / "clients/web/released/7.1.0/placard.js").read_text()
    for library in ("python/placard/version.py", "node/dist/version.js", "go/version.go"):
        assert '"7.1.0"' in (checkout / "clients" / library).read_text()
    assert "'7.1.0'" in (checkout / "clients/php/src/Version.php").read_text()
    released = git(checkout, "rev-parse", "HEAD~1").strip()
    assert git(checkout, "tag", "--points-at", released).split() == ["clients/go/v7.1.0", "v7.1.0"]
    assert (checkout / "deploy/releases").read_text().endswith(f"\n7.1.0 {released}\n")
    assert "/sdk/7.1.0/placard.js" in (checkout / "README.md").read_text()
    assert "placard-core:7.1.0" in (checkout / "clients/android/README.md").read_text()
    assert 'from: "7.1.0"' in (checkout / "clients/ios/README.md").read_text()
    assert '"7.1.0"' in (checkout / "clients/ios/Sources/PlacardCore/Features.swift").read_text()
    changelog = (checkout / "CHANGELOG.md").read_text()
    assert "## Unreleased\n\n## 7.1.0 - 2031-02-03\n\n### Fixed\n\n- A fault.\n" in changelog
    assert git(checkout, "describe", "--exact-match", released) == "v7.1.0\n"
    types = Path("clients/go/types.go")
    assert (checkout / types).read_text() == (ROOT / types).read_text()
    assert git(checkout, "status", "--porcelain") == ""
    assert find_out_of_date(checkout) == []


def test_what_is_not_ready_is_refused_and_nothing_changes(checkout: Path) -> None:
    def refusal(version: str = "7.1.0") -> str:
        before = git(checkout, "status", "--porcelain"), git(checkout, "rev-parse", "HEAD")
        with pytest.raises(RefusedError) as refused:
            release(checkout, version, _TODAY, sys.executable)
        assert (
            git(checkout, "status", "--porcelain"),
            git(checkout, "rev-parse", "HEAD"),
        ) == before
        return str(refused.value)

    assert "is not above" in refusal("0.0.9")
    assert "is no version" in refusal("7.1")
    (checkout / "note.txt").write_text("not committed")
    assert "not committed" in refusal()
    commit(checkout, "Add a note")
    (checkout / "common" / "contract" / "openapi.py").write_text("")
    commit(checkout, "Break the description")
    stale = refusal()
    assert "make bench-serve: was run on" in stale
    assert "make bench-reports" not in stale
    record_all(checkout)
    commit(checkout, "Record the long checks again")
    assert "control openapi failed" in refusal()


def test_every_bench_with_a_bar_is_followed_until_its_code_changes() -> None:
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    benches = set(re.findall(r"^\| `(make bench-[\w-]+)` \|", page, flags=re.MULTILINE))

    assert benches - _WITHOUT_A_BAR == {one for one in COVERS if one.startswith("make bench-")}


@pytest.mark.parametrize("check", COVERS)
def test_a_check_covers_paths_that_exist(check: str) -> None:
    assert [path for path in COVERS[check] if not (ROOT / path).exists()] == []
