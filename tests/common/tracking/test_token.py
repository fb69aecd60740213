"""The token: one spelling, three uses, and nothing accepted that was not signed for its use."""

import hmac
import json
import uuid
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.tracking.token import (
    MAX_LEEWAY_S,
    PAYLOAD_BYTES,
    TOKEN_CHARS,
    TokenInvalid,
    TokenPayload,
    TokenUse,
    leeway_ms,
    parse_token,
    sign_token,
    verify_tag,
)
from common.values.enums import Format, PricingModel, Source, Surface
from tests.support.tokens import a_payload, text_at

SECRET = b"s" * 32
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_bytes())

uuids = st.uuids()
payloads = st.builds(
    TokenPayload,
    is_test=st.booleans(),
    consent_limited=st.booleans(),
    preview=st.booleans(),
    surface=st.sampled_from(Surface),
    source=st.sampled_from(Source),
    pricing_model=st.sampled_from(PricingModel),
    format=st.sampled_from(Format),
    kid=st.integers(0, 2**32 - 1),
    issued_ms=st.integers(0, 2**48 - 1),
    life_s=st.integers(0, 2**32 - 1),
    click_life_s=st.integers(0, 2**32 - 1),
    token_id=uuids,
    property_id=uuids,
    slot_id=uuids,
    ad_id=uuids,
    campaign_id=uuids,
    price_micros=st.integers(0, 2**64 - 1),
    snapshot_version=st.integers(0, 2**64 - 1),
    marks=st.integers(0, 2**32 - 1),
    person=st.integers(0, 2**64 - 1),
)


def accepted(text: str, use: TokenUse) -> bool:
    try:
        _, raw, tag = parse_token(text)
    except TokenInvalid:
        return False
    return verify_tag(raw, tag, use, SECRET)


@given(payloads, st.sampled_from(TokenUse))
def test_a_signed_payload_comes_back_as_it_was(payload: TokenPayload, use: TokenUse) -> None:
    text = text_at(sign_token(payload, SECRET), use)
    assert parse_token(text)[0] == payload
    assert accepted(text, use)


@given(payloads)
def test_a_tag_for_one_use_is_refused_for_another(payload: TokenPayload) -> None:
    texts = sign_token(payload, SECRET)
    opened = {
        (own, use) for own in TokenUse for use in TokenUse if accepted(text_at(texts, own), use)
    }
    assert opened == {(use, use) for use in TokenUse}


@given(payloads)
def test_another_secret_verifies_nothing(payload: TokenPayload) -> None:
    texts = sign_token(payload, b"t" * 32)
    assert not any(accepted(text_at(texts, use), use) for use in TokenUse)


@pytest.mark.parametrize("use", TokenUse)
def test_every_other_character_in_every_place_is_refused(use: TokenUse) -> None:
    text = text_at(sign_token(a_payload(), SECRET), use)
    for place in range(TOKEN_CHARS):
        for character in ALPHABET + ".=+/ \n\u00e9":
            if character != text[place]:
                assert not accepted(text[:place] + character + text[place + 1 :], use)


@pytest.mark.parametrize("use", TokenUse)
def test_every_flipped_bit_of_payload_and_tag_is_refused(use: TokenUse) -> None:
    _, raw, tag = parse_token(text_at(sign_token(a_payload(), SECRET), use))
    for bit in range(len(raw) * 8):
        flipped = bytearray(raw)
        flipped[bit // 8] ^= 1 << bit % 8
        assert not verify_tag(bytes(flipped), tag, use, SECRET)
    for bit in range(len(tag) * 8):
        flipped = bytearray(tag)
        flipped[bit // 8] ^= 1 << bit % 8
        assert not verify_tag(raw, bytes(flipped), use, SECRET)


@given(st.text(max_size=300))
def test_text_that_is_not_a_token_is_refused_without_another_error(text: str) -> None:
    with pytest.raises(TokenInvalid):
        parse_token(text)


@given(st.text(alphabet=ALPHABET, min_size=TOKEN_CHARS - 1, max_size=TOKEN_CHARS - 1))
def test_text_of_a_tokens_shape_is_refused_unless_signed(text: str) -> None:
    dotted = text[: PAYLOAD_BYTES // 3 * 4] + "." + text[PAYLOAD_BYTES // 3 * 4 :]
    assert not any(accepted(dotted, use) for use in TokenUse)


@pytest.mark.parametrize("change", ["shorter", "longer", "padded", "standard alphabet", "spaced"])
def test_a_second_spelling_of_a_token_is_refused(change: str) -> None:
    text = sign_token(a_payload(token_id=uuid.UUID(int=2**128 - 1)), SECRET).track
    other = {
        "shorter": text[:-1],
        "longer": text + "A",
        "padded": text + "=",
        "standard alphabet": text.replace("_", "/").replace("-", "+"),
        "spaced": " " + text,
    }[change]
    assert other != text
    assert not accepted(other, TokenUse.TRACK)


def test_a_token_is_short_enough_for_any_address_bar() -> None:
    assert len(sign_token(a_payload(), SECRET).click) == TOKEN_CHARS == 205


@pytest.mark.parametrize(("life_s", "leeway"), [(60, 6_000), (600, 30_000), (86_400, 30_000)])
def test_leeway_is_a_tenth_of_the_life_and_bounded(life_s: int, leeway: int) -> None:
    assert leeway_ms(life_s) == leeway <= MAX_LEEWAY_S * 1000


def test_a_click_token_is_valid_longer_than_an_impression_token() -> None:
    payload = a_payload(issued_ms=0, life_s=600, click_life_s=14_400)
    assert payload.expires_ms(TokenUse.IMPRESSION) == payload.expires_ms(TokenUse.TRACK) == 630_000
    assert payload.expires_ms(TokenUse.CLICK) == 14_430_000


@pytest.mark.parametrize("vector", VECTORS["tokens"], ids=lambda vector: vector["name"])
def test_the_published_vectors_hold(vector: dict[str, Any]) -> None:
    payload = _payload_of(vector["payload"])
    texts = sign_token(payload, bytes.fromhex(VECTORS["secret_hex"]))
    assert {use.value: text_at(texts, use) for use in TokenUse} == vector["texts"]
    assert parse_token(texts.track)[1].hex() == vector["payload_hex"]


@pytest.mark.parametrize("text", VECTORS["refused"], ids=lambda item: item["name"])
def test_the_published_refusals_hold(text: dict[str, str]) -> None:
    secret = bytes.fromhex(VECTORS["secret_hex"])
    try:
        _, raw, tag = parse_token(text["text"])
    except TokenInvalid:
        return
    assert not verify_tag(raw, tag, TokenUse(text["door"]), secret)


def _payload_of(values: dict[str, Any]) -> TokenPayload:
    kinds = {"surface": Surface, "source": Source, "pricing_model": PricingModel, "format": Format}
    ids = {"token_id", "property_id", "slot_id", "ad_id", "campaign_id"}
    made: dict[str, Any] = {}
    for field in fields(TokenPayload):
        value = values[field.name]
        if field.name in kinds:
            made[field.name] = kinds[field.name](str(value))
        else:
            made[field.name] = uuid.UUID(str(value)) if field.name in ids else value
    return TokenPayload(**made)


@given(secret=st.binary(min_size=1, max_size=300), raw=st.binary(max_size=300))
def test_a_tag_is_cut_from_the_standard_hmac(secret: bytes, raw: bytes) -> None:
    tag = hmac.digest(secret, raw, "sha512")[:21]

    assert verify_tag(raw, tag, TokenUse.TRACK, secret)
