"""The fields of video and audio ads that only VAST documents have a place for."""

from typing import Any

import pytest
from pydantic import ValidationError

from common.values.enums import Format
from control.demand.ads.content import parse_content
from tests.edge.endpoints.players import SOUND, VIDEO, WHOLE, WRAPPER


def _stored(ad_format: Format, content: dict[str, Any]) -> dict[str, Any]:
    stored: dict[str, Any] = parse_content(ad_format, content).model_dump(mode="json")
    return stored


def test_every_field_is_stored_as_it_was_sent() -> None:
    assert _stored(Format.VIDEO, WHOLE) == WHOLE
    wrapper = WRAPPER | {"verifications": WHOLE["verifications"]}
    assert _stored(Format.VIDEO, wrapper) == wrapper | {"skip_offset_ms": None}


def test_fields_that_are_not_set_are_left_out() -> None:
    plain = {"media": [VIDEO]}

    assert _stored(Format.VIDEO, plain) == plain | {"skip_offset_ms": None}
    assert _stored(Format.AUDIO, {"media": [SOUND]}) == {"media": [SOUND], "companion": None}


_ICON = WHOLE["icons"][0]


@pytest.mark.parametrize(
    ("content", "place", "code"),
    [
        ({}, "media", "media_or_wrapper"),
        ({"media": []}, "media", "media_or_wrapper"),
        ({"media": [VIDEO]} | WRAPPER, "media", "media_or_wrapper"),
        (WRAPPER | {"icons": [_ICON]}, "", "not_of_wrapper"),
        (WRAPPER | {"skip_offset_ms": 5_000}, "", "not_of_wrapper"),
        (
            {"wrapper": WRAPPER["wrapper"] | {"url": "http://other.example/"}},
            "wrapper.url",
            "url_not_https",
        ),
        (WHOLE | {"companions": WHOLE["companions"] * 11}, "companions", "too_long"),
        (
            WHOLE | {"verifications": [{"vendor": "v"}]},
            "verifications.0.javascript_url",
            "missing",
        ),
        (
            WHOLE | {"icons": [_ICON | {"x_position": "middle"}]},
            "icons.0.x_position",
            "string_pattern_mismatch",
        ),
    ],
)
def test_bad_content_is_refused_where_it_is(content: dict[str, Any], place: str, code: str) -> None:
    with pytest.raises(ValidationError) as raised:
        parse_content(Format.VIDEO, content)

    faults = [(".".join(map(str, one["loc"])), one["type"]) for one in raised.value.errors()]
    assert faults == [(place, code)]


@pytest.mark.parametrize("character", ["\x00", "\x01", "\x0b", "\x1f", "\ufffe", "\uffff"])
def test_parameters_of_a_script_may_only_contain_what_xml_can(character: str) -> None:
    script = {
        "vendor": "v",
        "javascript_url": "https://v.example/o.js",
        "parameters": f"a{character}",
    }

    with pytest.raises(ValidationError) as refused:
        parse_content(Format.VIDEO, {"media": [VIDEO], "verifications": [script]})

    (error,) = refused.value.errors()
    assert (error["loc"], error["type"]) == (
        ("verifications", 0, "parameters"),
        "control_character",
    )
