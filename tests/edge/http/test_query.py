from urllib.parse import parse_qs

from hypothesis import given
from hypothesis import strategies as st

from edge.http.query import parse_query


@given(st.text(alphabet="ab=&%+2f;é0", max_size=40))
def test_it_finds_the_first_values_the_general_parser_finds(text: str) -> None:
    assert parse_query(text) == {name: values[0] for name, values in parse_qs(text).items()}


def test_a_parameter_without_a_value_is_absent() -> None:
    assert parse_query("a=&b&=c&d=1") == {"": "c", "d": "1"}
