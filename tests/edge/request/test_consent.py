"""Consent on ``GET /v1/serve``: what the token carries, what `debug=1` shows, which ads children get."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sanic.compat import Header

from common.contract.edge_models import ServedAd
from common.privacy.bits import MAX_CHARS
from common.privacy.consent import Consent
from common.privacy.consent_rules import ConsentReason
from common.snapshot.model import Property
from common.tracking.token import parse_token
from common.values.keys import KeyKind
from edge.request.call import Call, call_with
from edge.serving.consent import consent_signals_key
from tests.support.builders import a_campaign, a_key, a_property, a_slot, a_snapshot, an_ad
from tests.support.consent_strings import PERSONAL, a_gpp_string, a_tc_string, a_usnat
from tests.support.edge import running_edge
from tests.support.raw_http import RawAnswer

VENDOR = 755
Ask = Callable[..., Any]


@asynccontextmanager
async def request(
    prop: Property | None = None, *, vendor_id: int | None = None, **ad: Any
) -> AsyncIterator[Ask]:
    """Asks for the one ad of slot ``top``, with debug."""
    prop, campaign = prop or a_property(), a_campaign()
    slot, shown = a_slot(), an_ad(campaign, **ad)
    secret, key = a_key(KeyKind.SECRET)
    snapshot = a_snapshot(prop, slot, campaign, shown, key)
    async with running_edge(snapshot, tcf_vendor_id=vendor_id) as edge:

        async def ask(query: str = "", *headers: str, debug: int = 1) -> RawAnswer:
            path = f"/v1/serve?slot=top&debug={debug}&{query}"
            return await edge.get(path, f"Authorization: Bearer {secret.text}", *headers)

        yield ask


def token_is_limited(answer: RawAnswer) -> bool:
    return parse_token(answer.json["track_token"])[0].consent_limited


async def test_a_filled_answer_reports_consent_and_its_reasons() -> None:
    async with request() as ask:
        answer = await ask("gdpr=1&us_privacy=1YYN")
    assert answer.json["consent"] == {
        "personal": False,
        "storage": False,
        "measurement": False,
        "why": ["tc_string_missing", "us_opted_out"],
    }
    assert ServedAd.model_validate(answer.json).consent is not None


async def test_without_debug_consent_is_not_reported() -> None:
    async with request() as ask:
        answer = await ask("gdpr=1", debug=0)
    assert answer.status == 200
    assert "consent" not in answer.json


@pytest.mark.parametrize(
    "query",
    [
        *("lgpd=0", "us_privacy=1YYN", "gpp=DBAB", "gdpr=1&gdpr_consent=x", "coppa=1"),
        f"gpp={a_gpp_string({7: a_usnat(gpc=True)})}&gpp_sid=7",
    ],
)
async def test_a_refusal_limits_the_token_and_still_shows_an_ad(query: str) -> None:
    async with request() as ask:
        answer = await ask(query)
    assert answer.status == 200
    assert token_is_limited(answer)


async def test_a_token_states_whether_its_visitor_may_be_measured() -> None:
    """By the long way and by the short one, which remembers the page by what its consent strings came to."""
    campaign, (key, row) = a_campaign(), a_key()
    texts = [a_tc_string(consents=PERSONAL, vendor_consents=(one,)) for one in (1, 2, 3)]
    texts += [a_tc_string(consents=PERSONAL - {7}, vendor_consents=(one,)) for one in (1, 2, 3)]
    async with running_edge(a_snapshot(a_slot(), campaign, an_ad(campaign), row)) as edge:
        answers = [
            await edge.get(
                f"/v1/serve?slot=top&gdpr=1&gdpr_consent={text}", f"X-Service-Key: {key.text}"
            )
            for text in texts * 2
        ]
    tokens = [parse_token(answer.json["track_token"])[0] for answer in answers]
    assert [token.is_measured for token in tokens] == [True, True, True, False, False, False] * 2
    assert [token.consent_limited for token in tokens] == [
        False,
        False,
        False,
        True,
        True,
        True,
    ] * 2


@pytest.mark.parametrize("header", ["Sec-GPC: 1", "DNT: 1"])
async def test_a_browsers_refusal_overrides_the_consent_of_the_page(header: str) -> None:
    async with request() as ask:
        answer = await ask("gdpr=0&lgpd=1", header)
    assert token_is_limited(answer)
    assert not answer.json["consent"]["personal"]


async def test_a_property_may_presume_consent_without_a_signal() -> None:
    async with request() as ask:
        required = await ask()
    async with request(a_property(consent_policy="presumed")) as ask:
        presumed = await ask()
    found = [answer.json["consent"]["personal"] for answer in (required, presumed)]
    assert found == [False, True]


async def test_the_vendor_id_of_the_service_is_looked_up_in_the_string() -> None:
    query = f"gdpr=1&gdpr_consent={a_tc_string(vendor_consents=(VENDOR,))}"
    async with request(vendor_id=VENDOR) as ask:
        ours = await ask(query)
    async with request(vendor_id=VENDOR + 1) as ask:
        others = await ask(query)
    assert ours.json["consent"]["why"] == ["tc_string_consents"]
    assert others.json["consent"]["why"][0] == "vendor_not_consented"


async def test_children_see_no_ad_of_an_unsuitable_category() -> None:
    async with request(categories=("IAB8-5",)) as ask:
        grown_up, child = await ask(), await ask("coppa=1")
    assert (grown_up.status, child.status) == (200, 204)
    assert child.headers["x-no-fill-reason"] == "unfit_for_children"


def test_consent_of_equal_requests_is_decided_once() -> None:
    query = f"slot=top&gdpr=1&gdpr_consent={a_tc_string(consents=(1, 9))}"
    first, second = (_decide(_call(query)) for _ in range(2))
    assert first is second
    assert _decide(_call(query, dnt="1")) is not first


def test_consent_of_a_query_too_long_to_cache_is_decided_all_the_same() -> None:
    query = f"url={'x' * 5_000}&lgpd=0"
    first, second = (_decide(_call(query)) for _ in range(2))
    assert first == second
    assert first.why == (ConsentReason.LGPD_REFUSED,)


def _call(query: str, **headers: str) -> Call:
    return call_with(Header(headers), query, "203.0.113.7", 0)


def _decide(call: Call) -> Consent:
    return consent_signals_key(call.query).decide(call.caller, a_property().consent_policy, None)


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("gdpr=0&gdpr=1", ConsentReason.GDPR_UNREADABLE),
        ("gdpr=1&gdpr=0", ConsentReason.GDPR_UNREADABLE),
        (
            f"gdpr_consent={a_tc_string()}&gdpr_consent={a_tc_string(consents=())}",
            ConsentReason.TC_STRING_GARBLED,
        ),
        ("gdpr=0&npa=0&npa=1", ConsentReason.NPA_UNREADABLE),
        ("gdpr=0&coppa=0&coppa=1", ConsentReason.COPPA_UNREADABLE),
        ("lgpd=1&lgpd=0", ConsentReason.LGPD_UNREADABLE),
        ("us_privacy=1YNN&us_privacy=1YYN", ConsentReason.US_PRIVACY_GARBLED),
        (f"gpp={a_gpp_string({7: a_usnat()})}&gpp={a_gpp_string({})}", ConsentReason.GPP_GARBLED),
        ("gdpr=0&gpp_sid=-1&gpp_sid=7", ConsentReason.GPP_SECTION_MISSING),
    ],
)
async def test_a_contradictory_signal_limits_consent(query: str, why: ConsentReason) -> None:
    async with request() as ask:
        for _ in range(3):  # the third answer comes from memory
            answer = await ask(query)
            assert answer.json["consent"]["personal"] is False
            assert why in answer.json["consent"]["why"]
            assert token_is_limited(answer)


async def test_one_header_of_two_that_objects_is_enough() -> None:
    async with request() as ask:
        answer = await ask("gdpr=0", "Sec-GPC: 0", "Sec-GPC: 1")
    assert answer.json["consent"]["why"] == ["gpc", "gdpr_not_applicable"]


async def test_a_tc_string_of_8_192_characters_is_read() -> None:
    listed = [(number, number) for number in range(1, 2_821)]
    text = a_tc_string(publisher=PERSONAL, vendor_consents=[VENDOR], restrictions={(9, 0): listed})
    assert 8_000 < len(text) <= MAX_CHARS
    async with request(vendor_id=VENDOR) as ask:
        answer = await ask(f"gdpr=1&gdpr_consent={text}")
        assert answer.json["consent"]["why"] == ["tc_string_consents"]
        longer = await ask(f"gdpr=1&gdpr_consent={text.ljust(MAX_CHARS + 1, 'A')}")
        assert longer.json["consent"]["why"] == ["tc_string_garbled"]
