"""
``make measure-parsers``: every parser that reads a stranger's bytes, and its worst time over shapes made to be slow, at
the most bytes that reach it. The bar is 50 ms on the event loop; `docs/threat-model.md` has the table.

A parser not listed here, and one whose worst shape is missing, is a fault of this file.
"""

import base64
import random
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from common.errors import ApiError
from common.http.client_address import address_behind
from common.http.head import HeadInvalid, check_head, to_origin_form
from common.http.quick_head import HeadReader
from common.http.quick_post import PostReader
from common.http.strict_http import MAX_HEAD_BYTES
from common.ivt.robots import find_robot_rule
from common.keys import find_key_text
from common.privacy.gpp import read_gpp, read_section_ids
from common.privacy.reduce import find_origin
from common.privacy.tcf import read_tc_string
from common.privacy.us import read_us_national, read_us_privacy
from common.privacy.user_agent import parse_user_agent
from common.tracking.token import parse_token
from control.ads.schemas import AdCreate
from control.assets.sniff import sniff
from control.campaigns.schemas import CampaignCreate
from control.embed.origins import parse_origin
from control.hosts import ascii_host, parse_public_host
from control.http.faults import refusal_of
from control.http.json_body import check_text, parse_json
from control.http.multipart import MultipartInvalid, MultipartParser
from control.verification.tags import MOST_BYTES, find_tags, tag_for
from control.web.form_fields import parse_fields
from control.web.wording import choose_wording
from edge.http.query import parse_query
from edge.opportunity.device import device_of
from edge.opportunity.languages import languages_of
from edge.opportunity.words import words_of
from edge.tracking.conversion_body import parse_conversion_body, parse_conversion_query
from edge.tracking.track_bodies import parse_track_bodies
from edge.tracking.track_body import parse_track_body
from loadtests.bench.report import Report

BAR_MS = 50.0
_TRIES = 3
_REFUSALS = (ApiError, HeadInvalid, MultipartInvalid, PydanticCustomError, ValueError)
_KIB = 1024


@dataclass(frozen=True, slots=True)
class Parser:
    """
    *where*: ``loop``, or ``thread`` where it is run off the loop. *salt*: is put behind a shape to make it another one,
    for some parsers remember what they have read.
    """

    name: str
    most_bytes: int
    where: str
    parse: Callable[[bytes], object]
    shapes: Iterable[bytes]
    salt: bytes = b" "


def filled(piece: bytes, size: int, start: bytes = b"", end: bytes = b"") -> bytes:
    return start + piece * ((size - len(start) - len(end)) // len(piece)) + end


def as_text(parse: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda raw: parse(raw.decode("latin-1"))


def as_utf8(parse: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda raw: parse(raw.decode("utf-8", "replace"))


def json_of(model: type[BaseModel]) -> Callable[[bytes], object]:
    """As the management API does: parse, check, validate, and word what is wrong."""

    def parse(raw: bytes) -> object:
        fields = parse_json(raw)
        check_text(fields, "body")
        try:
            return model.model_validate(fields)
        except ValidationError as error:
            return refusal_of(error, fields)

    return parse


def json_shapes(size: int) -> list[bytes]:
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
        filled(rb'"\\\\",', size, b'{"name":[', b"1]}"),
        filled(rb"\"", size, b'{"name":"', b'"}'),
        filled(rb"\ud83d\ude00", size, b'{"name":"', b'"}'),
        filled(b"<a{click_url}>", size, b'{"format":"html","content":{"html":"', b'"}}'),
    ]


def texts(start: str) -> list[bytes]:
    """Base64 behind *start*: by chance, all zeros, all ones; long and as long as the parsers take."""
    chance = random.Random(7)
    raws = [chance.randbytes(QUERY) for _ in range(100)] + [bytes(QUERY), b"\xff" * QUERY]
    raws += [bytes([one]) + bytes(QUERY) for one in range(256)]
    encoded = [start.encode() + base64.urlsafe_b64encode(raw).rstrip(b"=") for raw in raws]
    return [text[:size] for text in encoded for size in (500, 2000, QUERY - 3)]


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
    """Of several lengths, for some parsers read no long ones."""
    return [shape for size in (250, 500, 1000, 2000, QUERY) for shape in _agents(size)]


def _agents(size: int) -> list[bytes]:
    words = (
        b"a",
        b" ",
        b"Mozilla/5.0 ",
        b"(",
        b"Android ",
        b"Android 1; ",
        b"; ",
        b"/",
        b"1.",
        b"Version/1 ",
    )
    words += (b"AppleWebKit/537.36 (KHTML, like Gecko) ", b"bot ", b"CPU OS 1_", b"Build/", b"a/1 ")
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


def parse_multipart(raw: bytes) -> None:
    parser = MultipartParser(b"b")
    for at in range(0, len(raw), 16_384):
        list(parser.feed(raw[at : at + 16_384]))


def parse_quick_head(raw: bytes) -> object:
    return HeadReader().find_get(raw)


def parse_quick_post(raw: bytes) -> object:
    reader = PostReader("/v1/track", max_head_bytes=MAX_HEAD_BYTES, max_body_bytes=16_384)
    return reader.find(raw.replace(b"GET /v1/serve?slot=top", b"POST /v1/track") + b"\r\n\r\n")


def parse_head(raw: bytes) -> None:
    buffer = bytearray(raw + b"\r\n\r\n")
    check_head(buffer, to_origin_form(buffer, len(raw)))


QUERY = MAX_HEAD_BYTES - 64
"""A parameter has no more than the whole head."""

EVENT = b'{"token":"' + b"a" * 200 + b'","event":"impression","x":1},'
HOSTS = [filled(piece.encode(), QUERY) for piece in ("é", "a.", "é.", "xn--a", "ß", "\u0627")]

PARSERS = (
    Parser("HTTP head", MAX_HEAD_BYTES, "loop", parse_head, head_shapes(MAX_HEAD_BYTES)),
    Parser(
        "HTTP head, short way",
        MAX_HEAD_BYTES,
        "loop",
        parse_quick_head,
        head_shapes(MAX_HEAD_BYTES),
    ),
    Parser(
        "HTTP head, short way of posts",
        MAX_HEAD_BYTES,
        "loop",
        parse_quick_post,
        head_shapes(MAX_HEAD_BYTES),
    ),
    Parser(
        "X-Forwarded-For",
        QUERY,
        "loop",
        as_text(lambda text: address_behind("::1", text, 1)),
        [filled(b"1,", QUERY), filled(b":", QUERY)],
    ),
    Parser("query of the edge", QUERY, "loop", as_text(parse_query), form_shapes(QUERY)),
    Parser(
        "words of a query",
        QUERY,
        "loop",
        as_utf8(lambda text: words_of("keywords", text, [])),
        [filled(b"a,", QUERY), filled("\u0344".encode(), QUERY), filled("\ufdfa".encode(), QUERY)],
    ),
    Parser(
        "Accept-Language of the edge",
        QUERY,
        "loop",
        as_text(languages_of),
        [filled(piece, size) for piece in (b"a;q=0.1,", b";") for size in (250, 1000, QUERY)],
    ),
    Parser(
        "Accept-Language of pages",
        QUERY,
        "loop",
        as_text(lambda text: choose_wording(None, text)),
        [filled(piece, size) for piece in (b"a;q=0.1,", b";") for size in (250, 1000, QUERY)],
    ),
    Parser(
        "Referer and Origin",
        QUERY,
        "loop",
        as_text(find_origin),
        [
            filled(b"[", QUERY, b"https://"),
            filled(b"a.", QUERY, b"https://"),
            filled(b"@", QUERY, b"https://"),
        ],
    ),
    Parser("user agent: device", QUERY, "loop", as_text(device_of), agent_shapes()),
    Parser("user agent: robots", QUERY, "loop", as_text(find_robot_rule), agent_shapes()),
    Parser("user agent: family", QUERY, "loop", as_text(parse_user_agent), agent_shapes()),
    Parser(
        "consent: TC string",
        QUERY,
        "loop",
        as_text(read_tc_string),
        texts("CP"),
        salt=b"A",
    ),
    Parser(
        "consent: GPP string",
        QUERY,
        "loop",
        as_text(read_gpp),
        [*texts("DB"), filled(b"~A", 2048, b"DBABMA")],
        salt=b"A",
    ),
    Parser(
        "consent: GPP sections",
        QUERY,
        "loop",
        as_text(read_us_national),
        texts("B"),
        salt=b"A",
    ),
    Parser(
        "consent: gpp_sid, us_privacy",
        QUERY,
        "loop",
        as_text(lambda text: (read_section_ids(text), read_us_privacy(text))),
        [filled(b"1,", QUERY), filled(b"1YNN", QUERY)],
    ),
    Parser(
        "keys and tokens",
        QUERY,
        "loop",
        as_text(lambda text: (find_key_text(text), parse_token(text))),
        texts("pk_live_"),
        salt=b"A",
    ),
    Parser(
        "query of the conversion pixel",
        QUERY,
        "loop",
        as_text(parse_conversion_query),
        form_shapes(QUERY),
    ),
    Parser(
        "body of track",
        16 * _KIB,
        "loop",
        lambda raw: parse_track_body(raw, believed=True),
        json_shapes(16 * _KIB),
    ),
    Parser(
        "body of a batch of track",
        64 * _KIB,
        "loop",
        lambda raw: parse_track_bodies(raw, believed=True),
        [*json_shapes(64 * _KIB), filled(EVENT, 64 * _KIB, b'{"events":[', b"{}]}")],
    ),
    Parser(
        "body of a conversion",
        16 * _KIB,
        "loop",
        lambda raw: parse_conversion_body(raw, 0, None),
        json_shapes(16 * _KIB),
    ),
    Parser("JSON body, usual", 64 * _KIB, "loop", json_of(CampaignCreate), json_shapes(64 * _KIB)),
    Parser(
        "JSON body of a campaign",
        1024 * _KIB,
        "thread",
        json_of(CampaignCreate),
        json_shapes(1024 * _KIB),
    ),
    Parser(
        "JSON body of an ad", 1024 * _KIB, "thread", json_of(AdCreate), json_shapes(1024 * _KIB)
    ),
    Parser("form of a page, usual", 64 * _KIB, "loop", parse_fields, form_shapes(64 * _KIB)),
    Parser("form of a page, large", 1024 * _KIB, "thread", parse_fields, form_shapes(1024 * _KIB)),
    Parser("multipart, a piece", 256 * _KIB, "loop", parse_multipart, multipart_shapes(256 * _KIB)),
    Parser("host names", QUERY, "loop", as_utf8(parse_public_host), HOSTS),
    Parser("hosts of addresses", QUERY, "loop", as_utf8(ascii_host), HOSTS),
    Parser(
        "origin of a window",
        QUERY,
        "loop",
        as_utf8(parse_origin),
        [b"https://" + host for host in HOSTS],
    ),
    Parser(
        "first bytes of a file",
        4 * _KIB,
        "loop",
        sniff,
        [filled(piece, 4096) for piece in (b"<", b" ", b"\xff\xfb", b"<!--", b"ID3", b"\0")],
    ),
    Parser(
        "head of a page under verification",
        MOST_BYTES,
        "thread",
        find_tags,
        page_shapes(2 * MOST_BYTES),
    ),
)


def worst_ms(parser: Parser) -> tuple[float, bytes]:
    """The slowest shape, of each the fastest of some tries: what others take of the machine does not count."""
    worst = (0.0, b"")
    for shape in parser.shapes:
        best_s = min(_seconds(parser, shape + parser.salt * number) for number in range(_TRIES))
        worst = max(worst, (best_s * 1000, shape[:24]))
    return worst


def _seconds(parser: Parser, raw: bytes) -> float:
    started = perf_counter()
    with suppress(*_REFUSALS):
        parser.parse(raw)
    return perf_counter() - started


def main() -> int:
    report = Report("parsers")
    print("| parser | most bytes | where | worst, ms | of |\n|---|---|---|---|---|")
    for parser in PARSERS:
        worst, shape = worst_ms(parser)
        shown = ascii(shape)[2:-1].replace("|", " ")
        print(
            f"| {parser.name} | {parser.most_bytes:,} | {parser.where} | {worst:.2f} | `{shown}` |"
        )
        name = f"{parser.name.replace(' ', '_').replace(',', '').replace(':', '')}_ms"
        report.figures[name] = worst
        if parser.where == "loop":
            report.reach[f"max_{name}"] = BAR_MS
    return report.print()


if __name__ == "__main__":
    sys.exit(main())
