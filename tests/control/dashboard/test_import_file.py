"""A file of campaigns is split into lines and columns, and refused where these are not clear."""

import pytest

from common.values.errors import Refused
from control.dashboard.campaigns.import_file import (
    COLUMNS,
    MAX_LINES,
    USUAL_COLUMNS,
    parse_file,
)
from control.dashboard.campaigns.labels import IMPORT_COLUMNS


def _values(text: str) -> list[dict[str, str]]:
    file = parse_file(text)
    return [dict(file.values_of(line)) for line in file.lines]


def test_a_file_without_a_heading_has_the_usual_columns() -> None:
    assert _values("4711,Spring,250,2027-03-01T00:00:00Z,\n\n4712,Summer,300,,\n") == [
        {
            "external_ref": "4711",
            "name": "Spring",
            "bid_cents": "250",
            "start_at": "2027-03-01T00:00:00Z",
        },
        {"external_ref": "4712", "name": "Summer", "bid_cents": "300"},
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_heading_names_the_columns_in_any_order_and_case(delimiter: str) -> None:
    rows = [["Name", " budget.total_cents", "EXTERNAL_REF"], ["Spring", "5000", "4711"]]
    text = "\ufeff" + "\r\n".join(delimiter.join(row) for row in rows)

    assert _values(text) == [
        {"name": "Spring", "budget.total_cents": "5000", "external_ref": "4711"}
    ]


def test_a_quoted_value_may_hold_delimiters_and_line_breaks() -> None:
    (found,) = _values('name,external_ref\n"Spring, ""early""\nand late",4711\n')

    assert found == {"name": 'Spring, "early"\nand late', "external_ref": "4711"}


def test_a_line_has_its_number_in_the_file() -> None:
    file = parse_file('external_ref,name\n1,"Spring\nsale"\n\n2,Summer\n')

    assert [one.number for one in file.lines] == [2, 5]


def test_separators_after_the_last_value_are_no_values() -> None:
    assert _values("external_ref;name;;\n4711;Spring;;\n") == [
        {"external_ref": "4711", "name": "Spring"}
    ]


def test_a_line_with_more_values_than_columns_is_refused_alone() -> None:
    file = parse_file("external_ref,name\n4711,Spring\n4712,Summer,Sale\n")

    assert file.values_of(file.lines[0]) == {"external_ref": "4711", "name": "Spring"}
    with pytest.raises(Refused, match="3 values for 2 columns"):
        file.values_of(file.lines[1])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Paste the lines"),
        (" \n,,\n", "Paste the lines"),
        ("external_ref,name\n", "Paste the lines"),
        ("external_ref,title\n1,Spring", "Unknown columns: title"),
        ("external_ref,,name\n1,2,3", "Unknown columns: –"),
        ("name,external_ref,name\n1,2,3", "column name is there twice"),
        ("1,a,2\n" * (MAX_LINES + 1), "There are 501 lines"),
        ("name\n" + "x" * 200_000, "Line 2 cannot be read"),
        ('external_ref,name\n1,Spring\n2,"Summer\n3,Autumn\n4,Winter\n', "Line 3 cannot be read"),
    ],
)
def test_a_file_that_is_not_clear_is_refused(text: str, words: str) -> None:
    with pytest.raises(Refused, match=words) as refusal:
        parse_file(text)

    assert refusal.value.param == "lines"


@pytest.mark.parametrize("text", ['external_ref;name\n1;"a;b"\n2;c\n', "1,a,250\n2,b,300\n"])
def test_some_lines_make_a_file_that_reads_the_same(text: str) -> None:
    file = parse_file(text)
    again = parse_file(file.text_of(file.lines[:1]))

    assert again.values_of(again.lines[0]) == file.values_of(file.lines[0])
    assert file.text_of([]) == ""


def test_every_column_has_words() -> None:
    assert set(IMPORT_COLUMNS) == set(COLUMNS)
    assert set(USUAL_COLUMNS) <= set(COLUMNS)


@pytest.mark.parametrize("heading", ["", "name\n"])
def test_of_a_very_long_file_all_lines_are_counted(heading: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_file(heading + "a\n" * 100_000)

    (detail,) = refused.value.details
    assert "100,000 lines" in str(detail.message)


def test_the_most_lines_are_taken_below_a_heading() -> None:
    assert len(parse_file("name\n" + "a\n" * MAX_LINES).lines) == MAX_LINES
