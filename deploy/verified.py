"""
The long checks that `docs/verified.md` records, and the paths that each covers. `make verified` lists those that are
out of date: a commit after the recorded one changed paths that the check covers.
"""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path("docs", "verified.md")

_FUZZED = (
    "common/snapshot/fast_decode.c",
    "common/tracking/token_mac.c",
    "control/events/ingest/record_scan.c",
    "control/events/ingest/rows.c",
    "edge/fastpath/http1/framing.c",
    "edge/fastpath/serve_cache/head.c",
)
_SERVED = ("common", "edge", "deploy/compile")
COVERS: dict[str, tuple[str, ...]] = {
    "make test-long": (
        "common",
        "edge",
        "control",
        "tests/common",
        "tests/control",
        "tests/deploy",
        "tests/edge",
        "tests/faults",
        "tests/loadtests",
        "tests/support",
    ),
    "make test-faults": ("common", "edge", "control", "deploy/standalone", "tests/faults"),
    "make test-drills": (
        "common",
        "edge",
        "control/events",
        "control/operations/backup",
        "deploy/drills",
        "deploy/standalone",
    ),
    "make test-alerts": (
        "common/service",
        "control/delivery",
        "control/events",
        "control/operations/scheduler",
        "deploy/drills",
        "deploy/observability",
        "deploy/standalone",
        "edge/runtime",
        "edge/snapshots",
        "edge/spool",
        "edge/supervisor",
        "edge/worker",
        "tests/deploy/alerts",
    ),
    "make test-fleet": (
        "common",
        "edge",
        "control/delivery",
        "control/events",
        "control/storage",
        "tests/fleet",
    ),
    "make test-upgrade": (
        "common",
        "edge",
        "control",
        "tests/fleet",
        "tests/upgrade",
    ),
    "make test-report-store": (
        "control/adapters/clickhouse_report_store.py",
        "control/events/corrections",
        "control/events/ingest",
        "control/reporting",
        "requirements/clickhouse.lock",
        "tests/control/reporting",
        "tests/support/clickhouse.py",
    ),
    "make test-clients": ("common/contract", "control", "tests/generated_clients"),
    "make test-python": ("common", "edge", "requirements", "tests/contracts"),
    "make test-images": (
        "common",
        "control",
        "edge",
        "clients/python",
        "deploy/images",
        "requirements",
    ),
    "make test-compose": (
        "common",
        "control",
        "edge",
        "deploy/compose",
        "deploy/images",
        "deploy/standalone",
    ),
    "make test-kubernetes": (
        "control/storage/migrate.py",
        "deploy/images",
        "deploy/kubernetes",
        "edge/settings.py",
        "tests/deploy/kubernetes_pods.py",
        "tests/deploy/kubernetes_programs.py",
    ),
    "make fuzz": (*_FUZZED, "tests/fuzz"),
    "make bench-idle": ("common", "control", "edge", "deploy/standalone"),
    "make bench-serve": (*_SERVED, "loadtests/bench"),
    "make bench-serve-scale": (*_SERVED, "loadtests/bench"),
    "make bench-serve-swap": (*_SERVED, "loadtests/bench"),
    "make bench-track": (*_SERVED, "loadtests/bench"),
    "make bench-vast": (*_SERVED, "loadtests/bench"),
    "make bench-email": (*_SERVED, "loadtests/bench"),
    "make bench-stitch": ("common", "edge", "loadtests/bench", "tests/edge/stitching"),
    "make bench-ship": ("edge/spool", "edge/adapters", "loadtests/bench"),
    "make bench-decide": ("common/decision", "common/snapshot", "loadtests/bench"),
    "make bench-snapshot": ("common/snapshot", "edge/snapshots", "control/delivery"),
    "make bench-lease": ("common/pacing", "control/delivery/leasing", "control/delivery/pacing"),
    "make bench-ingest": ("common/tracking", "common/ivt", "control/events/ingest"),
    "make bench-loop": ("common", "edge", "control/api", "control/delivery", "control/events"),
    "make bench-control": ("control/api", "control/demand", "control/storage"),
    "make bench-reports": ("control/reporting/reports", "control/storage"),
    "make bench-pages": ("control/api", "control/dashboard", "control/reporting"),
}
_NOT_COVERED = (
    ":(exclude)common/service/version.py",
    ":(exclude)clients/python/placard/version.py",
    ":(exclude)*.md",
)
"""Files that a release itself changes, and prose."""
_ROW = re.compile(
    r"^\| `(?P<check>make [\w-]+)` \| (?P<date>\d{4}-\d\d-\d\d) \| `(?P<commit>[0-9a-f]{7,40})` \|",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class OutOfDate:
    check: str
    reason: str

    def __str__(self) -> str:
        return f"{self.check}: {self.reason}"


def find_out_of_date(root: Path) -> list[OutOfDate]:
    """The checks of `COVERS` that are out of date, in its order."""
    rows = {row["check"]: row for row in _ROW.finditer((root / PAGE).read_text())}
    found = []
    for check, paths in COVERS.items():
        row = rows.get(check)
        reason = _reason(root, row["commit"], paths) if row else "no run is recorded"
        if reason:
            found.append(OutOfDate(check, reason))
    return found


def _reason(root: Path, commit: str, paths: tuple[str, ...]) -> str | None:
    if _git(root, "merge-base", "--is-ancestor", commit, "HEAD") is None:
        return f"was run on {commit}, which is not in this history"
    later = _git(root, "log", "--format=%h", f"{commit}..HEAD", "--", *paths, *_NOT_COVERED)
    changes = (later or "").split()
    if changes:
        return f"was run on {commit}; {len(changes)} later commits change what it covers"
    return None


def _git(root: Path, *arguments: str) -> str | None:
    """The output of git; None if it fails."""
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, check=False
    )
    return done.stdout if done.returncode == 0 else None


def main() -> None:
    found = find_out_of_date(ROOT)
    for one in found:
        print(one)
    if found:
        sys.exit(
            f"{len(found)} of {len(COVERS)} checks are out of date. Run them, then record them in {PAGE}."
        )
    print(f"All {len(COVERS)} checks are up to date.")


if __name__ == "__main__":
    main()
