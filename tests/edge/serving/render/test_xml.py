"""Texts for XML documents."""

from xml.etree import ElementTree as ET

import pytest

from edge.serving.render.verifications import verifications
from edge.serving.render.xml import MarkedText, as_bytes

_MARKS = ("\x00a", "\x00b")


def test_each_mark_is_replaced_by_its_value() -> None:
    parts = ["before "]
    MarkedText("\x00a and \x00b, \x00a\x00b, é 中 😀.", _MARKS).append_to(parts, "one", "two")
    assert as_bytes(parts).decode() == "before one and two, onetwo, é 中 😀."


def test_texts_share_their_equal_pieces() -> None:
    """They are most of the documents of many ads."""
    first, second = list[str](), list[str]()
    MarkedText("1 \x00a the same in both", _MARKS).append_to(first, "x", "")
    MarkedText("2 \x00a the same in both", _MARKS).append_to(second, "x", "")
    assert first[0] != second[0]
    assert first[-1] is second[-1]


@pytest.mark.parametrize(
    "text", ["a]]>b", "]]>]]>", '{"k":"<v>&amp;"}', "[REASON]", " two\nlines "]
)
def test_the_parameters_of_a_script_reach_it_unchanged(text: str) -> None:
    script = {"vendor": "v", "javascript_url": "https://v.example/omid.js", "parameters": text}

    document = ET.fromstring(  # noqa: S314 - our own edge wrote it
        verifications({"verifications": [script]})
    )

    assert document.findtext(".//VerificationParameters") == text


def test_characters_that_xml_cannot_contain_are_left_out_of_parameters() -> None:
    """Of ads that were stored before they were refused."""
    script = {
        "vendor": "v",
        "javascript_url": "https://v.example/o.js",
        "parameters": "a\x01\x0b\ufffeb",
    }

    document = ET.fromstring(  # noqa: S314 - our own edge wrote it
        verifications({"verifications": [script]})
    )

    assert document.findtext(".//VerificationParameters") == "ab"
