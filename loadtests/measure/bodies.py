"""
``make measure-bodies``: one address sends 30 bodies of 1 MiB a second, designed to be slow, while a bystander reads
``GET /v1/me`` twenty times a second. The bar is the bystander's p99: 50 ms, whoever sends the bodies. The API's use of
its core is printed beside it, because other processes may use that core, too.

Latencies count from when calls were due. The API has one core; the generator and the database share the other. The
generator's garbage collector is off, because its pauses would count as the API's. Each flood lasts `BENCH_SECONDS`.
Rate limits of calls are set high, so that bodies are refused, not calls.
"""

import asyncio
import gc
import gzip
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import httpx

from loadtests.bench.control_world import run_api, sign_up
from loadtests.bench.report import Report
from loadtests.bench.rounds import bench_seconds, cpu_seconds
from loadtests.bench.scale import measure_scale
from loadtests.measure.shapes import filled

BAR_MS = 50.0
BODIES_PER_S = 30
READS_PER_S = 20
SIZE = 1_048_576
HOSTILE, HONEST = "127.0.0.9", "127.0.0.1"
JSON, FORM = "application/json", "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Flood:
    """*known*: with the access token of a user who signed up a moment ago."""

    name: str
    path: str
    body: bytes
    media_type: str = JSON
    known: bool = False
    encoding: str = ""

    def head(self, token: str) -> bytes:
        lines = [
            f"POST {self.path} HTTP/1.1",
            "Host: measure",
            f"Content-Type: {self.media_type}",
            f"Content-Length: {len(self.body)}",
            *([f"Content-Encoding: {self.encoding}"] if self.encoding else []),
            *([f"Authorization: Bearer {token}"] if self.known else []),
            "Connection: close",
        ]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _list_of(item: bytes, size: int) -> bytes:
    return filled(item + b",", size, b'{"name":[', b"1]}")


CAMPAIGNS = "/v1/campaigns?environment=test"
FLOODS = (
    Flood("sign_up", "/v1/accounts", _list_of(b"{}", SIZE)),
    Flood("sign_up_16_KiB", "/v1/accounts", _list_of(b"{}", 16_384)),
    Flood("sign_in_form", "/sign-in", filled(b"%&", SIZE), FORM),
    Flood("gzip_bomb", "/v1/accounts", gzip.compress(bytes(100 * SIZE))[:16_384], encoding="gzip"),
    Flood("campaign_lists", CAMPAIGNS, _list_of(b"[]", SIZE), known=True),
    Flood("campaign_strings", CAMPAIGNS, _list_of(b'"' + b"a" * 50 + b'"', SIZE), known=True),
    Flood("campaign_64_KiB", CAMPAIGNS, _list_of(b'"\\u0000"', 65_536), known=True),
)


async def paced(seconds: float, rate: float, call: Callable[[], object]) -> None:
    """Starts *call*, which makes a task, at a constant rate, whatever earlier calls do."""
    started, tasks = perf_counter(), []
    for number in range(round(seconds * rate)):
        await asyncio.sleep(max(0.0, started + number / rate - perf_counter()))
        tasks.append(asyncio.ensure_future(call()))  # type: ignore[call-overload]  # a coroutine function
    await asyncio.gather(*tasks)


async def send(port: int, flood: Flood, token: str, statuses: Counter[str]) -> None:
    status = "none"
    with suppress(OSError, asyncio.IncompleteReadError):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(HOSTILE, 0))
        try:
            writer.write(flood.head(token) + flood.body)
            status = (await reader.readline()).split(b" ")[1].decode()
        except IndexError:
            pass
        finally:
            writer.transport.abort()
    statuses[status] += 1


async def bystander(port: int, token: str, seconds: float) -> list[float]:
    """Milliseconds of each call, from when it was due."""
    took_ms: list[float] = []
    transport = httpx.AsyncHTTPTransport(local_address=HONEST)
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}", transport=transport, headers=headers, timeout=60
    ) as http:

        async def read() -> None:
            due = perf_counter()
            (await http.get("/v1/me")).raise_for_status()
            took_ms.append((perf_counter() - due) * 1000)

        await paced(seconds, READS_PER_S, read)
    return took_ms


async def beside(
    port: int, flood: Flood | None, token: str, seconds: float
) -> tuple[float, Counter[str]]:
    """The bystander's p99 in ms, and the statuses of the responses to the bodies."""
    statuses: Counter[str] = Counter()
    reading = asyncio.create_task(bystander(port, token, seconds))
    if flood is not None:
        await paced(seconds, BODIES_PER_S, lambda: send(port, flood, token, statuses))
    took = sorted(await reading)
    return took[int(len(took) * 0.99)], statuses


def main() -> int:
    report, seconds = Report("bodies"), bench_seconds(10.0)
    with ExitStack() as steps:
        folder = Path(steps.enter_context(tempfile.TemporaryDirectory(prefix="plb-", dir="/tmp")))
        api = steps.enter_context(run_api(folder))
        with httpx.Client(base_url=f"http://127.0.0.1:{api.port}", timeout=60) as http:
            sign_up(http)
            token = http.headers["Authorization"].removeprefix("Bearer ")
        gc.disable()
        for flood in (None, *FLOODS):
            name = "quiet" if flood is None else flood.name
            began_s = cpu_seconds(api.pid)
            p99_ms, statuses = asyncio.run(beside(api.port, flood, token, seconds))
            used_ms = (cpu_seconds(api.pid) - began_s) * 1000 / seconds
            print(
                f"{name}: bystander p99 {p99_ms:.1f} ms; {used_ms:.0f} ms of a core a second; "
                f"bodies answered {dict(statuses)}",
                flush=True,
            )
            report.figures |= {f"{name}_p99_ms": p99_ms, f"{name}_cpu_ms_a_second": used_ms}
            if flood is not None:
                report.reach[f"max_{name}_p99_ms"] = BAR_MS
    report.scale = measure_scale()
    return report.print()


if __name__ == "__main__":
    sys.exit(main())
