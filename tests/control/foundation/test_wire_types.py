"""Fields that pydantic alone would read more kindly than the contract does."""

import re
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import StringConstraints, TypeAdapter, ValidationError

import control
from common.contract.validation_errors import PYDANTIC_TYPES
from control.foundation.languages import Language
from control.foundation.wire_types import (
    Distinct,
    Id,
    Instant,
    Limit,
    Lines,
    Name,
    Prose,
    QueryFlag,
    Timezone,
)

INSTANT: TypeAdapter[Any] = TypeAdapter(Instant)
LANGUAGE: TypeAdapter[Language] = TypeAdapter(Language)
IDS: TypeAdapter[list[str]] = TypeAdapter(Annotated[list[Id], Distinct])
FLAG: TypeAdapter[bool] = TypeAdapter(QueryFlag)
LIMIT: TypeAdapter[int] = TypeAdapter(Limit)
NAME: TypeAdapter[str] = TypeAdapter(Name)
TIMEZONE: TypeAdapter[str] = TypeAdapter(Timezone)
PROSE: TypeAdapter[str] = TypeAdapter(Annotated[str, Lines, StringConstraints(max_length=3), Prose])


@pytest.mark.parametrize(
    "value",
    [
        *("1700000000", "1700000000.5", 1700000000, "12:00Z", "now", "2026-03-01"),
        *("2026-03-01_00:00:00Z", "2026-03-01 00:00:00Z", "2026-03-01T00:00:00\u221201:00"),
    ],
)
def test_only_a_date_with_its_time_is_an_instant(value: object) -> None:
    with pytest.raises(ValidationError):
        INSTANT.validate_python(value)


@pytest.mark.parametrize(
    "value", ["2026-03-01T00:00:00Z", "2026-03-01T02:00:00.000+02:00", "2026-02-28T21:00:00-0300"]
)
def test_an_instant_arrives_in_utc(value: str) -> None:
    assert INSTANT.validate_python(value).isoformat() == "2026-03-01T00:00:00+00:00"


@pytest.mark.parametrize("value", ["pt-BR", "pt-br", "PT-br"])
def test_a_language_is_taken_in_either_case_and_answered_as_its_standard_writes_it(
    value: str,
) -> None:
    assert LANGUAGE.validate_python(value).value == "pt-BR"


@pytest.mark.parametrize("value", ["pt", "pt_BR", "", 5])
def test_a_language_without_pages_is_refused(value: object) -> None:
    with pytest.raises(ValidationError):
        LANGUAGE.validate_python(value)


def test_one_id_in_two_cases_is_one_id() -> None:
    one = "01940b3e-0000-7000-8000-0000000000c1"
    assert IDS.validate_python([one.upper()]) == [one]
    with pytest.raises(ValidationError):
        IDS.validate_python([one, one.upper()])


@pytest.mark.parametrize(
    "value", ["5.0", "1_0", " 5", "+5", "5 ", "１", "", "0", "101", "9" * 5000]
)
def test_a_limit_is_written_in_digits(value: str) -> None:
    with pytest.raises(ValidationError):
        LIMIT.validate_strings(value)


@pytest.mark.parametrize("value", ["1", "0", "yes", "on", "t", "True", "FALSE", " true", ""])
def test_a_flag_of_a_query_is_true_or_false(value: str) -> None:
    assert [FLAG.validate_strings(text) for text in ("true", "false")] == [True, False]
    with pytest.raises(ValidationError):
        FLAG.validate_strings(value)


def test_a_limit_reaches_from_1_to_100() -> None:
    assert [LIMIT.validate_strings(text) for text in ("1", "100")] == [1, 100]


def test_prose_has_lines_that_end_by_one_character() -> None:
    assert PROSE.validate_python("a\r\nb") == "a\nb"


@pytest.mark.parametrize("value", ["a\x00b", "a\rb", "\x1b", "a\nbc", 5, None])
def test_prose_holds_no_other_control_characters_and_no_more_than_it_may(value: object) -> None:
    with pytest.raises(ValidationError):
        PROSE.validate_python(value)


@pytest.mark.parametrize("code", [0x00, 0x1F, 0x7F, 0x80, 0x85, 0x9F])
def test_a_name_holds_no_control_character_of_either_half_of_latin_1(code: int) -> None:
    with pytest.raises(ValidationError):
        NAME.validate_python(f"a{chr(code)}b")


def test_a_name_is_of_any_letters() -> None:
    assert NAME.validate_python("\xa0Ça, 東京 😀 ") == "Ça, 東京 😀"


@pytest.mark.parametrize("name", ["America/Sao_Paulo", "UTC", "Etc/GMT+3"])
def test_a_time_zone_is_one_of_the_iana_database(name: str) -> None:
    assert TIMEZONE.validate_python(name) == name


@pytest.mark.parametrize("name", ["localtime", "Factory", "utc", "../etc/passwd", ""])
def test_the_machine_s_own_time_and_nobody_s_are_no_time_zones(name: str) -> None:
    with pytest.raises(ValidationError):
        TIMEZONE.validate_python(name)


def test_no_rule_of_ours_is_called_as_one_of_pydantics_whose_words_need_what_only_that_knows() -> (
    None
):
    named = re.compile(r'field_error\(\s*"(\w+)"')
    sources = Path(control.__path__[0]).rglob("*.py")
    own = {name for source in sources for name in named.findall(source.read_text())}

    assert len(own) > 20
    assert own & PYDANTIC_TYPES == set()
