"""Ambiguous requests at the edge's own endpoints: refused and closed, and no hidden request is executed."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio

from common.values.keys import KeyKind
from tests.support.builders import a_key, a_snapshot, a_stock
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import exchange
from tests.support.smuggling import SMUGGLING, shapes_for


@dataclass(frozen=True, slots=True)
class Target:
    edge: RunningEdge
    hidden: bytes
    shapes: dict[str, bytes]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def target() -> AsyncIterator[Target]:
    text, row = a_key(KeyKind.PUBLISHABLE)
    path = f"/v1/serve?slot=top&key={text.text}".encode()
    hidden = b"GET " + path + b" HTTP/1.1\r\nHost: test\r\n\r\n"
    async with running_edge(a_snapshot(row, *a_stock().objects)) as edge:
        yield Target(edge, hidden, shapes_for(path, b"/v1/track?key=" + text.text.encode()))


@pytest.mark.parametrize("name", SMUGGLING)
async def test_no_request_hidden_behind_an_ambiguous_one_is_served(
    target: Target, name: str
) -> None:
    before = target.edge.counted()
    answers = await exchange(target.edge.port, target.shapes[name] + target.hidden)
    assert [(one.status, one.code) for one in answers] == [(400, "bad_request")]
    assert answers[0].headers["connection"] == "close"
    assert answers[0].headers["access-control-allow-origin"] == "*"
    assert target.edge.counted() == before


@pytest.mark.parametrize("name", SMUGGLING)
async def test_requests_before_an_ambiguous_one_are_answered(target: Target, name: str) -> None:
    answers = await exchange(
        target.edge.port, target.hidden * 2 + target.shapes[name] + target.hidden
    )
    assert [one.status for one in answers] == [200, 200, 400]
