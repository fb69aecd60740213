"""What a serve call may not say, and what is answered to those who mean harm."""

from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from common.snapshot.model import RateLimits
from tests.edge.endpoints.targeted import DESKTOP, WINDOWS_EDGE, World, a_world, outcome

KEYWORDS = {"keywords": {"any": ["running", "trail shoes"], "none": ["crime"]}}


@pytest.mark.parametrize(
    ("query", "params"),
    [
        (f"keywords={','.join(str(n) for n in range(51))}", ["keywords"]),
        (f"keywords={'x' * 129}", ["keywords"]),
        ("keywords=a%00b", ["keywords"]),
        (f"kv.a={'x' * 129}&kv.=1&kv.%C3%A9=1&w=0", ["kv.", "kv.é", "kv.a", "w"]),
        ("&".join(f"kv.k{n}=1" for n in range(51)), ["kv"]),
    ],
)
async def test_values_that_no_campaign_can_target_are_refused_by_parameter(
    query: str, params: list[str]
) -> None:
    async with a_world(KEYWORDS) as world:
        answer = await world.ask(query)
    assert (answer.status, answer.code) == (422, "validation_failed")
    assert sorted(d["param"] for d in answer.json["error"]["details"]) == sorted(params)


async def test_errors_in_server_parameters_are_reported_to_servers_only() -> None:
    query = f"ip=somewhere&segments={'x' * 129}"
    async with a_world(DESKTOP) as world:
        server = await world.ask_by_secret(query)
        page = await world.ask(query, WINDOWS_EDGE)
    assert [d["param"] for d in server.json["error"]["details"]] == ["segments", "ip"]
    assert outcome(page) == "fill"


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("keywords=%FF%FE&lang=%FF&kv.a=%FF", ()),
        ("keywords=%ED%A0%80&ua=%ED%A0%80", ()),
        ("keywords=%&kv.a=%zz&lang=%", ()),
        ("&&&=&kv.&kv.=&keywords=&segments=", ()),
        (f"lang={'a-' * 2000}&ua={'(' * 2000}", ()),
        ("ip=" + "9" * 2000, ()),
        ("keywords=\xff\xfe&kv.\xe9=\xff&lang=\xff", ()),
        ("lang=en&lang=%00&w=1&w=x", ()),
        ("", (f"User-Agent: {'Mozilla/5.0 (' * 300}",)),
        ("", ("User-Agent: \xff\xfe", "Accept-Language: \xff;q=\xfe")),
        ("", (f"Accept-Language: {'en;q=0.5,' * 400}",)),
        ("", ("Accept-Language: ;;;q==,,q=;en;q=1.5;q=x",)),
    ],
)
async def test_hostile_input_is_answered_and_never_an_internal_error(
    query: str, headers: tuple[str, ...]
) -> None:
    async with a_world(DESKTOP) as world:
        answers = [await world.ask(query, *headers), await world.ask_by_secret(query, *headers)]
    assert {answer.status for answer in answers} <= {200, 204, 400, 422}


@pytest_asyncio.fixture(scope="module")
async def world() -> AsyncIterator[World]:
    async with a_world(KEYWORDS, rate_limits=RateLimits(10**6, 10**6, 1, 1)) as made:
        yield made


_NAMES = (
    "keywords",
    "lang",
    "segments",
    "ip",
    "ua",
    "url",
    "uid",
    "w",
    "format",
    "kv.a",
    "kv.",
    "",
)
_VALUES = st.text(
    alphabet="aA0é,;=q.%+-*_: /\0\x7f\ud7ff\U0001f600", max_size=30
) | st.sampled_from(
    ("%00", "%ff", "%ED%A0%80", "%", "a" * 200, "," * 200, "203.0.113.7", "::1", "en;q=0.5")
)


@settings(max_examples=150, deadline=None)
@given(
    pairs=st.lists(st.tuples(st.sampled_from(_NAMES), _VALUES), max_size=6),
    encoded=st.booleans(),
    header=_VALUES,
)
async def test_any_query_is_served_or_refused_with_its_faults(
    world: World, pairs: list[tuple[str, str]], *, encoded: bool, header: str
) -> None:
    query = "&".join(f"{name}={quote(value) if encoded else _raw(value)}" for name, value in pairs)
    headers = [f"{name}: {_raw(header)}" for name in ("User-Agent", "Accept-Language")]
    answers = [await world.ask(query, *headers), await world.ask_by_secret(query, *headers)]
    for answer in answers:
        assert answer.status in {200, 204, 400, 422}
        assert answer.status != 422 or answer.json["error"]["details"]


def _raw(value: str) -> str:
    """As somebody who does not encode would send it; a request's own delimiters left out."""
    return "".join(c for c in value if c not in " \0\x7f").encode().decode("latin-1")
