"""
`make bench-decide`: the decision alone at 100, 10 000 and 100 000 campaigns of one property, 8 kinds of targeting.

Each size has a process of its own, which loads the state as a worker does. Times are processor time; wall-clock time is
shown beside it.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import orjson

from common.snapshot.messages import encode_full
from loadtests.bench.corpus import make_corpus
from loadtests.bench.report import Report
from loadtests.bench.scale import measure_scale
from loadtests.bench.servers import make_keys
from loadtests.bench.slow import refuse_slow

_SIZES = (100, 10_000, 100_000)


def main() -> int:
    refuse_slow("decide")
    report = Report("decide")
    with tempfile.TemporaryDirectory() as folder:
        for size in _SIZES:
            state = Path(folder) / f"state-{size}"
            _write_state(state, size)
            for name, value in _measured(state).items():
                report.figures[f"{name}_at_{size}"] = value
    report.ratios = {
        "warm_p50_at_100_to_100000": report.figures["warm_p50_us_at_100"]
        / report.figures["warm_p50_us_at_100000"]
    }
    report.reach = {
        **{f"max_warm_p50_us_at_{size}": 15 for size in _SIZES},
        **{f"max_warm_p99_us_at_{size}": 60 for size in _SIZES},
        "max_cold_p99_us_at_100000": 200,
        "max_longest_stall_ms_at_100000": 5,
        "max_bytes_a_campaign_at_100000": 4096,
    }
    report.scale = measure_scale()
    return report.print()


def _write_state(state: Path, campaigns: int) -> None:
    header, chunks = encode_full(make_corpus(make_keys(), campaigns=campaigns).full(1))
    state.write_bytes(orjson.dumps([part.hex() for part in (header, *chunks)]))


def _measured(state: Path) -> dict[str, float]:
    run = subprocess.run(
        [sys.executable, "-m", "loadtests.bench.decide_worker", str(state)],
        check=True,
        stdout=subprocess.PIPE,
    )
    figures: dict[str, float] = orjson.loads(run.stdout.splitlines()[-1])
    print(orjson.dumps(figures).decode(), file=sys.stderr)
    return figures


if __name__ == "__main__":
    sys.exit(main())
