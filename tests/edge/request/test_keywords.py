from common.values.errors import Detail
from edge.request.keywords import key_values_of, words_of


def test_words_are_trimmed_lower_and_counted_once() -> None:
    faults: list[Detail] = []
    assert words_of("keywords", " Trail Shoes,,RUN,run ,\u00c9t\u00e9", faults) == {
        "trail shoes",
        "run",
        "été",
    }
    assert not faults


def test_one_text_is_one_word_however_it_is_composed() -> None:
    faults: list[Detail] = []
    assert words_of("keywords", "Cafe\u0301,caf\u00e9,CAF\u00c9", faults) == {"caf\u00e9"}
    assert key_values_of([("place", "cafe\u0301"), ("place", "caf\u00e9")], faults) == {
        "place": frozenset({"caf\u00e9"})
    }
    assert not faults


def test_unusual_letters_are_words_too() -> None:
    faults: list[Detail] = []
    assert words_of("keywords", "👩‍👩‍👧,日本 語,a\u00adb", faults) == {
        "👩‍👩‍👧",
        "日本 語",
        "a\u00adb",
    }
    assert not faults


def test_an_error_is_reported_once_for_a_parameter() -> None:
    faults: list[Detail] = []
    key_values_of([("a", "x" * 129), ("a", "y" * 129), ("a", "\0z")], faults)
    assert [(fault.param, fault.code) for fault in faults] == [("kv.a", "too_long")]


def test_a_name_no_campaign_could_write_is_shown_cut_and_plain() -> None:
    faults: list[Detail] = []
    assert key_values_of([("\0" + "n" * 5000, "1")], faults) == {}
    assert [(fault.param, fault.code) for fault in faults] == [("kv.?" + "n" * 79, "invalid")]


def test_values_of_one_key_are_grouped() -> None:
    found = key_values_of([("a", "1"), ("b", " "), ("A", "2"), ("a", "1")], [])
    assert found == {"a": {"1", "2"}}
