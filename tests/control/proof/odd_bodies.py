"""Bodies that start as a good one and go wrong: Hypothesis changes a few places, or the bytes themselves."""

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

Step = str | int
_DEEP = 20_000

_any_text = st.text(st.characters(codec=None), max_size=40)
"""Lone surrogates, NUL, right-to-left marks and all."""
_odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.integers(-(10**40), 10**40),
    st.sampled_from([2**31, 2**53, 2**63, 2**64, -(2**63) - 1, 10**308]),
    st.floats(),
    _any_text,
    st.sampled_from(
        ["", " ", "a\0b", "\ud800", "\U0001f4a5" * 300, "x" * 100_000, "2026-13-45T99:99:99Z"]
    ),
    st.sampled_from(["https://[", "https://a.example:99999999/", "-1", "1e5", "null", "%00"]),
    st.recursive(
        st.none() | st.integers() | _any_text,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_any_text, inner, max_size=4),
        max_leaves=8,
    ),
)
_RAW = (
    b"",
    b"null",
    b"[]",
    b'"text"',
    b"0",
    b"{",
    b'{"a":1}{',
    b"\xff\xfe{}",
    b"\xef\xbb\xbf{}",
    b"[" * _DEEP,
    b'{"a":' * _DEEP + b"1" + b"}" * _DEEP,
    b'{"name": "a", "name": "b"}',
    b'{"name": "\xed\xa0\x80"}',
    b'{"name": NaN}',
    b'{"name": 1e999}',
    b"{'name': 1}",
    b'{"__proto__": {"a": 1}, "": null}',
)


def odd_bodies(good: Any, count: int) -> list[bytes]:
    """The fixed oddities, and *count* bodies that are *good* but for one to three places. The same in every run."""
    found: list[bytes] = list(_RAW)

    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=True,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def collect(data: st.DataObject) -> None:
        body = copy.deepcopy(good)
        for _ in range(data.draw(st.integers(1, 3))):
            body = _changed(body, data)
        found.append(_encoded(body))

    collect()
    return list(dict.fromkeys(found))


def _changed(body: Any, data: st.DataObject) -> Any:
    place = data.draw(st.sampled_from(list(_places(body, ()))))
    act = data.draw(st.sampled_from(("replace", "replace", "replace", "remove", "add", "wrap")))
    if act == "wrap" or not place:
        return [body] if act == "wrap" and not place else _set(body, place, data.draw(_odd))
    *above, last = place
    parent = body
    for step in above:
        parent = parent[step]
    match act:
        case "remove":
            del parent[last]
        case "add" if isinstance(parent, dict):
            parent[data.draw(_any_text)] = data.draw(_odd)
        case _:
            parent[last] = data.draw(_odd)
    return body


def _set(body: Any, place: tuple[Step, ...], value: Any) -> Any:
    if not place:
        return value
    parent = body
    for step in place[:-1]:
        parent = parent[step]
    parent[place[-1]] = [parent[place[-1]], value]
    return body


def _places(value: Any, path: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    yield path
    match value:
        case dict():
            for name, inner in value.items():
                yield from _places(inner, (*path, name))
        case list():
            for number, inner in enumerate(value):
                yield from _places(inner, (*path, number))
        case _:
            pass


def _encoded(body: Any) -> bytes:
    """Surrogates as escapes; NaN and infinities as JavaScript writes them, which JSON does not know."""
    return json.dumps(body).encode()
