"""
``make measure-parsers``: every parser that reads untrusted bytes, with its worst time over inputs designed to be
slow, at the largest size that can reach it. The bar is 50 ms on the event loop; `docs/threat-model.md` has the table.

A parser that is missing here, or whose worst shape is missing, is a bug of this file.
"""

import asyncio
import resource
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from time import thread_time

import h11
from pydantic import BaseModel, ValidationError

from common.contract.hostnames import ascii_host, parse_named_host
from common.contract.operation import MAX_HEAD_BYTES
from common.contract.validation_errors import refusal_of
from common.decision.rules.kinds.language import languages_of
from common.fetching.guarded_fetcher import HEAD_BYTES as FETCHED_HEAD_BYTES
from common.fetching.web import RecordKind
from common.http.client_address import address_behind
from common.http.fast_head import HeadReader
from common.http.head import check_head, to_origin_form
from common.http.json_body import check_text, parse_json
from common.privacy.anonymize import find_origin
from common.privacy.gpp import read_gpp, read_section_ids
from common.privacy.tcf import read_tc_string
from common.privacy.us import read_us_national, read_us_privacy
from common.service.secrets import KeyRing
from common.tracking.token import parse_token
from common.user_agent.robots import find_robot_rule
from common.user_agent.user_agent import parse_user_agent
from common.values.environment import Environment
from common.values.keys import find_key_text
from control.adapters.dns_answer import parse_answer
from control.dashboard.embed_sessions.origins import parse_origin
from control.dashboard.form_fields import parse_fields
from control.dashboard.i18n import choose_locale
from control.demand.ads.schemas import AdCreate
from control.demand.assets.inspection import Accepted, Inspector
from control.demand.assets.sniff import Sniffed, sniff
from control.demand.campaigns.schemas import CampaignCreate
from control.foundation.http.multipart import MultipartParser
from control.foundation.http.uploads import HEAD_BYTES
from control.foundation.public_suffixes import registrable_domain
from control.inventory.domain_verification.tags import MAX_BYTES, find_tags
from edge.audio.adts import find_adts_frames
from edge.audio.mp3 import find_frames
from edge.audio.multivariant import is_master, variant_urls
from edge.audio.playlist import parse_media_playlist
from edge.audio.playlist_lines import MAX_PLAYLIST_BYTES
from edge.request.device import device_of
from edge.request.keywords import words_of
from edge.request.query import parse_query
from edge.state.click_ids import ClickIds
from edge.stitching.sources import SHORT_PLAYLIST_CHARS
from edge.stitching.stitch_body import parse_stitch_body
from edge.tracking.conversion_body import parse_conversion_body, parse_conversion_query
from edge.tracking.track_batch_body import parse_track_bodies
from edge.tracking.track_body import parse_track_body
from loadtests.bench.report import Report
from loadtests.measure.parser import Parser, worst_ms
from loadtests.measure.shapes import (
    QUERY,
    agent_shapes,
    dns_shapes,
    fetched_heads,
    filled,
    form_shapes,
    frame_shapes,
    head_shapes,
    html_files,
    image_files,
    json_shapes,
    multipart_shapes,
    page_shapes,
    playlist_shapes,
    sound_files,
    stitch_shapes,
    tc_strings,
    texts,
)

BAR_MS = 50.0
CLICK_IDS = ClickIds(KeyRing("k1", {"k1": bytes(32)}), Environment.LIVE)
_KIB = 1024


def as_text(parse: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda raw: parse(raw.decode("latin-1"))


def as_utf8(parse: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda raw: parse(raw.decode("utf-8", "replace"))


def json_of(model: type[BaseModel]) -> Callable[[bytes], object]:
    """As in the management API: parse, check, validate, and describe errors."""

    def parse(raw: bytes) -> object:
        fields = parse_json(raw)
        check_text(fields, "body")
        try:
            return model.model_validate(fields)
        except ValidationError as error:
            return refusal_of(error, fields)

    return parse


def parse_multipart(raw: bytes) -> None:
    parser = MultipartParser(b"b")
    for at in range(0, len(raw), 16_384):
        list(parser.feed(raw[at : at + 16_384]))


def parse_quick_head(raw: bytes) -> object:
    return HeadReader().read_head(raw)


def parse_quick_post(raw: bytes) -> object:
    reader = HeadReader(max_body_bytes=16_384)
    return reader.read_request(
        raw.replace(b"GET /v1/serve?slot=top", b"POST /v1/track") + b"\r\n\r\n"
    )


def parse_head(raw: bytes) -> None:
    buffer = bytearray(raw + b"\r\n\r\n")
    check_head(buffer, to_origin_form(buffer, len(raw)))


def inspect_file(raw: bytes) -> None:
    """As an upload is inspected: the loop reads its first bytes, and waits for a thread or a process."""
    sniffed = sniff(raw[:HEAD_BYTES])
    if sniffed is None:
        raise ValueError("no known type")
    asyncio.run(_inspect_file(raw, sniffed))


async def _inspect_file(raw: bytes, sniffed: Sniffed) -> None:
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed in a thread
    await asyncio.to_thread(file.write, raw)
    found = await Inspector().inspect(file, sniffed, sniffed.kind)
    if isinstance(found, Accepted):
        await asyncio.to_thread(found.file.close)
    await asyncio.to_thread(file.close)


def children_s() -> float:
    """Processor time of processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def parse_fetched_head(raw: bytes) -> object:
    """As httpcore feeds h11 with the response of a page's server."""
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="GET", target="/", headers=[("Host", "a")]))
    connection.receive_data(raw)
    return connection.next_event()


def parse_dns(raw: bytes) -> object:
    """*raw*: a response, behind its query's kind."""
    kind, _, wire = raw.partition(b" ")
    return parse_answer(wire, wire, RecordKind(kind.decode()))


def parse_playlist(url: str, raw: bytes) -> object:
    text = raw.decode()
    return variant_urls(text, url) if is_master(text) else parse_media_playlist(text, url)


EVENT = b'{"token":"' + b"a" * 200 + b'","event":"impression","x":1},'
HOSTS = [filled(piece.encode(), QUERY) for piece in ("é", "a.", "é.", "xn--a", "ß", "\u0627")]

PARSERS = (
    Parser("HTTP head", parse_head, head_shapes(MAX_HEAD_BYTES), max_bytes=MAX_HEAD_BYTES),
    Parser(
        "HTTP head, fast path",
        parse_quick_head,
        head_shapes(MAX_HEAD_BYTES),
        max_bytes=MAX_HEAD_BYTES,
    ),
    Parser(
        "HTTP head, fast path of posts",
        parse_quick_post,
        head_shapes(MAX_HEAD_BYTES),
        max_bytes=MAX_HEAD_BYTES,
    ),
    Parser(
        "X-Forwarded-For",
        as_text(lambda text: address_behind("::1", text, 1)),
        [filled(b"1,", QUERY), filled(b":", QUERY)],
    ),
    Parser("query of the edge", as_text(parse_query), form_shapes(QUERY)),
    Parser(
        "keywords of a query",
        as_utf8(lambda text: words_of("keywords", text, [])),
        [filled(b"a,", QUERY), filled("̈́".encode(), QUERY), filled("ﷺ".encode(), QUERY)],
    ),
    Parser(
        "Accept-Language of the edge",
        as_text(languages_of),
        [filled(piece, size) for piece in (b"a;q=0.1,", b";") for size in (250, 1000, QUERY)],
    ),
    Parser(
        "Accept-Language of pages",
        as_text(lambda text: choose_locale(None, text)),
        [filled(piece, size) for piece in (b"a;q=0.1,", b";") for size in (250, 1000, QUERY)],
    ),
    Parser(
        "Referer and Origin",
        as_text(find_origin),
        [
            filled(b"[", QUERY, b"https://"),
            filled(b"a.", QUERY, b"https://"),
            filled(b"@", QUERY, b"https://"),
        ],
    ),
    Parser("user agent: device", as_text(device_of), agent_shapes()),
    Parser("user agent: robots", as_text(find_robot_rule), agent_shapes()),
    Parser("user agent: family", as_text(parse_user_agent), agent_shapes()),
    Parser("consent: TC string", as_text(read_tc_string), [*texts("CP"), *tc_strings()], salt=b"A"),
    Parser(
        "consent: GPP string",
        as_text(read_gpp),
        [*texts("DB"), filled(b"~A", 2048, b"DBABMA")],
        salt=b"A",
    ),
    Parser("consent: GPP sections", as_text(read_us_national), texts("B"), salt=b"A"),
    Parser(
        "consent: gpp_sid, us_privacy",
        as_text(lambda text: (read_section_ids(text), read_us_privacy(text))),
        [filled(b"1,", QUERY), filled(b"1YNN", QUERY)],
    ),
    Parser(
        "keys and tokens",
        as_text(lambda text: (find_key_text(text), parse_token(text))),
        texts("pk_live_"),
        salt=b"A",
    ),
    Parser("query of the conversion pixel", as_text(parse_conversion_query), form_shapes(QUERY)),
    Parser(
        "body of track",
        partial(parse_track_body, believed=True),
        json_shapes(16 * _KIB),
        max_bytes=16 * _KIB,
    ),
    Parser(
        "body of a batch of track",
        partial(parse_track_bodies, believed=True),
        [*json_shapes(64 * _KIB), filled(EVENT, 64 * _KIB, b'{"events":[', b"{}]}")],
        max_bytes=64 * _KIB,
    ),
    Parser(
        "body of a conversion",
        lambda raw: parse_conversion_body(raw, 0, None, CLICK_IDS),
        json_shapes(16 * _KIB),
        max_bytes=16 * _KIB,
    ),
    Parser(
        "JSON body, usual", json_of(CampaignCreate), json_shapes(64 * _KIB), max_bytes=64 * _KIB
    ),
    Parser(
        "JSON body of a campaign",
        json_of(CampaignCreate),
        json_shapes(1024 * _KIB),
        max_bytes=1024 * _KIB,
        where="thread",
    ),
    Parser(
        "JSON body of an ad",
        json_of(AdCreate),
        json_shapes(1024 * _KIB),
        max_bytes=1024 * _KIB,
        where="thread",
    ),
    Parser("form of a page, usual", parse_fields, form_shapes(64 * _KIB), max_bytes=64 * _KIB),
    Parser(
        "form of a page, large",
        parse_fields,
        form_shapes(1024 * _KIB),
        max_bytes=1024 * _KIB,
        where="thread",
    ),
    Parser(
        "multipart, a piece", parse_multipart, multipart_shapes(256 * _KIB), max_bytes=256 * _KIB
    ),
    Parser("host names", as_utf8(parse_named_host), HOSTS),
    Parser("hosts of addresses", as_utf8(ascii_host), HOSTS),
    Parser("registrable domain", as_utf8(registrable_domain), HOSTS),
    Parser("origin of a window", as_utf8(parse_origin), [b"https://" + host for host in HOSTS]),
    Parser(
        "first bytes of a file",
        sniff,
        [filled(piece, 4096) for piece in (b"<", b" ", b"\xff\xfb", b"<!--", b"ID3", b"\x00")],
        max_bytes=4 * _KIB,
    ),
    Parser("HTML file", inspect_file, html_files(64 * _KIB), max_bytes=64 * _KIB, where="thread"),
    Parser("image, on the loop", inspect_file, image_files(), 10 << 20, clock=thread_time, tries=1),
    Parser(
        "image, decoded",
        inspect_file,
        image_files(),
        10 << 20,
        "process",
        clock=children_s,
        tries=1,
    ),
    Parser("sound, on the loop", inspect_file, sound_files(), 50 << 20, clock=thread_time, tries=1),
    Parser(
        "sound, decoded",
        inspect_file,
        sound_files(),
        50 << 20,
        "process",
        clock=children_s,
        tries=1,
    ),
    Parser(
        "head of a fetched page",
        parse_fetched_head,
        fetched_heads(FETCHED_HEAD_BYTES),
        max_bytes=FETCHED_HEAD_BYTES,
    ),
    Parser(
        "playlist",
        partial(parse_playlist, "https://cdn.example/a/b.m3u8"),
        playlist_shapes(MAX_PLAYLIST_BYTES),
        max_bytes=MAX_PLAYLIST_BYTES,
        where="thread",
        clock=thread_time,
    ),
    Parser(
        "playlist, short",
        partial(parse_playlist, "https://cdn.example/a/b.m3u8"),
        playlist_shapes(SHORT_PLAYLIST_CHARS),
        max_bytes=SHORT_PLAYLIST_CHARS,
        clock=thread_time,
    ),
    Parser(
        "frames of a sound",
        lambda raw: find_frames(raw) or find_adts_frames(raw),
        frame_shapes(32 << 20),
        max_bytes=32 << 20,
        where="thread",
        clock=thread_time,
        tries=1,
    ),
    Parser(
        "body of audio stitch",
        lambda raw: parse_stitch_body(parse_json(raw), ()),
        stitch_shapes(1024 * _KIB),
        max_bytes=1024 * _KIB,
        clock=thread_time,
    ),
    Parser("response of a name server", parse_dns, dns_shapes(65_535), max_bytes=65_535),
    Parser(
        "head of a page under verification",
        find_tags,
        page_shapes(2 * MAX_BYTES),
        max_bytes=MAX_BYTES,
        where="thread",
    ),
)


def main() -> int:
    report = Report("parsers")
    print("| parser | max. bytes | where | worst, ms | of |\n|---|---|---|---|---|")
    for parser in PARSERS:
        worst, shape = worst_ms(parser)
        shown = ascii(shape)[2:-1].replace("|", " ")
        print(
            f"| {parser.name} | {parser.max_bytes:,} | {parser.where} | {worst:.2f} | `{shown}` |"
        )
        name = f"{parser.name.replace(' ', '_').replace(',', '').replace(':', '')}_ms"
        report.figures[name] = worst
        if parser.where == "loop":
            report.reach[f"max_{name}"] = BAR_MS
    return report.print()


if __name__ == "__main__":
    sys.exit(main())
