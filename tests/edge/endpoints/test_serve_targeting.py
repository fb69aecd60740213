"""Targeting at the edge, kind by kind: real requests, and the ad or the reason they get."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.edge.endpoints.targeted import DESKTOP, WINDOWS_EDGE, a_world, outcome

IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.5 Mobile/15E148 Safari/604.1"
)
GEO = {"include": [{"country": "br", "region": "sp"}], "exclude": []}
KEYWORDS = {"keywords": {"any": ["running", "trail shoes"], "none": ["crime"]}}
SEGMENTS = {"segments": {"include": ["buyers"]}}


def key_values(op: str, *values: str) -> dict[str, Any]:
    return {"key_values": [{"key": "section", "op": op, "values": list(values)}]}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ip=203.0.113.7", "fill"),
        ("ip=%3A%3Affff%3A203.0.113.7", "fill"),
        ("ip=2001:db8::1", "geo_not_targeted"),
        ("ip=192.0.2.1", "geo_not_targeted"),
        ("", "geo_not_targeted"),
    ],
)
async def test_geo_is_the_place_of_the_address_a_server_names(
    query: str, expected: str, tmp_path: Path
) -> None:
    async with a_world({"geo": GEO}) as world:
        world.place(tmp_path)
        assert outcome(await world.ask_by_secret(query)) == expected


async def test_geo_of_a_browser_is_the_place_of_its_own_address(tmp_path: Path) -> None:
    async with a_world({"geo": {"include": [{"country": "us"}]}}) as world:
        world.place(tmp_path)
        own = await world.ask()
        pretended = await world.ask("ip=203.0.113.7")
        of_a_server = await world.ask_by_secret("")
    assert [outcome(a) for a in (own, pretended, of_a_server)] == [
        "fill",
        "fill",
        "geo_not_targeted",
    ]


async def test_an_unknown_place_passes_an_exclude_and_fails_an_include() -> None:
    async with a_world({"geo": {"exclude": [{"country": "br"}]}}) as world:
        assert outcome(await world.ask()) == "fill"
    async with a_world({"geo": GEO}) as world:
        assert outcome(await world.ask()) == "geo_not_targeted"


@pytest.mark.parametrize(
    ("targeting", "expected"),
    [
        ({"types": ["desktop"], "os": ["windows"], "browsers": ["edge"]}, "fill"),
        ({"types": ["desktop", "mobile"]}, "fill"),
        ({"types": ["mobile"]}, "device_not_targeted"),
        ({"os": ["windows"], "browsers": ["chrome"]}, "device_not_targeted"),
    ],
)
async def test_device_follows_from_the_user_agent(
    targeting: dict[str, list[str]], expected: str
) -> None:
    async with a_world({"device": targeting}) as world:
        assert outcome(await world.ask("", WINDOWS_EDGE)) == expected


async def test_only_a_server_may_name_the_user_agent_of_its_visitor() -> None:
    async with a_world({"device": {"os": ["ios"]}}) as world:
        named = await world.ask_by_secret(f"ua={quote(IPHONE)}", "User-Agent: python-requests/2.32")
        pretended = await world.ask(f"ua={quote(IPHONE)}", WINDOWS_EDGE)
        forwarded = await world.ask_by_secret("", f"User-Agent: {IPHONE}")
    assert [outcome(a) for a in (named, pretended, forwarded)] == [
        "fill",
        "device_not_targeted",
        "fill",
    ]


async def test_without_a_user_agent_no_device_is_known() -> None:
    async with a_world(DESKTOP) as world:
        assert outcome(await world.ask()) == "device_not_targeted"


@pytest.mark.parametrize(
    ("wanted", "query", "header", "expected"),
    [
        ("pt", "", "pt-BR,pt;q=0.9,en;q=0.8", "fill"),
        ("pt-br", "", "pt", "language_not_targeted"),
        ("en", "", "de, *", "language_not_targeted"),
        ("de", "", "en, de;q=0", "language_not_targeted"),
        ("de", "lang=de-AT", "en", "fill"),
        ("en", "lang=de", "en", "language_not_targeted"),
        ("pt-br", "lang=pt_BR", "en", "fill"),
        ("en", "lang=%00%FF", "en", "fill"),
    ],
)
async def test_languages_are_those_of_lang_else_of_the_header(
    wanted: str, query: str, header: str, expected: str
) -> None:
    async with a_world({"languages": [wanted]}) as world:
        assert outcome(await world.ask(query, f"Accept-Language: {header}")) == expected


async def test_dayparts_are_hours_of_the_campaigns_own_clock() -> None:
    async with a_world({"dayparts": [{"days": ["fri"], "start": "08:00", "end": "08:01"}]}) as w:
        at_eight = await w.ask()
        w.edge.clock.advance(ms=60_000)
        a_minute_later = await w.ask()
    assert [outcome(a) for a in (at_eight, a_minute_later)] == ["fill", "daypart_not_targeted"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("keywords=Running,news", "fill"),
        ("keywords=news,%20Trail+Shoes%20", "fill"),
        ("keywords=news", "keywords_not_targeted"),
        ("keywords=running,crime", "keywords_not_targeted"),
        ("keywords=,%20,", "keywords_not_targeted"),
        ("", "keywords_not_targeted"),
    ],
)
async def test_keywords_are_words_by_comma_in_any_case(query: str, expected: str) -> None:
    async with a_world(KEYWORDS) as world:
        assert outcome(await world.ask(query)) == expected


@pytest.mark.parametrize(
    ("op", "query", "expected"),
    [
        ("in", "kv.section=Sports", "fill"),
        ("in", "kv.section=news&kv.section=sports", "fill"),
        ("in", "KV.section=sports", "key_values_not_targeted"),
        ("in", "kv.SECTION=sports", "fill"),
        ("in", "kv%2Esection=%73ports", "fill"),
        ("in", "kv.section=news", "key_values_not_targeted"),
        ("in", "", "key_values_not_targeted"),
        ("not_in", "kv.section=sports", "key_values_not_targeted"),
        ("not_in", "kv.section=news&kv.section=sports", "key_values_not_targeted"),
        ("not_in", "kv.section=news", "fill"),
        ("not_in", "", "fill"),
    ],
)
async def test_key_values_are_compared_with_every_value_of_their_key(
    op: str, query: str, expected: str
) -> None:
    async with a_world(key_values(op, "sports", "fashion")) as world:
        assert outcome(await world.ask(query)) == expected


async def test_segments_count_from_servers_only() -> None:
    async with a_world(SEGMENTS) as world:
        by_server = await world.ask_by_secret("segments=Buyers&gdpr=0")
        by_page = await world.ask("segments=buyers&gdpr=0")
    assert [outcome(a) for a in (by_server, by_page)] == ["fill", "segments_not_targeted"]


@pytest.mark.parametrize(
    "signal", ["", "gdpr=1", "gdpr=0&npa=1", "gdpr=0&coppa=1", "gdpr=0&gdpr=1&npa=1"]
)
async def test_segments_are_dropped_where_nothing_may_be_personal(signal: str) -> None:
    async with a_world(SEGMENTS) as world:
        answer = await world.ask_by_secret(f"segments=buyers&{signal}")
    assert outcome(answer) == "segments_not_targeted"


async def test_an_ads_targeting_narrows_its_campaigns() -> None:
    async with a_world(DESKTOP, {"languages": ["en"]}) as world:
        both = await world.ask("lang=en", WINDOWS_EDGE)
        only_one = await world.ask("lang=de", WINDOWS_EDGE)
        only_other = await world.ask("lang=en", f"User-Agent: {IPHONE}")
    assert [outcome(a) for a in (both, only_one, only_other)] == [
        "fill",
        "language_not_targeted",
        "device_not_targeted",
    ]
