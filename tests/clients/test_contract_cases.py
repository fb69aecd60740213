"""The conformance cases against a real edge: its answers match, and it accepts the requests of clients."""

import re
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.clients.cases import CASE_FILES, answers, cases, name_of
from tests.clients.worlds import Worlds, worlds

_EXACT = frozenset(
    {
        *("code", "status", "format", "kill_switch", "ratio", "duration_ms", "default"),
        *("has_destination", "refresh_seconds"),
    }
)
_EXACT_HEADERS = (
    *("Retry-After", "X-No-Fill-Reason", "X-Track-Result"),
    "Content-Security-Policy",
)
_REAL = {name: answer for name, answer in answers().items() if answer["real"]}


@pytest.fixture(scope="module")
async def edges() -> AsyncIterator[Worlds]:
    async with worlds() as made:
        yield made


@pytest.mark.parametrize("name", _REAL)
async def test_a_real_edge_answers_as_the_cases_specify(edges: Worlds, name: str) -> None:
    text, real = _REAL[name], await edges.answer(name)

    assert real.status == text["status"]
    for header in _EXACT_HEADERS:
        assert real.headers.get(header.lower()) == text.get("headers", {}).get(header)
    if "text" in text:
        assert _without_tokens(real.body.decode()) == _without_tokens(text["text"])
    else:
        _check_alike(text.get("body"), real.json if real.body else None, name)


@pytest.mark.parametrize("case", [one for one in cases("requests") if "edge" in one], ids=name_of)
async def test_a_real_edge_accepts_the_requests_of_clients(edges: Worlds, case: Any) -> None:
    query = case["expect"]["requests"][-1]["query"]

    answer = await edges.serve(f"{urlencode(query, doseq=True)}&debug=1")

    assert answer.status == 200
    consent = answer.json["consent"]
    assert {name: consent[name] for name in ("personal", "why")} == case["edge"]


@pytest.mark.parametrize("case", cases("tokens"), ids=name_of)
async def test_a_real_edge_accepts_tokens_as_clients_send_them(edges: Worlds, case: Any) -> None:
    served = (await edges.serve("slot=banner")).json["track_token"]
    text = answers()["banner"]["body"]["track_token"]
    bodies = [request["body"] for request in case["expect"]["requests"]]

    for body, reported in zip(bodies, case["edge"], strict=True):
        token = served if body["token"] == text else body["token"]
        answer = await edges.track(**(body | {"token": token}))
        assert answer.status == reported["status"]
        assert answer.headers.get("x-track-result") == reported.get("result")
        assert reported.get("code") == (answer.code if answer.body else None)


async def test_every_answer_is_used_and_every_used_answer_exists() -> None:
    used = {
        name
        for file in CASE_FILES
        for case in cases(file)
        for names in case["answers"].values()
        for name in names
    }

    assert used <= set(answers())
    assert set(answers()) - used == set()


def _without_tokens(text: str) -> str:
    return re.sub(r"/v1/click/[\w.-]+", "/v1/click/", text)


def _check_alike(text: Any, real: Any, place: str) -> None:
    """The same fields and kinds of values; what a client acts upon is the same to the letter."""
    assert type(text) is type(real), place
    if isinstance(text, dict):
        assert set(text) == set(real), place
        for name in text:
            if name in _EXACT:
                assert text[name] == real[name], f"{place}.{name}"
            _check_alike(text[name], real[name], f"{place}.{name}")
    elif isinstance(text, list):
        assert bool(text) == bool(real), place
        for one, other in zip(text[:1], real[:1], strict=True):
            _check_alike(one, other, f"{place}[0]")
