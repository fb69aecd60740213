"""The contents of a fill's tokens, and that they carry the edge's own signature."""

import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from common.decision.rules.opportunity import Opportunity
from common.decision.rules.outcome import Fill
from common.service.secrets import Purpose
from common.snapshot.model import Property, SecretState, SigningSecret
from common.snapshot.snapshot import Snapshot
from common.tracking.token import TokenUse, parse_token, verify_tag
from common.values.enums import Format, PropertyKind, Source, Surface
from common.values.environment import Environment
from common.values.errors import Unavailable
from edge.context import EdgeContext
from edge.serving.render.issue_token import issue
from edge.tracking.track_token import verify
from tests.support.builders import (
    KEY_RING,
    NOW_MS,
    SIGNING_SECRET,
    Stock,
    a_property,
    a_snapshot,
    a_stock,
)
from tests.support.worker import an_edge


@pytest.fixture
def stock() -> Stock:
    return a_stock()


@pytest.fixture
async def edge(tmp_path: Path, stock: Stock) -> AsyncIterator[EdgeContext]:
    async with an_edge(tmp_path, a_snapshot(*stock.objects)) as opened:
        yield opened


def an_opportunity(stock: Stock, prop: Property | None = None) -> Opportunity:
    return Opportunity(
        environment=Environment.LIVE,
        property=prop or a_property(),
        slot=stock.slot,
        format=None,
        width=None,
        height=None,
        surface=Surface.WEB,
        preview_ad_id=None,
        consent_limited=False,
        child_directed=False,
    )


def a_fill(stock: Stock, source: Source = Source.AUCTION) -> Fill:
    return Fill(stock.campaign, stock.ad, source, 1_500)


def known(stock: Stock, *, version: int = 1) -> Snapshot:
    return replace(a_snapshot(*stock.objects), version=version)


def test_a_token_holds_the_decision(edge: EdgeContext, stock: Stock) -> None:
    issued = issue(edge, known(stock, version=42), a_fill(stock), an_opportunity(stock), NOW_MS)
    payload, raw, tag = parse_token(issued.track_token)
    assert verify_tag(raw, tag, TokenUse.TRACK, SIGNING_SECRET)
    assert str(payload.token_id) == issued.decision_id
    assert (str(payload.ad_id), str(payload.campaign_id)) == (stock.ad.id, stock.campaign.id)
    assert (payload.price_micros, payload.snapshot_version) == (1_500, 42)
    assert (payload.issued_ms, payload.life_s, payload.click_life_s) == (NOW_MS, 600, 14_400)


def test_a_decision_id_is_a_uuid7_of_its_time(edge: EdgeContext, stock: Stock) -> None:
    issued = issue(edge, known(stock), a_fill(stock), an_opportunity(stock), NOW_MS)
    made = uuid.UUID(issued.decision_id)
    assert (made.version, int.from_bytes(made.bytes[:6], "big")) == (7, NOW_MS)


def test_no_two_fills_share_an_id(edge: EdgeContext, stock: Stock) -> None:
    requested, snapshot = an_opportunity(stock), known(stock)
    made = {
        issue(edge, snapshot, a_fill(stock), requested, NOW_MS).decision_id for _ in range(2_000)
    }
    assert len(made) == 2_000


def test_the_urls_carry_the_tags_of_their_uses(edge: EdgeContext, stock: Stock) -> None:
    issued = issue(edge, known(stock), a_fill(stock), an_opportunity(stock), NOW_MS)
    snapshot = edge.snapshots.current()
    pixel = issued.impression_url.removeprefix("https://edge.example/v1/impression/")
    click = issued.click_url.removeprefix("https://edge.example/v1/click/")
    assert pixel.endswith(".gif")
    for text, use in ((pixel[:-4], TokenUse.IMPRESSION), (click, TokenUse.CLICK)):
        assert verify(edge, snapshot, text, use, NOW_MS).payload.ad_id == uuid.UUID(stock.ad.id)


@pytest.mark.parametrize("source", [Source.HOUSE, Source.PREVIEW])
def test_house_ads_and_previews_cost_nothing(
    edge: EdgeContext, stock: Stock, source: Source
) -> None:
    issued = issue(edge, known(stock), a_fill(stock, source), an_opportunity(stock), NOW_MS)
    payload = parse_token(issued.track_token)[0]
    assert (payload.price_micros, payload.preview) == (0, source is Source.PREVIEW)


def test_a_property_of_longer_tokens_counts_clicks_as_long(edge: EdgeContext, stock: Stock) -> None:
    prop = a_property(token_ttl_seconds=86_400)
    issued = issue(edge, known(stock), a_fill(stock), an_opportunity(stock, prop), NOW_MS)
    payload = parse_token(issued.track_token)[0]
    assert (payload.life_s, payload.click_life_s) == (86_400, 86_400)


@pytest.mark.parametrize(
    ("kind", "ad_format", "days"),
    [
        (PropertyKind.WEB, Format.EMAIL, 30),
        (PropertyKind.EMAIL, Format.BANNER, 30),
        (PropertyKind.APP, Format.AUDIO, 1),
        (PropertyKind.AUDIO, Format.BANNER, 1),
    ],
)
def test_mail_and_audio_tokens_are_valid_longer(
    edge: EdgeContext, stock: Stock, kind: PropertyKind, ad_format: Format, days: int
) -> None:
    fill = replace(a_fill(stock), ad=replace(stock.ad, format=ad_format))
    requested = an_opportunity(stock, a_property(kind=kind))
    issued = issue(edge, known(stock), fill, requested, NOW_MS)
    payload = parse_token(issued.track_token)[0]
    life_s = days * 86_400
    assert (payload.life_s, payload.click_life_s) == (life_s, life_s)


def test_the_newest_secret_that_signs_is_used(edge: EdgeContext, stock: Stock) -> None:
    prop = _with_secrets((1, SecretState.SIGN), (2, SecretState.SIGN), (3, SecretState.VERIFY))
    issued = issue(edge, known(stock), a_fill(stock), an_opportunity(stock, prop), NOW_MS)
    assert parse_token(issued.track_token)[0].kid == 2


def test_a_secret_to_verify_with_is_found_by_its_number(edge: EdgeContext) -> None:
    prop = _with_secrets((1, SecretState.SIGN), (3, SecretState.VERIFY))
    assert edge.secrets.find(prop, 3) == b"secret 3"
    assert edge.secrets.find(prop, 2) is None


def test_without_a_secret_that_signs_nothing_is_issued(edge: EdgeContext, stock: Stock) -> None:
    prop = _with_secrets((1, SecretState.VERIFY))
    with pytest.raises(Unavailable):
        issue(edge, known(stock), a_fill(stock), an_opportunity(stock, prop), NOW_MS)


def test_a_secret_sealed_for_another_property_does_not_open(edge: EdgeContext) -> None:
    foreign = a_property(id="01900000-0000-7000-8000-0000000000ff")
    assert edge.secrets.find(replace(a_property(), secrets=foreign.secrets), 1) is None


def _with_secrets(*secrets: tuple[int, SecretState]) -> Property:
    prop = a_property()
    made = [
        SigningSecret(
            kid,
            KEY_RING.seal(Purpose.SNAPSHOT, b"secret %d" % kid, bound_to=prop.id),
            state,
        )
        for kid, state in secrets
    ]
    return replace(prop, secrets=tuple(made))
