"""Loads a state as an edge's worker does, decides with it, applies deltas to it, and prints the cost."""

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from random import Random
from time import perf_counter, perf_counter_ns, thread_time, thread_time_ns

import orjson

from common.decision.decide import decide
from common.decision.index import search_counts
from common.decision.index.index_registry import indexes_of
from common.decision.rules.gates import OPEN, Ranking
from common.decision.rules.opportunity import Opportunity
from common.snapshot.codec import encode_object
from common.snapshot.messages import ObjectChange, parse_full, parse_full_header
from common.snapshot.model import (
    TYPE_OF,
    AdRates,
    Pace,
    Rate,
    SnapshotObject,
)
from common.snapshot.snapshot import Snapshot, apply_entries, build_snapshot, parse_entries
from common.values.environment import Environment
from edge.runtime.gc_policy import GcPolicy, gc_paused
from edge.runtime.huge_pages import collapse_steps, count_huge_bytes
from edge.runtime.metrics import EdgeMetrics
from edge.snapshots.prepare import prepare
from loadtests.bench.corpus import NOW_MS, an_opportunity
from loadtests.bench.report import percentile
from loadtests.bench.world import World

_COLD = 25_000
_KINDS = 2_000
_WARM = 100_000
_DELTAS = 1_000


def main() -> None:
    header, *chunks = [bytes.fromhex(part) for part in orjson.loads(Path(sys.argv[1]).read_bytes())]
    gc.collect()
    before_bytes = _resident_bytes()
    with gc_paused():
        full = parse_full_header(header)
        objects: list[SnapshotObject] = []
        while chunks:
            objects += parse_entries(parse_full(full, [chunks.pop()]).entries)
        snapshot = build_snapshot(Environment.LIVE, "bench", 1, objects)
        del objects
        start_s = perf_counter()
        stalls = asyncio.run(_prepared(snapshot))
        build_s = perf_counter() - start_s
    for _ in collapse_steps(set()):
        pass
    huge_bytes = count_huge_bytes()
    campaigns = len(snapshot.campaigns)
    figures = {
        "build_s": build_s,
        "longest_stall_ms": stalls[0] * 1000,
        "longest_stall_of_any_cause_ms": stalls[1] * 1000,
        "huge_bytes": huge_bytes,
        "bytes_a_campaign": (_resident_bytes() - before_bytes) / campaigns,
    }
    GcPolicy(lambda: 0, EdgeMetrics()).start()
    rng = Random(2)
    world = _world_of(snapshot)
    figures |= _decided(snapshot, [an_opportunity(world, rng) for _ in range(_COLD)], rng)
    figures |= _changed(snapshot, rng)
    print(orjson.dumps(figures).decode())


async def _prepared(snapshot: Snapshot) -> tuple[float, float]:
    """
    Seconds of the longest block of the event loop: in processor time of this thread, and in wall-clock time, which
    includes what others took of the core.
    """
    done = asyncio.Event()
    worked_s = passed_s = 0.0

    async def watch() -> None:
        nonlocal worked_s, passed_s
        last_s = thread_time(), perf_counter()
        while not done.is_set():
            await asyncio.sleep(0)
            now_s = thread_time(), perf_counter()
            worked_s = max(worked_s, now_s[0] - last_s[0])
            passed_s = max(passed_s, now_s[1] - last_s[1])
            last_s = now_s

    watching = asyncio.create_task(watch())
    await asyncio.sleep(0)
    await prepare(snapshot, Ranking.GREEDY)
    done.set()
    await watching
    return worked_s, passed_s


def _decided(snapshot: Snapshot, opportunities: list[Opportunity], rng: Random) -> dict[str, float]:
    counts = search_counts(snapshot)
    cold = _timed_us(
        "cold", lambda o: decide(snapshot, o, OPEN, NOW_MS, rng.getrandbits(64)), opportunities
    )
    index = indexes_of(snapshot, Ranking.GREEDY).find(opportunities[0].property.id)
    kinds = set() if index is None else {index.targeted.project(o) for o in opportunities}
    cold_searches = counts.searches
    start_s = perf_counter()
    gc.collect()
    collected_ms = (perf_counter() - start_s) * 1000
    some = opportunities[:_KINDS]
    for opportunity in some:
        decide(snapshot, opportunity, OPEN, NOW_MS, 1)
    requested, known_searches = [rng.choice(some) for _ in range(_WARM)], counts.searches
    warm = _timed_us(
        "warm", lambda o: decide(snapshot, o, OPEN, NOW_MS, rng.getrandbits(64)), requested
    )
    warm_searches = counts.searches - known_searches
    filled = sum(
        hasattr(decide(snapshot, o, OPEN, NOW_MS, 1), "ad") for o in opportunities[:_KINDS]
    )
    return {
        "cold_kinds": len(kinds),
        "cold_memo_hit_ratio": 1 - cold_searches / len(opportunities),
        "warm_memo_hit_ratio": 1 - warm_searches / len(requested),
        "filled": filled / len(some),
        "full_collection_ms": collected_ms,
        **cold,
        **warm,
    }


def _changed(snapshot: Snapshot, rng: Random) -> dict[str, float]:
    campaigns = rng.choices(list(snapshot.campaigns.values()), k=_DELTAS)
    ads = rng.choices(list(snapshot.ads), k=_DELTAS)
    figures: dict[str, float] = {}
    changes: dict[str, Iterable[SnapshotObject]] = {
        "campaign": [replace(c, bid_micros=rng.randint(100, 2000) * 10) for c in campaigns],
        "pace": [Pace(c.id, pass_ppm=rng.randint(1, 1_000_000)) for c in campaigns],
        "rates": [AdRates(ad, Rate(rng.randint(1, 9999), 9), Rate(9999, 9)) for ad in ads],
    }
    for name, objects in changes.items():
        taken: list[float] = []
        for item in objects:
            entry = ObjectChange(TYPE_OF[type(item)], item.id, encode_object(item))
            start_ns = thread_time_ns()
            snapshot = apply_entries(snapshot, snapshot.version + 1, [entry])
            taken.append((thread_time_ns() - start_ns) / 1000)
        figures[f"{name}_delta_p50_us"] = percentile(taken, 0.5)
        figures[f"{name}_delta_max_us"] = max(taken)
    return figures


def _timed_us(
    name: str, act: Callable[[Opportunity], object], each: Iterable[Opportunity]
) -> dict[str, float]:
    """
    For each opportunity, the processor time of this thread, and the wall-clock time, which includes what others took of
    the core.
    """
    worked: list[float] = []
    passed: list[float] = []
    for one in each:
        start_ns, worked_ns = perf_counter_ns(), thread_time_ns()
        act(one)
        worked.append((thread_time_ns() - worked_ns) / 1000)
        passed.append((perf_counter_ns() - start_ns) / 1000)
    return {
        f"{name}_p50_us": percentile(worked, 0.5),
        f"{name}_p99_us": percentile(worked, 0.99),
        f"{name}_p999_us": percentile(worked, 0.999),
        f"{name}_max_us": max(worked),
        f"{name}_p50_by_clock_us": percentile(passed, 0.5),
        f"{name}_p99_by_clock_us": percentile(passed, 0.99),
    }


def _world_of(snapshot: Snapshot) -> World:
    (prop,) = snapshot.properties.values()
    slots = tuple(snapshot.slots.values())
    return World((), "", prop, slots, (), (), b"", 1)


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
