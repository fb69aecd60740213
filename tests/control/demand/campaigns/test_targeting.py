"""What targeting may say."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from control.demand.campaigns.targeting import Targeting, as_shown


def refusals(value: dict[str, Any]) -> list[tuple[tuple[str | int, ...], str]]:
    with pytest.raises(ValidationError) as caught:
        Targeting.model_validate(value)
    return [(fault["loc"], fault["type"]) for fault in caught.value.errors()]


def test_every_kind_is_returned_as_it_was_set() -> None:
    text: dict[str, Any] = {
        "geo": {"include": [{"country": "br", "region": "sp"}], "exclude": [{"country": "ar"}]},
        "device": {"types": ["mobile"], "os": ["ios"], "browsers": ["safari"]},
        "languages": ["pt", "pt-br"],
        "dayparts": [{"days": ["mon", "sun"], "start": "08:00", "end": "24:00"}],
        "slots": {"include": ["01940b3e-0000-7000-8000-0000000000b2"]},
        "keywords": {"any": ["futebol"], "none": ["loss of life"]},
        "key_values": [{"key": "section", "op": "not_in", "values": ["sport"]}],
        "segments": {"exclude": ["buyers"]},
    }

    assert Targeting.model_validate(text).stored() == text


def test_empty_kinds_are_left_out() -> None:
    text: dict[str, Any] = {"geo": {}, "languages": [], "device": {"types": []}, "segments": None}

    assert Targeting.model_validate(text).stored() == {}


def test_an_unknown_kind_is_refused() -> None:
    assert refusals({"weather": {"include": ["rain"]}}) == [(("weather",), "extra_forbidden")]


@pytest.mark.parametrize("country", ["ZZ", "zz", "bra", ""])
def test_a_country_that_is_none_is_refused(country: str) -> None:
    found = refusals({"geo": {"include": [{"country": country}]}})

    assert found == [(("geo", "include", 0, "country"), "country_unknown")]


@pytest.mark.parametrize("write", [str.lower, str.upper])
def test_codes_are_taken_in_either_case_and_shown_as_their_standards_write_them(
    write: Callable[[str], str],
) -> None:
    area = {"country": write("br"), "region": write("sp")}
    tags = ["pt", "pt-br", "zh-hant-tw", "de-1996", "de-de-u-co-phonebk", "x-ab-cdef"]
    text = {"geo": {"include": [area]}, "languages": [write(tag) for tag in tags]}

    stored = Targeting.model_validate(text).stored()
    shown = as_shown(stored)

    assert stored == {
        "geo": {"include": [{"country": "br", "region": "sp"}]},
        "languages": tags,
    }
    assert shown == {
        "geo": {"include": [{"country": "BR", "region": "SP"}]},
        "languages": ["pt", "pt-BR", "zh-Hant-TW", "de-1996", "de-DE-u-co-phonebk", "x-ab-cdef"],
    }
    assert Targeting.model_validate(shown).stored() == stored


def test_one_code_in_two_cases_stands_twice() -> None:
    assert refusals({"languages": ["pt-BR", "pt-br"]})[0][1] == "duplicate"


def test_text_in_capitals_is_refused() -> None:
    assert refusals({"keywords": {"any": ["Futebol"]}})[0][1] == "not_lower_case"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ({"keywords": {"none": ["crime, war"]}}, "has_comma"),
        ({"segments": {"exclude": ["a,b"]}}, "has_comma"),
        ({"keywords": {"any": [" news"]}}, "not_trimmed"),
        ({"key_values": [{"key": "a", "op": "not_in", "values": ["x "]}]}, "not_trimmed"),
    ],
)
def test_values_that_no_request_can_have_are_refused(text: dict[str, Any], fault: str) -> None:
    assert [kind for _, kind in refusals(text)] == [fault]


def test_a_key_value_may_hold_a_comma() -> None:
    text = {"key_values": [{"key": "size", "op": "in", "values": ["1,5 l"]}]}

    assert Targeting.model_validate(text).stored() == text


@pytest.mark.parametrize(
    ("start", "end", "fault"),
    [
        ("22:00", "02:00", "daypart_order"),
        ("08:00", "08:00", "daypart_order"),
        ("8:00", "09:00", "string_pattern_mismatch"),
        ("08:00", "24:01", "string_pattern_mismatch"),
    ],
)
def test_a_daypart_lies_within_one_day(start: str, end: str, fault: str) -> None:
    found = refusals({"dayparts": [{"days": ["mon"], "start": start, "end": end}]})

    assert [kind for _, kind in found] == [fault]


def test_the_order_of_a_daypart_is_reported_with_the_errors_of_its_days() -> None:
    text = [{"days": ["noday"], "start": "10:00", "end": "09:00"}]

    assert refusals({"dayparts": text}) == [
        (("dayparts", 0, "days", 0), "enum"),
        (("dayparts", 0, "end"), "daypart_order"),
    ]


def test_a_closed_value_outside_its_set_is_refused() -> None:
    assert refusals({"device": {"os": ["beos"]}}) == [(("device", "os", 0), "enum")]


@pytest.mark.parametrize("tag", ["en-u-ca-gregory", "x-corp", "de-ch-1996-x-corp", "zh-hant"])
def test_any_language_tag_may_be_targeted(tag: str) -> None:
    assert Targeting.model_validate({"languages": [tag]}).stored() == {"languages": [tag]}


@pytest.mark.parametrize("tag", ["portuguese", "en-u", "en_us", "", "en-x"])
def test_an_invalid_language_tag_is_refused(tag: str) -> None:
    assert refusals({"languages": [tag]}) == [(("languages", 0), "string_pattern_mismatch")]


def test_keywords_are_normalised_as_in_requests() -> None:
    text = {
        "keywords": {"any": ["cafe\u0301"]},
        "key_values": [{"key": "place", "op": "in", "values": ["cafe\u0301"]}],
        "segments": {"include": ["cafe\u0301"]},
    }

    stored = Targeting.model_validate(text).stored()
    assert "cafe\u0301" not in str(stored)
    assert str(stored).count("caf\u00e9") == 3
    twice = {"keywords": {"any": ["cafe\u0301", "caf\u00e9"]}}
    assert refusals(twice) == [(("keywords", "any"), "duplicate")]


def test_a_value_named_twice_is_refused() -> None:
    assert refusals({"languages": ["pt", "pt"]}) == [(("languages",), "duplicate")]
