import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.decision.rules.kinds.language import MAX_LANGUAGES, languages_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("en-GB,en;q=0.9", ("en-gb", "en")),
        ("fr;q=0.3, de ; q=0.8 ,en", ("en", "de", "fr")),
        ("pt_BR", ("pt-br",)),
        ("zh-Hant-TW;q=1.000", ("zh-hant-tw",)),
        ("en-GB-u-ca-gregory;q=0.5, de-u-co-phonebk", ("de", "en-gb")),
        ("en-us-u-ca-gregory-co-phonebk-nu-latn-hc-h23-x-corp", ("en-us-x-corp",)),
        ("en-u-ca-gregory, en", ("en",)),
        ("x-corp", ("x-corp",)),
        ("*", ()),
        ("da, *;q=0.5", ("da",)),
        ("en;q=0, de;q=0.000", ()),
        ("en;q=2, de;q=-1, fr;q=0.1234, it;q=", ()),
        ("en, en;q=0.1", ("en",)),
        ("en;level=1", ("en",)),
        ("undefined, C, e n, é, en_US.UTF-8, \0", ("c",)),
        (",, ,;,;q=1", ()),
        ("", ()),
    ],
)
def test_tags_are_in_lower_case_by_preference(text: str, expected: tuple[str, ...]) -> None:
    assert languages_of(text) == expected


def test_a_very_long_list_is_cut() -> None:
    assert len(languages_of(",".join(f"a{letter}" for letter in "bcdefghijklmnopqrstuvwxyz"))) == (
        MAX_LANGUAGES
    )
    assert languages_of(" " * 1000 + "en") == ()


@given(st.text(alphabet="ende-_;q=01.,* \t\udcff\0", max_size=60))
def test_any_header_gives_tags_or_nothing(text: str) -> None:
    for tag in languages_of(text):
        assert tag == tag.lower()
        assert all(1 <= len(part) <= 8 and part.isascii() for part in tag.split("-"))
