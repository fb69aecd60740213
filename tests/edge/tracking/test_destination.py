"""A click leads to the ad's own address and nowhere else."""

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.tracking.destination import DestinationInvalid, build_destination
from tests.support.builders import NOW_MS
from tests.support.tokens import a_payload

TOKEN = a_payload()
CLICK_ID = f"{TOKEN.token_id}.mzxw6ytboi2gk3dp"


def test_the_click_id_joins_the_query() -> None:
    assert (
        build_destination("https://brand.example/a", TOKEN, CLICK_ID, NOW_MS)
        == f"https://brand.example/a?sa_click_id={CLICK_ID}"
    )


def test_an_ad_on_trial_leads_to_the_local_machine() -> None:
    made = build_destination("http://127.0.0.1:3000/a", TOKEN, CLICK_ID, NOW_MS)
    assert made == f"http://127.0.0.1:3000/a?sa_click_id={CLICK_ID}"


def test_an_existing_query_and_fragment_stay() -> None:
    made = build_destination("https://brand.example/a?x=1&y=%20z#part", TOKEN, CLICK_ID, NOW_MS)
    assert made == f"https://brand.example/a?x=1&y=%20z&sa_click_id={CLICK_ID}#part"


def test_an_existing_click_id_is_replaced() -> None:
    made = build_destination(
        "https://brand.example/a?x=1&&sa_click_id=old&y=2", TOKEN, CLICK_ID, NOW_MS
    )
    assert made == f"https://brand.example/a?x=1&&y=2&sa_click_id={CLICK_ID}"


def test_every_macro_is_filled_in() -> None:
    names = ("click_id", "campaign_id", "ad_id", "slot_id", "property_id", "timestamp")
    url = "https://brand.example/?" + "&".join(f"{name}={{{name}}}" for name in names)
    query = parse_qs(urlsplit(build_destination(url, TOKEN, CLICK_ID, NOW_MS)).query)
    assert query["click_id"] == query["sa_click_id"] == [CLICK_ID]
    assert query["campaign_id"] == [str(TOKEN.campaign_id)]
    assert query["ad_id"] == [str(TOKEN.ad_id)]
    assert query["slot_id"] == [str(TOKEN.slot_id)]
    assert query["property_id"] == [str(TOKEN.property_id)]
    assert query["timestamp"] == [str(NOW_MS)]


def test_an_unknown_macro_is_left_unchanged() -> None:
    assert "{other}" in build_destination(
        "https://brand.example/?a={other}", TOKEN, CLICK_ID, NOW_MS
    )


def test_non_ascii_characters_are_percent_encoded() -> None:
    made = build_destination("https://brand.example/schöne-schuhe", TOKEN, CLICK_ID, NOW_MS)
    assert made.startswith("https://brand.example/sch%C3%B6ne-schuhe?")


@pytest.mark.parametrize(
    "url",
    [
        "http://brand.example/",
        "http://localhost.brand.example/",
        "http://user@127.0.0.1/",
        "javascript:alert(1)",
        "//brand.example/",
        "/path",
        "https:///path",
        "https://user@brand.example/",
        "https://user:pass@brand.example/",
        "https://brand.example/\r\nSet-Cookie: a=b",
        "https://brand.example/a b",
        "https://brand.example\\@evil.example/",
        "https://brand.example:99999/",
        "https://[::1/",
        "https://{ad_id}.example/",
        "https://bränd.example/",
        "https://brand.example/" + "a" * 2_048,
        "",
    ],
)
def test_an_unsafe_redirect_address_is_refused(url: str) -> None:
    with pytest.raises(DestinationInvalid):
        build_destination(url, TOKEN, CLICK_ID, NOW_MS)


@given(st.text(max_size=80))
def test_the_host_is_never_changed_by_what_follows_it(rest: str) -> None:
    try:
        made = build_destination(f"https://brand.example/{rest}", TOKEN, CLICK_ID, NOW_MS)
    except DestinationInvalid:
        return
    assert urlsplit(made).hostname == "brand.example"
    assert made.isascii()
    assert made.isprintable()
