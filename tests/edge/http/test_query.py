from urllib.parse import parse_qs, parse_qsl

from hypothesis import given
from hypothesis import strategies as st

from common.contract.edge_queries import ServeQuery
from edge.request.query import ONLY_FOR_DEBUG, READ, parse_query

PIECES = st.sampled_from(
    ("w", "h", "kv.", "kv.a", "%6bv.b", "=", "&", "%", "+", "2f", "%26", ";", "é", "%ff", "0", " ")
)


@given(st.lists(PIECES, max_size=20).map("".join))
def test_the_parser_agrees_with_the_general_parser(text: str) -> None:
    found, general = parse_query(text), parse_qs(text)
    assert found.values == {name: values[0] for name, values in general.items() if name in READ}
    pairs = [(name[3:], value) for name, value in parse_qsl(text) if name.startswith("kv.")]
    assert list(found.key_values) == pairs


def test_every_described_parameter_is_read() -> None:
    names = {field.alias or name for name, field in ServeQuery.model_fields.items()} - {"kv"}
    assert names - READ == ONLY_FOR_DEBUG
    assert parse_query("&".join(f"{name}=1" for name in names)).values.keys() == names


def test_a_url_is_read_and_is_in_no_cache_key() -> None:
    query = parse_query("slot=a&url=https%3A%2F%2Fnews.example%2Fa&url=b")
    assert query.values == {"slot": "a", "url": "https://news.example/a"}
    assert query.stable == ("slot=a",)


def test_an_encoded_name_is_the_same_name() -> None:
    assert parse_query("%6bey=a&key=b").values == {"key": "a"}


def test_lists_may_be_repeated() -> None:
    found = parse_query(
        "keywords=a,b&slot=1&keywords=&keywords=c%2Cd&segments=x&segments=y&lang=pt&lang=en"
    )
    assert found.values == {"keywords": "a,b,c,d", "slot": "1", "segments": "x,y", "lang": "pt"}


def test_a_parameter_without_a_value_is_absent() -> None:
    assert parse_query("w=&h&=c&slot=1").values == {"slot": "1"}


def test_a_consent_signal_that_contradicts_itself_keeps_both_values() -> None:
    query = parse_query("gdpr=0&slot=a&gdpr=%31&gdpr=1&gdpr=2&slot=b&coppa=1&coppa=1")
    assert query.values == {"gdpr": ",0,1", "slot": "a", "coppa": "1"}
    assert query.stable == ("gdpr=0", "slot=a", "gdpr=%31", "coppa=1")


def test_all_sections_that_are_named_apply() -> None:
    assert parse_query("gpp_sid=7&gpp_sid=8,9&gpp_sid=10").values == {"gpp_sid": "7,8,9,10"}
