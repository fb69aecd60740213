"""The p99 over the time of a load is what a real Prometheus computes of the edges' histograms."""

import csv
import re
import subprocess
from pathlib import Path

import httpx
import pytest

from common.values.clock import SystemClock
from loadtests.over_time import NoTimes, read_p99s, write_p99s
from tests.support.prometheus import install_prometheus, prometheus
from tests.support.waiting import until

_SECONDS = 120
_SLOW_FROM = 60


def _store(folder: Path, began_s: int) -> None:
    """Two minutes of `serve` at a hundred requests a second: below 10 ms at first, between 100 and 200 ms later."""
    lines = ["# TYPE placard_edge_request_seconds histogram"]
    for second in range(_SECONDS + 1):
        fast = 100 * min(second, _SLOW_FROM)
        for bound, count in (("0.01", fast), ("0.1", fast), ("0.2", 100 * second)):
            labels = f'operation="serve",outcome="ok",worker="0",le="{bound}"'
            at = f"{began_s + second}"
            lines.append(f"placard_edge_request_seconds_bucket{{{labels}}} {count} {at}")
        labels = 'operation="serve",outcome="ok",worker="0",le="+Inf"'
        lines.append(
            f"placard_edge_request_seconds_bucket{{{labels}}} {100 * second} {began_s + second}"
        )
    source = folder / "metrics.txt"
    lines[1:] = sorted(lines[1:], key=lambda line: line.split("}")[0])
    source.write_text("\n".join([*lines, "# EOF"]) + "\n", encoding="utf-8")
    subprocess.run(
        ("promtool", "tsdb", "create-blocks-from", "openmetrics", source, folder / "data"),
        check=True,
        capture_output=True,
    )


async def test_the_p99_over_time_is_read_from_prometheus_and_drawn(tmp_path: Path) -> None:
    install_prometheus()
    began_s = SystemClock().now_ms() // 1000 - 600
    _store(tmp_path, began_s)
    targets = tmp_path / "targets.json"
    targets.write_text("[]", encoding="utf-8")
    async with prometheus(tmp_path, targets) as http:

        async def ready() -> bool:
            try:
                return (await http.get("/-/ready")).status_code == httpx.codes.OK
            except httpx.TransportError:
                return False

        await until(ready)
        url = str(http.base_url)
        p99s = read_p99s(url, began_s, began_s + _SECONDS)
        with pytest.raises(NoTimes, match="no requests"):
            read_p99s(url, began_s - 10_000, began_s - 9_000)

    assert list(p99s) == ["serve"]
    by_time = dict(p99s["serve"])
    assert by_time[50.0] == pytest.approx(9.9)
    assert by_time[115.0] == pytest.approx(199.0)

    table, picture = tmp_path / "p99.csv", tmp_path / "p99.svg"
    write_p99s(p99s, table, picture)
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert {"seconds": "50.0", "operation": "serve", "p99_ms": "9.900"} in rows
    (line,) = re.findall(r'<polyline points="([^"]*)"', picture.read_text(encoding="utf-8"))
    assert len(line.split()) == len(rows)


async def test_a_prometheus_that_is_away_is_named() -> None:
    with pytest.raises(NoTimes, match=r"http://127\.0\.0\.1:1 "):
        read_p99s("http://127.0.0.1:1", 0, 60)
