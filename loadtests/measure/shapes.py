"""Inputs of a given size that keep a parser busy."""

import base64
import random

from common.http.head import MAX_HEAD_BYTES
from control.inventory.domain_verification.tags import tag_for

QUERY = MAX_HEAD_BYTES - 64
"""A parameter or a header can be no longer than the whole head."""


def filled(piece: bytes, size: int, start: bytes = b"", end: bytes = b"") -> bytes:
    return start + piece * ((size - len(start) - len(end)) // len(piece)) + end


def json_shapes(size: int) -> list[bytes]:
    """
    Shapes of a JSON object, some with as many values or fields as a body may have, and long ones if
    there is room.
    """
    pairs = b'{"targeting":{"key_values":['
    names = b",".join(b'"%x":1' % number for number in range(size // 10))
    wrong = b'{"key":1,"op":2,"values":[' + filled(b"1,", 1000) + b"1]}"
    return [
        filled(b"{},", size, b'{"name":[', b"1]}"),
        filled(b"[],", size, b'{"name":[', b"1]}"),
        filled(b"1,", size, b'{"name":[', b"1]}"),
        filled(b'"a",', size, b'{"property_ids":[', b"1]}"),
        filled(rb'"\u0000",', size, b'{"name":[', b"1]}"),
        filled(b'{"a":1,"a":1},', size, b'{"name":[', b"1]}"),
        filled(wrong + b",", size, pairs, b"1]}}"),
        filled(b'"a":1,', size, b"{", b'"a":1}'),
        b"{" + names + b"}",
        filled(b"[", size // 2),
        filled(b"9", size),
        filled(b"{},", min(size, 58_000), b'{"name":[', b"1]}"),
        filled(b'"' + b"a" * 40 + b'",', min(size, 850_000), b'{"property_ids":[', b"1]}"),
        b'{"name":"a",'
        + b",".join(b'"%x":"%b"' % (n, b"a" * 100) for n in range(min(size // 120, 4_900)))
        + b"}",
        filled(rb'"\\\\",', size, b'{"name":[', b"1]}"),
        filled(rb"\"", size, b'{"name":"', b'"}'),
        filled(rb"\ud83d\ude00", size, b'{"name":"', b'"}'),
        filled(b"<a{click_url}>", size, b'{"format":"html","content":{"html":"', b'"}}'),
    ]


def texts(start: str) -> list[bytes]:
    """*start* followed by base64: random, all zeros, all ones; long, and as long as the parsers accept."""
    chance = random.Random(7)
    raws = [chance.randbytes(QUERY) for _ in range(100)] + [bytes(QUERY), b"\xff" * QUERY]
    raws += [bytes([one]) + bytes(QUERY) for one in range(256)]
    encoded = [start.encode() + base64.urlsafe_b64encode(raw).rstrip(b"=") for raw in raws]
    return [text[:size] for text in encoded for size in (500, 2000, QUERY - 3)]


def tc_strings() -> list[bytes]:
    """As many ranges of vendors as fit in strings of several lengths, and then as many restrictions."""
    head = f"{2:06b}{1:036b}{1:036b}{1:012b}{1:012b}{1:06b}{0:012b}{1:012b}{4:06b}00{0:012b}{0:048b}0{0:012b}"
    vendor, found = "1" + f"{1:016b}{65_535:016b}", []
    for chars in (500, 1300, 2000, QUERY - 100):
        ranges = (chars * 6 - len(head) - 70) // len(vendor)
        counted = f"{65_535:016b}1{ranges:012b}{vendor * ranges}"
        nobody = f"{0:016b}0"
        one = f"{1:06b}01{1:012b}{vendor}"
        limits = (chars * 6 - len(head) - 70) // len(one)
        for bits in (
            f"{head}{counted}{nobody}{0:012b}",
            f"{head}{nobody}{counted}{0:012b}",
            f"{head}{nobody}{nobody}{limits:012b}{one * limits}",
        ):
            whole = bits + "0" * (-len(bits) % 24)
            raw = int(whole, 2).to_bytes(len(whole) // 8, "big")
            found.append(base64.urlsafe_b64encode(raw))
    return found


def page_shapes(size: int) -> list[bytes]:
    pieces = (
        b"<div>",
        b"<a><div></a>",
        b"<meta a=b>",
        b"<!---->",
        b"<!--",
        b"<meta a='",
        b"<",
        b"<template>",
    )
    inside = (b"a ", b"=", b"/ ", b"a=b ", b"a='b'")
    shapes = [filled(piece, size) for piece in pieces]
    shapes += [filled(piece, size, b"<meta ") for piece in inside]
    shapes += [
        filled(piece, size, b"<template>") for piece in (b"< ", b"<x ", b"<script></script>")
    ]
    return [*shapes, filled(b"</scrip", size, b"<script>"), filled(tag_for("t").encode(), size)]


def agent_shapes() -> list[bytes]:
    """Of several lengths, because some parsers skip long ones."""
    return [shape for size in (250, 500, 1000, 2000, QUERY) for shape in _agents(size)]


def _agents(size: int) -> list[bytes]:
    words = [b"a", b" ", b"(", b"; ", b"/", b"1.", b"a/1 ", b"bot ", b"Build/", b"Mozilla/5.0 "]
    words += [
        b"Android ",
        b"Android 1; ",
        b"Version/1 ",
        b"CPU OS 1_",
        b"AppleWebKit/537.36 (KHTML) ",
    ]
    return [filled(word, size) for word in words] + [
        filled(word, size, b"Mozilla/5.0 (Linux; Android 14; ", b") Safari/1") for word in words
    ]


def head_shapes(size: int) -> list[bytes]:
    start = b"GET /v1/serve?slot=top HTTP/1.1\r\nHost: a\r\n"
    return [
        filled(b"a: b\r\n", size, start),
        filled(b"a" * 9 + b":\t\t\r\n", size, start),
        filled(b"\xe9", size, start + b"a: "),
        filled(b" ", size, start + b"a:", b"\n"),
        filled(b"a", size, b"GET http://", b" HTTP/1.1\r\nHost: a"),
        filled(b"\r\n", size),
    ]


def form_shapes(size: int) -> list[bytes]:
    return [
        filled(piece, size) for piece in (b"a=&", b"%61=%C3%A9&", b"&", b"%", b"+", b"a=b&", b"=;&")
    ]


def multipart_shapes(size: int) -> list[bytes]:
    head = b'--b\r\nContent-Disposition: form-data; name="'
    return [
        filled(head + b'a"\r\n\r\n\r\n', size),
        filled(b"\r\n--", size, head + b'a"\r\n\r\n'),
        filled(b"\\", 4000, head),
        filled(b'; a="', 4000, head),
        filled(b"%41", 4000, head + b'a"; filename="', b'"\r\n\r\n'),
    ]
