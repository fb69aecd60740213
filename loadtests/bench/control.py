"""
`make bench-control`: one API process of the control plane on one core, PostgreSQL and the generator on the other.

Three calls of an integrator, each a second: read one campaign, list a hundred of 100 000, create one. List requests
cover the whole list. The same list of 1 000 campaigns is measured beside it: the time must not grow with the number.
"""

import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from loadtests.bench.control_world import FEW, MANY, Integrator, make_integrator, run_api
from loadtests.bench.report import Report, median
from loadtests.bench.rounds import Side, bench_seconds, run_rounds
from loadtests.bench.scale import measure_scale
from loadtests.bench.wire import write_requests

_ROUNDS = 5
_CONNECTIONS = 16
_CREATES = 100


def main() -> int:
    with ExitStack() as steps:
        folder = Path(steps.enter_context(tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp")))
        api = steps.enter_context(run_api(folder))
        few = make_integrator(api, campaigns=FEW)
        many = make_integrator(api, campaigns=MANY)
        sides = {
            "get": _side(folder, api.port, "get", [many.get(path) for path in many.campaign_paths]),
            "list of 100 000": _side(folder, api.port, "many", _lists(many)),
            "list of 1 000": _side(folder, api.port, "few", _lists(few)),
            "create": _side(folder, api.port, "create", [many.create(n) for n in range(_CREATES)]),
        }
        run_rounds(
            list(sides.values()), rounds=_ROUNDS, seconds=bench_seconds(), connections=_CONNECTIONS
        )
    report = Report("control")
    rates = {name: median(side.rates) for name, side in sides.items()}
    report.figures = {
        "get_per_s": rates["get"],
        "list_100_of_100000_per_s": rates["list of 100 000"],
        "list_100_of_1000_per_s": rates["list of 1 000"],
        "create_per_s": rates["create"],
        "get_p99_us": median(sides["get"].p99_us),
        "list_p99_us": median(sides["list of 100 000"].p99_us),
        "create_p99_us": median(sides["create"].p99_us),
        "campaigns": MANY,
        "connections": _CONNECTIONS,
    }
    report.ratios = {"list_100000_to_1000": rates["list of 100 000"] / rates["list of 1 000"]}
    report.reach = {
        "get_per_s": 500,
        "list_100_of_100000_per_s": 100,
        "create_per_s": 150,
        "list_100000_to_1000": 0.8,
    }
    report.scale = measure_scale()
    return report.print()


def _lists(integrator: Integrator) -> list[bytes]:
    return [integrator.get(path) for path in integrator.page_paths]


def _side(folder: Path, port: int, name: str, requests: list[bytes]) -> Side:
    file = folder / f"{name}.requests"
    write_requests(file, requests)
    return Side(name, port, file, frozenset({"201" if name == "create" else "200"}))


if __name__ == "__main__":
    sys.exit(main())
