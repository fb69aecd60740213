"""Forms taken apart as they arrive, however they are cut into pieces."""

from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control.foundation.http.multipart import (
    MultipartInvalid,
    MultipartParser,
    Part,
    parse_boundary,
)

PART = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: x/y\r\n\r\n'


def parts_of(pieces: list[bytes], boundary: bytes = b"b") -> list[tuple[Part, bytes]]:
    parser = MultipartParser(boundary)
    found: list[tuple[Part, bytes]] = []
    for piece in pieces:
        for event in parser.feed(piece):
            if isinstance(event, Part):
                found.append((event, b""))
            else:
                part, content = found[-1]
                found[-1] = (part, content + event)
    parser.finish()
    return found


def cut(body: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(body) + 1) for place in places), len(body)]
    return [body[start:end] for start, end in pairwise(edges)]


@given(
    contents=st.lists(
        st.binary(max_size=300) | st.sampled_from([b"\r\n--", b"\r\n--bx"[:5]]), max_size=4
    ),
    places=st.lists(st.integers(0, 5000), max_size=20),
)
def test_parts_are_parsed_alike_however_the_body_is_split(
    contents: list[bytes], places: list[int]
) -> None:
    boundary = b"a-boundary-that-no-content-holds"
    body = b"".join(
        b'--%b\r\ncontent-disposition: form-data; name="n%d"\r\n\r\n%b\r\n' % (boundary, n, content)
        for n, content in enumerate(contents)
    )
    body += b"--%b--\r\nan epilogue" % boundary

    found = parts_of(cut(body, places), boundary)

    assert [content for _, content in found] == contents
    assert [part.name for part, _ in found] == [f"n{n}" for n in range(len(contents))]


@given(st.binary(max_size=400), st.lists(st.integers(0, 400), max_size=5))
def test_any_bytes_are_parsed_or_refused(body: bytes, places: list[int]) -> None:
    with suppress(MultipartInvalid):
        assert parts_of(cut(PART + body, places))


def test_content_is_returned_before_its_end_is_known() -> None:
    parser = MultipartParser(b"b")
    events = list(parser.feed(PART + bytes(1_000_000)))

    content = b"".join(event for event in events if isinstance(event, bytes))
    assert len(content) > 999_900


@pytest.mark.parametrize(
    ("disposition", "name", "filename"),
    [
        ('form-data; name="file"; filename="a.png"', "file", "a.png"),
        ("FORM-DATA; NAME=file; filename=a.png", "file", "a.png"),
        ('form-data; name="a\\"b"', 'a"b', None),
        ('form-data; name="file"; filename="a%22b%0A.png"', "file", 'a"b\n.png'),
        ('form-data; name="file"; filename="é.png"', "file", "é.png"),
        ('form-data; name="file"; filename=""', "file", ""),
    ],
)
def test_field_names_are_read_in_every_notation_of_senders(
    disposition: str, name: str, filename: str | None
) -> None:
    body = f"--b\r\nContent-Disposition: {disposition}\r\n\r\n\r\n--b--".encode()

    assert parts_of([body]) == [(Part(name, filename), b"")]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--b",
        b"--bx\r\n",
        b"preamble\r\n--b--",
        b"--b\r\n\r\n\r\n--b--",
        b"--b\r\nContent-Disposition: attachment; name=a\r\n\r\n\r\n--b--",
        b"--b\r\nContent-Disposition: form-data\r\n\r\n\r\n--b--",
        b"--b\r\nContent-Disposition: form-data; name=\xff\r\n\r\n\r\n--b--",
        b"--b\r\nX: " + b"x" * 5000,
        PART + b"no end",
        (PART + b"\r\n") * 17 + b"--b--",
    ],
)
def test_a_body_that_is_not_a_form_is_refused(body: bytes) -> None:
    with pytest.raises(MultipartInvalid):
        parts_of([body])


@pytest.mark.parametrize(
    ("content_type", "boundary"),
    [
        ("multipart/form-data; boundary=abc", b"abc"),
        ('multipart/form-data; charset=x; boundary="a b"', b"a b"),
    ],
)
def test_the_boundary_is_read(content_type: str, boundary: bytes) -> None:
    assert parse_boundary(content_type) == boundary


@pytest.mark.parametrize(
    "given", ["", "boundary=", "boundary=é", f"boundary={'a' * 71}", 'boundary="a "']
)
def test_a_wrong_boundary_is_refused(given: str) -> None:
    with pytest.raises(MultipartInvalid):
        parse_boundary(f"multipart/form-data; {given}")
