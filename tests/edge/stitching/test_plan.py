"""Plans of audio ads: who may ask, what is refused, and which ads stand in a break."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from common.privacy.bits import MAX_CHARS
from common.snapshot.codec import canonical_json
from common.snapshot.model import AudioLimits
from common.values.enums import EventKind, QualitySignal, Surface
from common.values.environment import Environment
from common.values.ids import new_id
from tests.edge.stitching.stitching_edge import StitchingEdge, a_sound_ad, stitching_edge
from tests.support.builders import PROPERTY_ID, a_key, a_property, a_slot
from tests.support.consent_strings import PERSONAL, a_tc_string
from tests.support.worker import events_of

PRE = {"id": "pre", "type": "pre"}
PLAN: dict[str, Any] = {"slot": "podcast", "breaks": [PRE]}
URL = "https://cdn.example/a.mp3"


def an_ad(name: str, duration_ms: int, bid_cents: int = 100, **changes: Any) -> Any:
    media = [(f"https://{name}.example/{name}.mp3", duration_ms)]
    return a_sound_ad(name, media, bid_cents=bid_cents, **changes)


def names_of(answer: Any, number: int = 0) -> list[str]:
    """Advertisers of a break, by the address of their media."""
    ads = answer["breaks"][number]["ads"]
    return [ad["media"][0]["url"].split("/")[2].partition(".")[0] for ad in ads]


async def test_a_plan_has_everything_that_a_player_needs(tmp_path: Path) -> None:
    async with stitching_edge(tmp_path, *an_ad("shoes", 30_000)) as edge:
        body = PLAN | {
            "content": {"url": URL, "kind": "progressive", "duration_ms": 60_000},
            "breaks": [PRE, {"id": "end", "type": "post"}],
            "session_id": "s-1",
        }
        answer = await edge.stitch(body)
        ad = answer["breaks"][0]["ads"][0]
        for url in (ad["impression_url"], *ad["tracking"].values()):
            assert (await edge.get(url)).status == 200
        events = await events_of(edge.edge.context)

    assert {event.surface for event in events} == {Surface.AUDIO}
    assert set(answer) == {
        *("session_id", "expires_at", "content_type", "url", "filled_ms", "breaks")
    }
    assert (answer["session_id"], answer["url"], answer["content_type"]) == (
        "s-1",
        URL,
        "audio/mpeg",
    )
    assert answer["filled_ms"] == 60_000
    assert [one["offset_ms"] for one in answer["breaks"]] == [0, 60_000]
    assert set(ad) == {
        *("sequence", "ad_id", "campaign_id", "duration_ms", "media", "track_token"),
        *("impression_url", "click_url", "tracking", "companion"),
    }
    assert {event.kind for event in events} == {
        EventKind.IMPRESSION,
        QualitySignal.START,
        QualitySignal.FIRST_QUARTILE,
        QualitySignal.MIDPOINT,
        QualitySignal.THIRD_QUARTILE,
        QualitySignal.COMPLETE,
    }


@pytest.mark.parametrize("alt", ["A shoe", None])
async def test_a_plan_has_the_companion_of_its_ad(tmp_path: Path, alt: str | None) -> None:
    campaign, ad = an_ad("shoes", 30_000)
    companion = {"image_url": "https://shoes.example/a.png", "width": 300, "height": 250}
    content = orjson.loads(ad.content) | {"companion": companion | {"alt": alt}}
    ad = replace(ad, content=canonical_json(content))
    async with stitching_edge(tmp_path, campaign, ad) as edge:
        answer = await edge.stitch(PLAN)

    assert answer["breaks"][0]["ads"][0]["companion"] == companion | {"alt": alt or ""}


async def test_the_slot_bounds_each_break(tmp_path: Path) -> None:
    """The break asks for more than its slot allows; an ad longer than the slot's limit never serves there."""
    ads = (*an_ad("long", 20_001, 900), *an_ad("a", 10_000, 300), *an_ad("b", 9_000, 200))
    limits = AudioLimits(max_duration_ms=20_000, max_ads=2)
    async with stitching_edge(tmp_path, *ads, *an_ad("c", 1_000), limits=limits) as edge:
        wide = await edge.stitch(
            PLAN | {"breaks": [PRE | {"max_duration_ms": 60_000, "max_ads": 9}]}
        )
        narrow = await edge.stitch(
            PLAN | {"breaks": [PRE | {"max_duration_ms": 9_500, "max_ads": 1}]}
        )
        served = await edge.edge.serve("slot=podcast", edge.publishable)

    assert (names_of(wide), wide["filled_ms"]) == (["a", "b"], 19_000)
    assert names_of(narrow) == ["b"]
    assert served.json["content"]["media"][0]["duration_ms"] == 10_000


async def test_no_two_ads_of_one_advertiser_stand_in_a_break(tmp_path: Path) -> None:
    twin = {"advertiser_domain": "twin.example", "click_url": "https://twin.example/"}
    one, other = an_ad("one", 5_000, 900), an_ad("other", 5_000, 800)
    one = (one[0], replace(one[1], **twin))
    other = (other[0], replace(other[1], **twin))
    async with stitching_edge(tmp_path, *one, *other, *an_ad("third", 5_000)) as edge:
        answer = await edge.stitch(PLAN | {"breaks": [PRE | {"max_ads": 3}]})

    assert names_of(answer) == ["one", "third"]


async def test_a_slot_may_separate_the_categories_of_a_break(tmp_path: Path) -> None:
    car = an_ad("car", 5_000, 900, categories=("2-3",))
    other = an_ad("other", 5_000, 800, categories=("2-3",))
    ads = (*car, *other, *an_ad("third", 5_000))
    body = PLAN | {"breaks": [PRE | {"max_ads": 3}]}
    found = []
    for separates in (False, True):
        async with stitching_edge(tmp_path, *ads, separate_categories=separates) as edge:
            found.append(names_of(await edge.stitch(body)))

    assert found == [["car", "other", "third"], ["car", "third"]]


async def test_without_an_ad_the_original_is_played(tmp_path: Path) -> None:
    content = {"url": URL, "kind": "progressive"}
    async with stitching_edge(tmp_path) as edge:
        answers = [
            await edge.stitch(PLAN | {"content": content, "output": output})
            for output in ("plan", "vast", "file")
        ]

    for answer in answers:
        assert (answer["url"], answer["filled_ms"], answer["breaks"][0]["ads"]) == (URL, 0, [])


async def test_a_slot_without_the_format_audio_plays_the_original_and_says_why_in_its_no_fills(
    tmp_path: Path,
) -> None:
    banner = a_slot(key="banner")
    async with stitching_edge(tmp_path, banner, *an_ad("a", 5_000)) as edge:
        answer = await edge.stitch(PLAN | {"slot": "banner"})
        counted = edge.edge.counted()

    assert (answer["filled_ms"], answer["breaks"][0]["ads"]) == (0, [])
    assert counted == {"format_mismatch": 1}


async def test_a_session_is_planned_once(tmp_path: Path) -> None:
    body = PLAN | {"session_id": "listener-7"}
    async with stitching_edge(tmp_path, *an_ad("a", 5_000)) as edge:
        first, again = [(await edge.post(body)).body for _ in range(2)]
        other = await edge.post(body | {"breaks": [PRE | {"max_ads": 2}]})
        new = await edge.post(PLAN)
        counted = edge.edge.counted()

    assert first == again
    assert (other.status, other.code) == (422, "idempotency_key_reused")
    assert new.body != first
    assert counted == {"fill": 2}


async def test_a_repeated_session_may_differ_in_spacing_and_order_of_names(tmp_path: Path) -> None:
    body = PLAN | {"session_id": "listener-7"}
    async with stitching_edge(tmp_path, *an_ad("a", 5_000)) as edge:
        first = await edge.post(body)
        again = await edge.post(dict(reversed(body.items())))

    assert (again.status, again.body) == (200, first.body)


async def test_vast_gives_a_pod_for_each_break(tmp_path: Path) -> None:
    breaks = [PRE | {"max_ads": 2}, {"id": "mid", "type": "mid", "offset_ms": 61_500}]
    ads = (*an_ad("a", 5_000, 200), *an_ad("b", 5_000))
    async with stitching_edge(tmp_path, *ads) as edge:
        answer = await edge.stitch(PLAN | {"breaks": breaks, "output": "vast"})
        document = await edge.get(answer["url"])
        text = document.body.decode()

    assert answer["content_type"] == "application/xml"
    assert document.headers["content-type"].startswith("application/xml")
    assert text.count("<vmap:AdBreak") == 2
    assert 'timeOffset="start"' in text
    assert 'timeOffset="00:01:01.500"' in text
    assert text.count("<Ad ") == 3
    assert answer["breaks"][0]["ads"][1]["ad_id"] in text


async def test_only_a_secret_key_stitches(tmp_path: Path) -> None:
    async with stitching_edge(tmp_path) as edge:
        answers = [
            await edge.post(PLAN, key=edge.publishable),
            await edge.post(PLAN, key="sk_test_" + edge.key.removeprefix("sk_live_")),
        ]
    assert [(one.status, one.code) for one in answers] == [
        (401, "invalid_key"),
        (401, "invalid_key"),
    ]


async def test_a_publishable_key_beside_the_secret_key_changes_nothing(tmp_path: Path) -> None:
    other = a_property(id=new_id())
    elsewhere, elsewhere_key = a_key(property_id=other.id)
    objects = (*an_ad("shoes", 5_000), a_property(), other, elsewhere_key)
    async with stitching_edge(tmp_path, *objects) as edge:
        keys = (edge.publishable, elsewhere.text, "pk_live_broken")
        answers = [await edge.post(PLAN, f"X-Service-Key: {key}") for key in keys]
        for one in answers:
            await edge.get(one.json["breaks"][0]["ads"][0]["impression_url"])
        events = await events_of(edge.edge.context)

    assert [one.status for one in answers] == [200] * 3
    assert [str(event.property_id) for event in events] == [PROPERTY_ID] * 3


def mid(**fields: Any) -> dict[str, Any]:
    return {"breaks": [{"id": "m", "type": "mid", "offset_ms": 1} | fields]}


FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("slot", {"slot": ""}),
    ("slot", {"slot": None}),
    ("breaks", {"breaks": []}),
    ("breaks", {"breaks": None}),
    ("breaks.0.type", mid(type="late")),
    ("breaks.0.id", mid(id="")),
    ("breaks.0.offset_ms", mid(offset_ms=None)),
    ("breaks.0.offset_ms", mid(offset_ms=-1)),
    ("breaks.0.offset_ms", mid(offset_ms="1")),
    ("breaks.0.offset_ms", mid(type="pre", offset_ms=5)),
    ("breaks.0.max_duration_ms", mid(max_duration_ms=0)),
    ("breaks.0.max_ads", mid(max_ads=0)),
    ("breaks.0.max_ads", mid(max_ads=21)),
    ("breaks.0.unknown", mid(unknown=1)),
    ("breaks.1.id", {"breaks": [PRE, PRE]}),
    ("content.kind", {"content": {"url": URL, "kind": "film"}}),
    ("content.kind", {"content": {"url": URL}}),
    ("content.url", {"content": {"kind": "progressive"}}),
    ("content.url", {"content": {"url": "ftp://cdn.example/a", "kind": "progressive"}}),
    ("content.url", {"content": {"url": "https://10.0.0.1/a.mp3", "kind": "progressive"}}),
    ("content.duration_ms", {"content": {"duration_ms": 0}}),
    ("breaks.0.offset_ms", mid(offset_ms=9) | {"content": {"duration_ms": 5}}),
    ("content.kind", {"output": "hls", "content": {"url": URL, "kind": "progressive"}}),
    ("content.kind", {"output": "file"}),
    ("listener.ip", {"listener": {"ip": "300.1.1.1"}}),
    ("listener.uid", {"listener": {"uid": "x" * 129}}),
    ("listener.uid", {"listener": {"uid": "ana@example.com"}}),
    ("listener.uid", {"listener": {"uid": "ana%40example.com"}}),
    ("listener.user_agent", {"listener": {"user_agent": ""}}),
    ("listener.consent.gdpr", {"listener": {"consent": {"gdpr": []}}}),
    ("listener.consent.gdpr_consent", {"listener": {"consent": {"gdpr_consent": 1}}}),
    ("output", {"output": "json"}),
    ("ad_markers", {"ad_markers": "none"}),
    ("session_id", {"session_id": "a b"}),
]


async def test_a_consent_flag_may_be_a_number_or_a_boolean(tmp_path: Path) -> None:
    consent = {"gdpr": 0, "gpp_sid": 7, "npa": True, "lgpd": "1"}
    async with stitching_edge(tmp_path) as edge:
        answer = await edge.post(PLAN | {"listener": {"consent": consent}})
    assert answer.status == 200, answer.body


async def test_each_bad_field_is_named(tmp_path: Path) -> None:
    async with stitching_edge(tmp_path) as edge:
        for param, fields in FAULTS:
            answer = await edge.post(PLAN | fields)
            assert (answer.status, answer.code) == (422, "validation_failed"), (fields, answer.body)
            assert answer.json["error"]["param"] == param, fields
        assert (await edge.post(b"{")).code == "invalid_json"
        absent = await edge.post(PLAN | {"slot": "absent"})
        assert (absent.code, absent.json["error"]["param"]) == ("slot_not_found", "slot")
        assert "?" not in absent.json["error"]["message"]
        assert (await edge.post(b'"' + b"x" * 1_048_576 + b'"')).status == 413
        assert edge.edge.counted() == {}


async def test_an_unknown_slot_is_reported_before_faults_of_other_fields(tmp_path: Path) -> None:
    async with stitching_edge(tmp_path) as edge:
        answer = await edge.post(PLAN | {"slot": "absent", "breaks": [], "output": "json"})
    assert (answer.status, answer.code) == (404, "slot_not_found")


@pytest.mark.parametrize(
    ("scenario", "status"), [("rate_limited", 429), ("tenant_suspended", 403), ("error", 500)]
)
async def test_a_simulated_refusal_comes_before_faults_of_the_body(
    tmp_path: Path, scenario: str, status: int
) -> None:
    bodies = (PLAN, PLAN | {"slot": "absent"}, PLAN | {"breaks": []})
    async with stitching_edge(tmp_path, environment=Environment.TEST) as edge:
        answers = [await edge.post(body, f"X-Test-Scenario: {scenario}") for body in bodies]
    assert [answer.status for answer in answers] == [status] * 3


@pytest.mark.parametrize("scenario", ["paced", "rate_limited"])
async def test_scenarios_need_a_test_key(tmp_path: Path, scenario: str) -> None:
    async with stitching_edge(tmp_path) as edge:
        answer = await edge.post(PLAN, f"X-Test-Scenario: {scenario}")
    assert answer.status == 422


async def test_a_plan_goes_out_while_sessions_cannot_be_stored(tmp_path: Path) -> None:
    async with stitching_edge(tmp_path, *an_ad("a", 5_000)) as edge:
        make_unavailable(edge)
        plan = await edge.stitch(PLAN)
        content = {"url": URL, "kind": "progressive"}
        vast = await edge.stitch(PLAN | {"output": "vast", "content": content})

    assert plan["filled_ms"] == 5_000
    assert (vast["filled_ms"], vast["url"]) == (0, URL)


def make_unavailable(edge: StitchingEdge) -> None:
    audio = edge.edge.context.audio
    assert audio is not None
    audio.sessions.is_unavailable = True  # type: ignore[attr-defined]  # it is the one in memory


async def test_the_consent_string_of_a_listener_may_have_8_192_characters(tmp_path: Path) -> None:
    listed = [(number, number) for number in range(1, 2_821)]
    text = a_tc_string(publisher=PERSONAL, restrictions={(9, 0): listed})
    assert 8_000 < len(text) <= MAX_CHARS
    async with stitching_edge(tmp_path, *an_ad("shoes", 30_000)) as edge:
        for sent in (text, text.ljust(MAX_CHARS + 1, "A")):  # a longer one is garbled, as on serve
            consent = {"gdpr": 1, "gdpr_consent": sent, "gpp": "D" * (MAX_CHARS + 1)}
            answer = await edge.stitch(PLAN | {"listener": {"consent": consent}})
            assert names_of(answer) == ["shoes"]
