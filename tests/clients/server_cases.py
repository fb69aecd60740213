"""The conformance cases that concern a library for servers, and what it does with them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from common.service.version import VERSION
from edge.scenario.http import Request
from tests.clients.cases import answers, cases
from tests.clients.library_driver import VIRTUAL, Driver, Library
from tests.clients.scripted_edge import ScriptedEdge

FILES = ("requests", "outcomes", "retries", "tokens", "servers")
_REAL = ("requests", "tokens")
"""Files whose requests a real edge answers."""
_UNANSWERED_MS = 1_000
"""The time-out of a case with a request that nothing answers."""
_COMMANDS = {"email_prepare": "email", "audio_stitch": "stitch"}
"""For each call that only servers make: the driver's command, whose field of the same name is the body."""


def why_not(case: Any) -> str | None:
    """Why a case concerns no server; None if it does."""
    if case["answers"].get("features", ["features"]) != ["features"] or "features" in case["name"]:
        return "servers request no features: the edge itself stops serving"
    if any("seen" in request.get("query", {}) for request in case["expect"]["requests"]):
        return "counts are kept on a device"
    return None


async def faults_of(
    case: Any,
    library: Library,
    driver: Driver,
    edge: ScriptedEdge,
    *,
    key: str,
    upstream: int | None,
) -> list[str]:
    """Where the library does something else than the case says; *upstream*: the port of the real edge that answers."""
    known = answers()
    named = {name: [known[one] for one in names] for name, names in case["answers"].items()}
    edge.play(named, upstream=upstream)
    slash = "/" if case["given"]["edge_url"].endswith("/") else ""
    random = case["given"].get("random", 0.5)
    unanswered = any("timeout" in names for names in case["answers"].values())
    time = {**VIRTUAL, "timeout_ms": _UNANSWERED_MS} if unanswered else VIRTUAL
    await driver.do("open", edge_url=edge.url + slash, edge_key=key, **time, random=random)
    faults, pauses, token = [], list[int](), ""
    if upstream is not None and case["do"][0]["call"] == "track":
        served = await driver.do("serve", request={"slot": "banner"})
        token = served["ad"]["track_token"]
        edge.requests = []
    if any("at_ms" in step for step in case["do"]):
        faults += await _together(case, driver)
    else:
        for step, expected in zip(case["do"], case["expect"]["outcomes"], strict=True):
            name, fields = _command(step, case["given"], token)
            outcome = await driver.do(name, **fields)
            pauses += outcome["pauses_ms"]
            faults += _differences(expected, outcome)
    wanted = [one for one in case["expect"]["requests"] if "features" not in one["path"]]
    times = [one["at_ms"] for one in wanted]
    if len(case["do"]) == 1 and [b - a for a, b in pairwise(times)] != pauses:
        faults.append(f"pauses of {pauses} ms, not requests at {times}")
    if len(wanted) != len(edge.requests):
        faults.append(f"{len(edge.requests)} requests, not {len(wanted)}")
    for one, request in zip(wanted, edge.requests, strict=False):
        faults += _request_differences(one, request, library, key, token)
    return faults


async def _together(case: Any, driver: Driver) -> list[str]:
    """Of two calls, of which the second begins while the first waits: both end with the last request."""
    calls = [
        {**_command(step, case["given"], "")[1], "at_ms": step.get("at_ms", 0)}
        for step in case["do"]
    ]
    found = (await driver.do("together", calls=calls))["outcomes"]
    faults: list[str] = []
    for expected, outcome in zip(case["expect"]["outcomes"], found, strict=True):
        faults += ["The second call was not made."] if outcome is None else []
        faults += [] if outcome is None else _differences(expected, outcome)
    end_ms = case["expect"]["requests"][-1]["at_ms"]
    ended = [None if outcome is None else outcome["ended_ms"] for outcome in found]
    return faults if ended == [end_ms] * len(found) else [*faults, f"ended at {ended}"]


def _command(step: Any, given: Any, token: str) -> tuple[str, dict[str, Any]]:
    """The driver's command and its fields."""
    call = step["call"]
    if call in _COMMANDS:
        name = _COMMANDS[call]
        return name, {name: step["request"]}
    if call == "serve":
        consent = {name: one for name, one in given["consent"].items() if name != "storage"}
        return call, {"request": step["request"], "consent": consent}
    fields = {name: value for name, value in step.items() if name != "call"}
    return call, {**fields, "token": _actual(step["token"], token)}


def _actual(text: str, token: str) -> str:
    """A real edge knows its own token only."""
    return token if token and text == answers()["banner"]["body"]["track_token"] else text


def _differences(expected: Any, outcome: dict[str, Any]) -> list[str]:
    error = expected.get("error")
    status = "answered" if outcome["status"] == "ok" else outcome["status"]
    if expected["status"] != status:
        return [f"{outcome}, not {expected}"]
    if error and any(outcome["error"].get(name) != value for name, value in error.items()):
        return [f"{outcome['error']}, not {error}"]
    if outcome["status"] == "no_fill" and outcome["reason"] != expected.get("reason"):
        return [f"no fill for {outcome['reason']}, not {expected}"]
    return []


def _request_differences(
    wanted: Any, request: Request, library: Library, key: str, token: str
) -> list[str]:
    body = wanted.get("body")
    if body is not None and "token" in body:
        body = {**body, "token": _actual(body["token"], token)}
    secret = key.startswith("sk_")
    header, credentials = ("authorization", f"Bearer {key}") if secret else ("x-service-key", key)
    pairs: Sequence[tuple[str, Any, Any]] = (
        ("method", request.method, wanted["method"]),
        ("path", request.path, wanted["path"]),
        ("query", request.query, wanted.get("query", {})),
        ("body", request.json, body),
        (header, request.headers.get(header), credentials),
        ("client", request.headers.get("x-placard-client"), f"{library.name}/{VERSION}"),
    )
    return [f"{name} {got}, not {due}" for name, got, due in pairs if got != due]


def server_cases() -> list[tuple[str, Any]]:
    """Each case with the name of its file."""
    return [(file, case) for file in FILES for case in cases(file)]


def is_real(file: str) -> bool:
    return file in _REAL
