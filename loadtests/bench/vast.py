"""
`make bench-vast`: the VAST document of a video ad against the JSON of the same ad, both on the uncached path.

One edge worker answers both in pairs of short rounds, in alternating order. The ratio is the median of all pairs, with
its quartiles: a single round differs by a third from the next. The parameter ``seen`` keeps the JSON out of the native
cache.
"""

import sys
import tempfile
from dataclasses import replace
from operator import truediv
from pathlib import Path
from statistics import quantiles

from common.snapshot.codec import canonical_json
from common.snapshot.model import SnapshotObject
from common.values.enums import Format
from loadtests.bench.report import Report, median
from loadtests.bench.rounds import Side, bench_seconds, cpu_seconds, generate, note
from loadtests.bench.servers import edge_alone, make_keys
from loadtests.bench.wire import write_requests
from loadtests.bench.world import World, make_world

_PAIRS = 15
_CONNECTIONS = 64
_CONTENT = canonical_json(
    {
        "media": [
            {
                "url": f"https://cdn.example/{height}.mp4",
                "mime": "video/mp4",
                "width": height * 16 // 9,
                "height": height,
                "bitrate_kbps": height * 3,
                "duration_ms": 15_000,
            }
            for height in (360, 720, 1080)
        ],
        "skip_offset_ms": 5_000,
    }
)


def main() -> int:
    keys = make_keys()
    world = _of_videos(make_world(keys, campaigns=100))
    seconds = bench_seconds(1.0)
    with tempfile.TemporaryDirectory() as folder, edge_alone(world, keys) as running:
        sides = []
        for name, more in (("json", ""), ("vast", "&output=vast")):
            requests = Path(folder) / name
            write_requests(requests, _requests(world, more))
            sides.append(Side(name, running.port, requests, frozenset({"200"}), running.pid))
        for number in range(_PAIRS + 1):
            for side in sides if number % 2 else reversed(sides):
                used_s = cpu_seconds(running.pid)
                outcome = generate(side, seconds=seconds, connections=_CONNECTIONS)
                if number:  # the first is a warm-up
                    note(side, number, outcome, cpu_seconds(running.pid) - used_s)
    json, vast = sides
    report = Report("vast")
    report.figures = {
        f"{side.name}_{figure}": median(values)
        for side in sides
        for figure, values in (
            ("per_s", side.rates),
            ("per_cpu_s", side.per_cpu_s),
            ("p99_us", side.p99_us),
        )
    }
    for name, of_vast, of_json in (
        ("vast_to_json", vast.rates, json.rates),
        ("vast_to_json_per_cpu", vast.per_cpu_s, json.per_cpu_s),
    ):
        low, middle, high = quantiles(map(truediv, of_vast, of_json), n=4)
        report.ratios |= {name: middle, f"{name}_low": low, f"{name}_high": high}
    report.reach = {"vast_to_json_per_cpu": 0.9}
    return report.print()


def _of_videos(world: World) -> World:
    """The same world with a video in place of each banner."""
    ads = tuple(
        replace(ad, format=Format.VIDEO, width=None, height=None, content=_CONTENT)
        for ad in world.ads
    )
    slots = tuple(replace(slot, formats=(Format.VIDEO,), sizes=()) for slot in world.slots)
    made: tuple[SnapshotObject, ...] = (*ads, *slots)
    by_id = {one.id: one for one in made}
    objects = tuple(by_id.get(item.id, item) for item in world.objects)
    return replace(world, objects=objects, ads=ads, slots=slots)


def _requests(world: World, more: str) -> list[bytes]:
    return [
        (
            f"GET /v1/serve?slot={slot.key}&seen=none{more} HTTP/1.1\r\nHost: bench\r\n"
            f"X-Service-Key: {world.key_text}\r\nUser-Agent: Mozilla/5.0 Chrome/140.0\r\n\r\n"
        ).encode()
        for slot in world.slots
    ]


if __name__ == "__main__":
    sys.exit(main())
