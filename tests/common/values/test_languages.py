"""Language tags: which are well formed, and what of them is compared."""

import re

import pytest

from common.values.languages import LOCALE, TAG, without_extensions


@pytest.mark.parametrize(
    ("tag", "compared"),
    [
        ("pt", "pt"),
        ("zh-hant-tw", "zh-hant-tw"),
        ("de-1901", "de-1901"),
        ("en-u-ca-gregory", "en"),
        ("th-th-u-nu-thai-t-en-us", "th-th"),
        ("de-de-u-co-phonebk-x-corp", "de-de-x-corp"),
        ("en-x-a-bc", "en-x-a-bc"),
        ("x-a-bc", "x-a-bc"),
    ],
)
def test_extensions_are_not_compared(tag: str, compared: str) -> None:
    assert re.fullmatch(TAG, tag)
    assert re.fullmatch(LOCALE, tag.upper().replace("-", "_"))
    assert without_extensions(tag) == compared


@pytest.mark.parametrize(
    "tag", ["", "e", "english", "en-", "en-u", "en-x", "x", "en-u-a", "en--us", "en us", "-en"]
)
def test_an_invalid_tag_is_none(tag: str) -> None:
    assert not re.fullmatch(TAG, tag)
    assert not re.fullmatch(LOCALE, tag)
