"""
`make release VERSION=0.3.0`: sets the version everywhere, writes the API description and what is generated of it in
the client libraries, rebuilds the web library, dates the changelog's section, commits and tags, and records the commit
in `deploy/releases`. Nothing is pushed.

It checks everything before it changes anything. If a build fails, the tree is restored.
"""

import datetime as dt
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from deploy.verified import ROOT, find_out_of_date

_VERSION_FILE = Path("common", "service", "version.py")
_CHANGELOG = Path("CHANGELOG.md")
_RELEASES = Path("deploy", "releases")
_NUMBER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
_UNRELEASED = "## Unreleased\n"
_PLACES: dict[str, str] = {
    str(_VERSION_FILE): r'^VERSION = "{}"$',
    "clients/python/placard/version.py": r'^VERSION = "{}"$',
    "clients/node/package.json": r'^  "version": "{}",$',
    "clients/node/package-lock.json": r'^(?:  |      )"version": "{}",$',
    "clients/node/src/version.ts": r'^export const VERSION = "{}";$',
    "clients/node/dist/version.js": r'^export const VERSION = "{}";$',
    "clients/node/dist/version.d.ts": r'^export declare const VERSION = "{}";$',
    "clients/go/version.go": r'^const Version = "{}"$',
    "clients/php/src/Version.php": r"^    public const NUMBER = '{}';$",
    "clients/android/pom.xml": r"^  <version>{}</version>$",
    "clients/android/core/pom.xml": r"^    <version>{}</version>$",
    "clients/android/placard/pom.xml": r"^    <version>{}</version>$",
    "clients/android/compose/pom.xml": r"^    <version>{}</version>$",
    "clients/android/core/src/main/kotlin/placard/core/Features.kt": r'const val VERSION = "{}"$',
    "clients/flutter/pubspec.yaml": r"^version: {}$",
    "clients/flutter/lib/src/core/features.dart": r"static const String version = '{}';$",
    "clients/flutter/README.md": r"^    version: \^{}$",
    "clients/android/README.md": r"example\.placard:placard-\w+:{}",
    "clients/ios/Sources/PlacardCore/Features.swift": r'^    static let version = "{}"$',
    "clients/ios/README.md": r'from: "{}"\)',
    "docs/libraries.md": r'(?:placard\.git", from: |placard-android:)"?{}"',
}
"""Files that name the version, and the pattern that finds it. The wheel and the description read the first."""

_WEB_PACKAGE = "clients/web/package.json"
_WEB_PLACES: dict[str, str] = {
    _WEB_PACKAGE: r'^  "version": "{}",$',
    "clients/web/package-lock.json": r'^(?:  |      )"version": "{}",$',
    "clients/web/src/features.ts": r'^export const VERSION = "{}";$',
    "clients/web/README.md": r"/sdk/{}/placard\.js",
    "README.md": r"/sdk/{}/placard\.js",
}
"""Those that name the version of the web library, which may have had releases of its own since the last one."""


class RefusedError(Exception):
    """The message says what to do first."""


def release(root: Path, version: str, today: dt.date, python: str) -> None:
    """Raises `RefusedError`, with the tree unchanged."""
    last, last_web = _check(root, version)
    try:
        for name, pattern in _PLACES.items():
            _replace(root / name, pattern, last, version)
        for name, pattern in _WEB_PLACES.items():
            _replace(root / name, pattern, last_web, version)
        _date_changelog(root / _CHANGELOG, version, today)
        _run(root, python, "-m", "control", "openapi")
        _run(root, python, "-m", "clients.generate")
        _run(root, python, "-m", "tests.contract.generated", "libraries")
        _run(root, python, "-m", "tests.clients.libraries")
        _run(root, "clients/node/build.sh")
        _run(root, "clients/web/release.sh")
    except BaseException:
        _run(root, "git", "restore", "--staged", "--worktree", ".")
        _run(root, "git", "clean", "-fdq", "clients/web/released")
        raise
    _run(root, "git", "add", "--all")
    _run(root, "git", "commit", "--quiet", "--message", f"Release {version}")
    _run(root, "git", "tag", "--annotate", f"v{version}", "--message", f"Placard {version}")
    _run(root, "git", "tag", f"clients/go/v{version}")  # where Go looks for a module below the root
    commit = _run(root, "git", "rev-parse", "HEAD").strip()
    with (root / _RELEASES).open("a") as releases:
        releases.write(f"{version} {commit}\n")
    _run(root, "git", "commit", "--quiet", "--message", f"Record the commit of {version}", "--all")


def _check(root: Path, version: str) -> tuple[str, str]:
    """Returns the previous version, and that of the web library."""
    last = re.search(r'^VERSION = "(.+)"$', (root / _VERSION_FILE).read_text(), re.MULTILINE)
    assert last is not None  # noqa: S101 - the file holds nothing else
    last_web: str = json.loads((root / _WEB_PACKAGE).read_text())["version"]
    if not _NUMBER.fullmatch(version):
        raise RefusedError(f"{version!r} is no version. Give three numbers: VERSION=0.3.0")
    newest = max(last[1], last_web, key=_parts)
    if _parts(version) <= _parts(newest):
        raise RefusedError(
            f"{version} is not above {newest}, the version of this tree. Give a higher one."
        )
    if _run(root, "git", "status", "--porcelain"):
        raise RefusedError(
            "The tree has changes that are not committed. Commit or stash them first."
        )
    if not _section(root / _CHANGELOG).strip():
        raise RefusedError(
            "CHANGELOG.md has nothing under Unreleased. Say what this release changes."
        )
    stale = find_out_of_date(root)
    if stale:
        listed = "\n".join(f"  {one}" for one in stale)
        raise RefusedError(
            f"Run these checks first, and record them in docs/verified.md:\n{listed}"
        )
    return last[1], last_web


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _replace(path: Path, pattern: str, last: str, version: str) -> None:
    put: Callable[[re.Match[str]], str] = lambda found: found[0].replace(last, version)  # noqa: E731
    text, count = re.subn(
        pattern.format(re.escape(last)), put, path.read_text(), flags=re.MULTILINE
    )
    if not count:
        raise RefusedError(
            f"{path} does not name the version {last}. Mend it, or its pattern in deploy/release.py."
        )
    path.write_text(text)


def _section(path: Path) -> str:
    """The text under Unreleased."""
    _, _, after = path.read_text().partition(_UNRELEASED)
    return re.split(r"^## ", after, maxsplit=1, flags=re.MULTILINE)[0]


def _date_changelog(path: Path, version: str, today: dt.date) -> None:
    dated = f"{_UNRELEASED}\n## {version} - {today.isoformat()}\n"
    path.write_text(path.read_text().replace(_UNRELEASED, dated, 1))


def _run(root: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RefusedError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    version = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        release(ROOT, version, dt.datetime.now(dt.UTC).date(), sys.executable)
    except RefusedError as refused:
        sys.exit(str(refused))
    print(
        f"Committed and tagged v{version}. Look at it, then: "
        f"git push origin HEAD v{version} clients/go/v{version}"
    )


if __name__ == "__main__":
    main()
