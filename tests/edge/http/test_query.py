from urllib.parse import parse_qs

from hypothesis import given
from hypothesis import strategies as st

from edge.http.query import READ, parse_query


@given(st.text(alphabet="wh=&%+2f7;é0 ", max_size=40))
def test_it_finds_the_first_values_the_general_parser_finds(text: str) -> None:
    general = {name: values[0] for name, values in parse_qs(text).items() if name in READ}
    assert parse_query(text) == general


def test_an_encoded_name_is_the_same_name() -> None:
    assert parse_query("%6bey=a&key=b") == {"key": "a"}


def test_a_parameter_without_a_value_is_absent() -> None:
    assert parse_query("w=&h&=c&slot=1") == {"slot": "1"}
