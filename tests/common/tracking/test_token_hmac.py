"""What seals a token: HMAC as the standard library has it, and compiled as from source."""

import base64
import hmac
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.tracking.token_hmac import mac, prepare_key, sign_and_encode
from tests.support.source import source_of

_source = source_of("common.tracking.token_hmac")
_SECRETS = st.binary(max_size=300)
_VECTORS: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("hmac_sha512.json").read_text()
)
"""Of RFC 4231 and of NIST's CAVP, with keys below, at and above the length of a block; some MACs are truncated."""


@given(_SECRETS, st.binary(max_size=700))
def test_the_tag_is_hmac_sha_512(secret: bytes, raw: bytes) -> None:
    assert mac(prepare_key(secret), raw) == hmac.digest(secret, raw, "sha512")


@pytest.mark.parametrize("vector", _VECTORS, ids=[vector["source"] for vector in _VECTORS])
def test_the_tag_matches_the_published_mac(vector: dict[str, Any]) -> None:
    published = bytes.fromhex(vector["mac"])
    key = prepare_key(bytes.fromhex(vector["key"]))

    assert mac(key, bytes.fromhex(vector["message"]))[: len(published)] == published


@given(_SECRETS, st.integers(0, 200).flatmap(lambda n: st.binary(min_size=3 * n, max_size=3 * n)))
def test_the_text_is_base64url_of_payload_and_tags(secret: bytes, raw: bytes) -> None:
    text = sign_and_encode(prepare_key(secret), raw)
    whole = raw + hmac.digest(secret, raw, "sha512")[:63]
    assert b"".join(text) == base64.urlsafe_b64encode(whole)
    assert text == _source.sign_and_encode(_source.prepare_key(secret), raw)


def test_bytes_whose_text_would_need_padding_are_not_a_payload() -> None:
    with pytest.raises(ValueError, match="multiple of three"):
        sign_and_encode(prepare_key(b"secret"), b"1234")
