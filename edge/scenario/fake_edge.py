"""``python -m edge --scenario FILE``: answers clients by the file, and prints each request as a line of JSON."""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import orjson

from common.decision.demo_media import DEMO_AUDIO, DEMO_VIDEO
from common.decision.demo_slots import DEMO_PICTURE
from edge.scenario.file import (
    Scenario,
    ScenarioInvalid,
    Step,
    answer_of,
    known_answers,
    read_scenario,
)
from edge.scenario.http import Request, read_request, send

_WRONG_USAGE: Final = 2
_CORS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "*",
    "Access-Control-Allow-Methods": "GET, HEAD, POST, OPTIONS",
    "Access-Control-Expose-Headers": "*",
}
_PUBLIC_EDGE: Final = "https://edge.example"
"""The edge's address in the contract's answers; the fake edge puts its own in its place."""
_FILES: Final = {
    "https://brand.example/a.png": DEMO_PICTURE,
    "https://brand.example/a.mp4": DEMO_VIDEO,
}
_BY_TOKEN: Final[dict[str, dict[str, Any]]] = {
    "click": {"status": 302, "headers": {"Location": "https://brand.example/landing"}},
    "impression": {"status": 204},
    "signal": {"status": 204},
}
"""Answers of signed addresses, by the path's segment after ``/v1/``."""


class FakeEdge:
    def __init__(self, scenario: Scenario) -> None:
        self._answers = known_answers()
        self._keys = frozenset(scenario.keys)
        self._batch = scenario.batch is not None
        names = ("features", "serve", "track", "batch", "prepare", "stitch")
        self._ahead = {name: list(getattr(scenario, name) or []) for name in names}
        self._slots = {slot: list(steps) for slot, steps in scenario.slots.items()}

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(
                asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError
            ):
                while await self._respond(await read_request(reader), writer):
                    pass
        finally:
            writer.close()

    async def _respond(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        if request.method == "OPTIONS":
            return await send({"status": 204}, writer, _CORS)
        answer = self._answer(request)
        _print(
            method=request.method,
            target=request.target,
            body=request.body.decode(errors="replace") or None,
            answer=answer.get("fault") or answer["status"],
        )
        await asyncio.sleep(answer.get("delay_ms", 0) / 1000)
        return await send(
            _moved(answer, f"http://{request.headers.get('host', '')}"), writer, _CORS
        )

    def _answer(self, request: Request) -> dict[str, Any]:
        segment = request.path.removeprefix("/v1/").partition("/")[0]
        if segment == "frame":
            return dict(self._answers["frame"])
        if segment in _BY_TOKEN:
            return _BY_TOKEN[segment]
        operation = request.operation
        if operation not in self._ahead:
            return _no_route(request.path)
        if self._keys and _key(request) not in self._keys:
            return dict(self._answers["invalid_key"])
        if operation == "batch" and not self._batch:
            return self._each_of_batch(request)
        slot = request.query.get("slot") if operation == "serve" else None
        steps = (
            self._slots.get(slot, self._ahead["serve"])
            if isinstance(slot, str)
            else self._ahead[operation]
        )
        return answer_of(_next(steps), self._answers)

    def _each_of_batch(self, request: Request) -> dict[str, Any]:
        """An answer of `track` for each event; a fault, a 429 or a 5xx is that of the whole call."""
        try:
            count = len(request.json["events"])
        except (KeyError, TypeError, ValueError):
            count = 0
        results = []
        for _ in range(count):
            one = answer_of(_next(self._ahead["track"]), self._answers)
            if "fault" in one or one["status"] >= HTTPStatus.TOO_MANY_REQUESTS:
                return one
            error = (one.get("body") or {}).get("error")
            short = None if error is None else {name: error[name] for name in ("code", "message")}
            result = one.get("headers", {}).get("X-Track-Result")
            results.append({"status": one["status"], "result": result, "error": short})
        return {"status": 200, "body": {"results": results}}


@asynccontextmanager
async def fake_edge(scenario: Scenario, host: str, port: int) -> AsyncIterator[int]:
    """Listens until it is left, which ends open connections; yields the port."""
    edge = FakeEdge(scenario)
    connections: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(edge.handle(reader, writer))
        connections.add(task)
        task.add_done_callback(connections.discard)

    server = await asyncio.start_server(connected, host, port)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


def main(arguments: list[str]) -> int:
    """Returns the exit code: 0 after an interrupt, 2 for a wrong argument or file, with a line for each error."""
    parser = argparse.ArgumentParser(
        prog="edge", description="An edge that answers as a scenario file says."
    )
    parser.add_argument(
        "--scenario", type=Path, required=True, metavar="FILE", help="TOML, or JSON"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8081, help="0: any free one (8081)")
    chosen = parser.parse_args(arguments)
    try:
        asyncio.run(_run(read_scenario(chosen.scenario), chosen.host, chosen.port))
    except ScenarioInvalid as error:
        sys.stderr.write(f"{error}\n")
        return _WRONG_USAGE
    except OSError as error:
        sys.stderr.write(f"{chosen.host}:{chosen.port} cannot be listened on: {error.strerror}.\n")
        return _WRONG_USAGE
    except KeyboardInterrupt:
        pass
    return 0


async def _run(scenario: Scenario, host: str, port: int) -> None:
    async with fake_edge(scenario, host, port) as bound:
        _print(url=f"http://{host}:{bound}")
        await asyncio.Event().wait()


def _next(steps: list[Step]) -> Step:
    return steps.pop(0) if len(steps) > 1 else steps[0]


def _key(request: Request) -> str | None:
    headers = request.headers
    bearer = headers.get("authorization", "").removeprefix("Bearer ")
    key = headers.get("x-service-key") or bearer or request.query.get("key")
    return key if isinstance(key, str) else None


def _moved(answer: dict[str, Any], base: str) -> dict[str, Any]:
    """*answer* with addresses that lead to this edge, and pictures and recordings that load."""
    text = orjson.dumps(
        {name: answer[name] for name in ("body", "text") if name in answer}
    ).decode()
    text = text.replace(_PUBLIC_EDGE, base)
    if "audio/mp4" in text:
        text = text.replace("https://brand.example/a.mp4", DEMO_AUDIO)
    for address, data in _FILES.items():
        text = text.replace(address, data)
    return {**answer, **orjson.loads(text)}


def _no_route(path: str) -> dict[str, Any]:
    message = f"The fake edge does not answer {path}. It knows features, serve, track, email/prepare and audio/stitch."
    return {"status": 404, "body": {"error": {"code": "not_found", "message": message}}}


def _print(**fields: object) -> None:
    sys.stdout.write(orjson.dumps(fields).decode() + "\n")
    sys.stdout.flush()
