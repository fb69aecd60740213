"""Inputs of a given size that keep a parser busy."""

import base64
import gzip
import io
import random
import struct
from collections.abc import Iterator

from PIL import Image

from common.contract.operation import MAX_HEAD_BYTES
from control.inventory.domain_verification.tags import tag_for
from edge.audio.playlist_lines import MAX_SEGMENTS

QUERY = MAX_HEAD_BYTES - 64
"""A parameter or a header can be no longer than the whole head."""


MARKS = ("\u0301\u0316", "\u0f73", "\u0344", "e\u0301")
"""Combining marks that Unicode's normal forms sort, one of which is decomposed into two."""


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
        *json_texts("name", size),
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


def json_texts(field: str, size: int, start: str = "", *, chars: int | None = None) -> list[bytes]:
    """*field* with a text of combining marks; *chars*: a list of texts of that many characters."""
    found = []
    for piece in MARKS:
        text = (start + piece * size)[: chars or size].encode()
        if chars is None:
            found.append(b'{"%b":"%b"}' % (field.encode(), _cut(text, size - 40)))
        else:
            one = b'"' + text + b'",'
            found.append(filled(one, size, b'{"%b":[' % field.encode(), b'""]}'))
    return found


def host_shapes(field: str, size: int) -> list[bytes]:
    """Lists of host names, as long as such a name may be, in the form with letters that take long to convert."""
    found = []
    for label in (
        "é" * 50,
        "e\u0301" * 25,
        "か\u3099" * 20,
        "\u0627" * 40,
        "ß" * 50,
        "\u0f73" * 30,
    ):
        host = ".".join([label] * 8)[:240].rstrip(".").encode()
        found.append(filled(b'"' + host + b'",', size, b'{"%b":[' % field.encode(), b'""]}'))
    return [*found, *json_texts(field, size, chars=240), *json_texts(field, size, "//", chars=500)]


def _cut(text: bytes, size: int) -> bytes:
    return text[:size].decode(errors="ignore").encode()


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
        b"Android",
        b"Android ",
        b"Android 1; ",
        b"Version/1 ",
        b"CPU OS 1_",
        b"AppleWebKit/537.36 (KHTML) ",
    ]
    return [filled(word, size) for word in words] + [
        filled(word, size, start, end)
        for word in words
        for start, end in (
            (b"Mozilla/5.0 (Linux; Android 14; ", b") Safari/1"),
            (b"Mozilla/5.0 bot (Linux; ", b""),
            (b"bot (Linux;Android(", b")a"),
            (b"Mozilla/5.0 (iPhone; iOS 1", b"webkit"),
        )
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


def serve_shapes(size: int) -> list[bytes]:
    """Queries of serve: many parameters of each kind, and long values, percent-encoded where they are not ASCII."""
    names = b"&".join(b"kv.%x=a" % number for number in range(size // 12))
    repeated = (b"slot=a,b&", b"gpp_sid=2&", b"kv.a=b&", b"keywords=a&", b"segments=a&")
    signals = b"&".join(b"gdpr_consent=%x&gpp=%x" % (one, one) for one in range(size // 30))
    encoded = [
        "".join(f"%{byte:02X}" for byte in piece.encode()).encode() for piece in (*MARKS, "ﷺ", "é,")
    ]
    return [
        b"slot=a&" + names,
        b"slot=a&" + signals,
        *(filled(one, size, b"slot=a&") for one in repeated),
        *(
            filled(one, size, b"slot=a&gdpr=0&%b=" % name)
            for one in encoded
            for name in (b"keywords", b"segments", b"kv.a", b"uid", b"ua", b"url", b"gdpr_consent")
        ),
        filled(b"aaaaaaaa.1,", size, b"slot=a&seen="),
        filled(b"a,", size, b"slot="),
        filled(b"Android", size, b"slot=a&ua=bot+(Linux;"),
    ]


def prepare_shapes(size: int) -> list[bytes]:
    """Bodies of mailings: with as much as one may have, with faults everywhere, and those of `json_shapes`."""
    start = b'{"slot":"a","send_id":"s","recipients":['
    found = []
    for text in (b"a" * 10, "é".encode() * 5, b"a&amp;%2540", *(one.encode() * 3 for one in MARKS)):
        values = b",".join(b'"k%d":"%b"' % (number, text) for number in range(50))
        count = min(1000, size // (len(values) + 30))
        one_each = (b'{"ref":"%d","kv":{%b}}' % (number, values) for number in range(count))
        found.append(start + b",".join(one_each) + b"]}")
    for piece in (*MARKS, "ﷺ", "é", "%2525", "&amp;amp;amp;", "＠a.", "a@a", "&#64"):
        text = piece.encode()
        found += [
            filled(text, size, start + b'{"ref":"r","kv":{"a":"', b'"}}]}'),
            filled(
                b'"' + text * (4000 // len(text)) + b'",',
                size,
                start + b'{"ref":"r","kv":{"a":[',
                b'"a"]}}]}',
            ),
            filled(b'{"' + text * 20 + b'":1},', size, start, b"1]}"),
            filled(text, size, b'{"send_id":"', b'"}'),
        ]
    found.append(filled(b'{"ref":1,"uid":1,"lang":1,"country":1,"a":1},', size, start, b"1]}"))
    found.append(filled(b"[" * 100 + b"]" * 100 + b",", size, start, b"1]}"))
    return [*json_shapes(size), *found]


def encoded_bodies(size: int) -> list[bytes]:
    """Gzip of *size* bytes: empty members, members of a byte, and what decodes into a thousand times as much."""
    empty, one = gzip.compress(b""), gzip.compress(b"a")
    bomb = gzip.compress(bytes(size))
    return [
        empty * (size // len(empty)),
        one * (size // len(one)),
        empty * 99 + gzip.compress(random.Random(7).randbytes(size - 4000)),
        bomb * min(99, size // len(bomb)),
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


def html_files(size: int) -> list[bytes]:
    start = b"<!doctype html>"
    return [filled(piece, size, start) for piece in (b"a", "é".encode(), b"<p>")]


def image_files() -> Iterator[bytes]:
    """Files that are small and have as many pixels as an image may have, or more."""
    noise = Image.effect_noise((256, 256), 100)
    for form, mode in (("PNG", "RGBA"), ("JPEG", "RGB"), ("WEBP", "RGB"), ("PNG", "I;16")):
        yield _image(Image.new(mode, (7_000, 7_000)), form)
    tiled = Image.new("L", (7_000, 7_000))
    for at in range(0, 7_000, 256):
        tiled.paste(noise, (at, at))
    yield _image(tiled.convert("CMYK"), "JPEG")
    frames = [Image.new("L", (316, 316), number % 256) for number in range(500)]
    yield _image(frames[0], "GIF", save_all=True, append_images=frames[1:])
    yield _image(frames[0], "WEBP", save_all=True, append_images=frames[1:])
    yield _image(Image.new("1", (16_384, 16_384)), "PNG")


def _image(image: Image.Image, form: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def sound_files() -> Iterator[bytes]:
    """Half an hour and two minutes of silent MP3, and as many bytes of the shortest frames as a file may have."""
    frame = b"\xff\xfb\x14\xc0" + bytes(92)  # 24 ms at 48 kHz and 32 kbit/s
    yield frame * 75_000
    yield frame * 5_000
    yield filled(frame, 50 << 20)
    yield filled(b"\xff\xf1\x4c\x80\x00\xff\xfc", 50 << 20)
    yield b"ID3\x04\x00\x00\x7f\x7f\x7f\x7f" + bytes(1 << 20)


def fetched_heads(size: int) -> list[bytes]:
    """Responses to a GET."""
    start = b"HTTP/1.1 200 OK\r\n"
    pieces = (b"a:\r\n", b"a:b\n", b"a : b\r\n", b"Content-Length:1\r\n", b"Connection:a,b\r\n")
    lists = filled(b"1,", size - 100, start + b"Content-Length:", b"1\r\n\r\n")
    folded = filled(b"\r\n ", size, start + b"a:b", b"\r\n\r\n")
    return [*(filled(piece, size, start, b"\r\n") for piece in pieces), lists, folded]


def dns_shapes(size: int) -> list[bytes]:
    """Responses of *size* bytes: a `RecordKind`, a space, and a response to a query for that kind."""
    short, long = b"\x01a\0", b"\x01a" * 126 + b"\0"
    room = size - 12 - len(long) - 4 - 12
    return [
        _dns_response(size, long, 1, _dns_record(1, bytes(4))),
        _dns_response(size, long, 1, _dns_record(5, b"\xc0\x0c")),
        _dns_response(size, short, 1, _dns_record(1, bytes(4), long)),
        _dns_response(size, short, 1, _dns_record(1, bytes(4), b"\0")),
        _dns_response(size, short, 16, _dns_record(16, b"\0")),
        _dns_response(size, short, 16, _dns_record(16, b"")),
        _dns_response(size, long, 16, _dns_record(16, bytes(room))),
        _dns_response(size, long, 16, _dns_record(16, filled(b"\x01\xff", room))),
    ]


def _dns_response(size: int, name: bytes, type_: int, record: bytes) -> bytes:
    question = name + struct.pack("!HH", type_, 1)
    count = (size - 12 - len(question)) // len(record)
    head = struct.pack("!HHHHHH", 1, 0x8180, 1, count, 0, 0)
    return {1: b"A ", 16: b"TXT "}[type_] + head + question + record * count


def _dns_record(type_: int, data: bytes, owner: bytes = b"\xc0\x0c") -> bytes:
    """*owner*: a pointer to the name in question, unless another name."""
    return owner + struct.pack("!HHIH", type_, 1, 60, len(data)) + data


def playlist_shapes(size: int) -> list[bytes]:
    """Segments as short as they may be, with addresses that take long to join, and lines of tags and variants."""
    start, tag = b"#EXTM3U\n", b"#EXTINF:1,\n"
    names = (b"s.ts", b"/s;?", b"a/../s", b"//a/b", b"?a")
    few = min(size, MAX_SEGMENTS * len(tag + names[0]))
    return [
        *(filled(tag + name + b"\n", few, start) for name in names),
        filled(tag + names[1] * 20 + b"\n", size, start),
        filled(b"#\n", min(size, 400_000), start, tag + b"s"),
        filled(b"#\n", size, start),
        filled(b"a;?\n", size, b"#EXTM3U\n#EXT-X-STREAM-INF:\n"),
        *(
            filled(mark.encode(), size, start + tag + address)
            for mark in MARKS
            for address in (b"//", b"", b"https://a/", b"/\t/", b'#EXT-X-KEY:URI="//')
        ),
        filled(b'#EXT-X-MEDIA:URI="', size, start),
    ]


def frame_shapes(size: int) -> list[bytes]:
    """The shortest frames: MP3 of 8 kbit/s, ADTS of eight bytes; and tags without end."""
    return [
        filled(b"\xff\xf3\x14\xc0" + bytes(20), size),
        filled(b"\xff\xf1\x50\x80\x01\x1f\xfc\x00", size),
        filled(b"ID3" + bytes(7), size),
    ]


def stitch_shapes(size: int) -> list[bytes]:
    """Bodies with as many faults as there is room for, and those of `json_shapes`."""
    one = b'{"id":"","type":"","offset_ms":-1,"max_ads":0,"a":1},'
    return [
        *json_shapes(size),
        filled(one, size, b'{"slot":"a","breaks":[', b"{}]}"),
        filled(one, 4000 * len(one), b'{"slot":"a","breaks":[', b"{}]}"),
        filled(
            b"%",
            size,
            b'{"slot":"a","breaks":[{"id":"a","type":"pre"}],"listener":{"uid":"',
            b'"}}',
        ),
    ]
