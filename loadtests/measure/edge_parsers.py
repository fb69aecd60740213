"""Parsers of untrusted bytes on the edge, with the heads and bodies of HTTP that both planes read."""

from functools import partial
from time import thread_time

from common.contract.operation import MAX_HEAD_BYTES
from common.decision.rules.kinds.language import languages_of
from common.http.client_address import address_behind
from common.http.fast_head import HeadReader
from common.http.head import check_head, to_origin_form
from common.http.json_body import parse_json
from common.http.request_body import decoded
from common.privacy.anonymize import find_origin
from common.privacy.consent import ConsentSignals, decide_consent
from common.privacy.gpp import read_gpp, read_section_ids
from common.privacy.tcf import read_tc_string
from common.privacy.us import read_us_national, read_us_privacy
from common.service.logging import redacted_text
from common.service.secrets import KeyRing
from common.tracking.token import parse_token
from common.user_agent.robots import find_robot_rule
from common.user_agent.user_agent import parse_user_agent
from common.values.environment import Environment
from common.values.keys import find_key_text
from common.values.trace_context import parse_traceparent
from edge.audio.adts import find_adts_frames
from edge.audio.mp3 import find_frames
from edge.audio.multivariant import is_master, variant_urls
from edge.audio.playlist import parse_media_playlist
from edge.audio.playlist_lines import MAX_PLAYLIST_BYTES
from edge.email.prepare_body import named_slots, parse_prepare_body
from edge.endpoints.click_verification import parse_click_id
from edge.request.client_cap_counts import parse_cap_counts
from edge.request.device import device_of
from edge.request.keywords import words_of
from edge.request.query import parse_query
from edge.serving.consent import NAMES
from edge.serving.serve_query import parse_serve_query
from edge.state.click_ids import ClickIds
from edge.stitching.sources import SHORT_PLAYLIST_CHARS
from edge.stitching.stitch_body import parse_stitch_body
from edge.tracking.conversion_body import parse_conversion_body, parse_conversion_query
from edge.tracking.track_batch_body import parse_track_bodies
from edge.tracking.track_body import parse_track_body
from loadtests.measure.parser import LongestTurn, Parser, as_text, as_utf8
from loadtests.measure.shapes import (
    MARKS,
    QUERY,
    agent_shapes,
    encoded_bodies,
    filled,
    form_shapes,
    frame_shapes,
    head_shapes,
    json_shapes,
    playlist_shapes,
    prepare_shapes,
    serve_shapes,
    stitch_shapes,
    tc_strings,
    texts,
)

CLICK_IDS = ClickIds(KeyRing("k1", {"k1": bytes(32)}), Environment.LIVE)
_KIB = 1024

PREPARE = LongestTurn()


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


def parse_playlist(url: str, raw: bytes) -> object:
    text = raw.decode()
    return variant_urls(text, url) if is_master(text) else parse_media_playlist(text, url)


def parse_serve(raw: bytes) -> None:
    """All that a serve call's query is parsed and decided for, before the ads."""
    query = parse_query(raw.decode("latin-1"))
    parse_serve_query(query, believed=True)
    texts_of = {name: query.get(name) for name in NAMES}
    signals = ConsentSignals()._replace(**texts_of)  # type: ignore[arg-type]
    decide_consent(signals, presumed=True, vendor_id=1)


def parse_prepare(raw: bytes) -> None:
    async def handle() -> None:
        named_slots(raw)
        await parse_prepare_body(raw)

    PREPARE.run(handle())


def decode_body(raw: bytes) -> None:
    """Until it is refused for its length."""
    length = 0
    for piece in decoded("gzip", raw):
        length += len(piece)
        if length > 1024 * _KIB:
            return


EVENT = b'{"token":"' + b"a" * 200 + b'","event":"impression","x":1},'

EDGE_PARSERS = (
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
    Parser("query of the edge", as_text(parse_query), [*form_shapes(QUERY), *serve_shapes(QUERY)]),
    Parser("parameters of serve", parse_serve, serve_shapes(QUERY)),
    Parser(
        "counts of caps",
        as_text(lambda text: parse_cap_counts(text, [])),
        [filled(b"aaaaaaaa.1,", QUERY), filled(b",", QUERY), filled(b"1", QUERY)],
    ),
    Parser(
        "log lines",
        as_text(redacted_text),
        [
            filled(one, QUERY)
            for one in (b"a?", b"/a?b=", b"pk_test_", b"at_a-", b"a", b"sk_live_a-")
        ],
    ),
    Parser(
        "gzip of a body, a piece",
        decode_body,
        encoded_bodies(256 * _KIB),
        max_bytes=256 * _KIB,
        salt=b"",
    ),
    Parser(
        "keywords of a query",
        as_utf8(lambda text: words_of("keywords", text, [])),
        [
            filled(b"a,", QUERY),
            # Of what is not ASCII, a query holds a third: it is percent-encoded.
            *(filled(piece.encode(), QUERY // 3) for piece in (*MARKS, "ﷺ")),
            *(filled(piece.encode() * 100 + b",", QUERY // 3) for piece in MARKS),
        ],
    ),
    Parser(
        "Accept-Language of the edge",
        as_text(languages_of),
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
    Parser(
        "traceparent",
        as_text(parse_traceparent),
        [filled(piece, QUERY) for piece in (b"0", b"-", b" ")]
        + [filled(b"-", QUERY, b"01-" + b"1" * 32 + b"-" + b"1" * 16 + b"-01")],
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
        "body of a click's verification",
        parse_click_id,
        json_shapes(16 * _KIB),
        max_bytes=16 * _KIB,
    ),
    Parser(
        "body of email prepare",
        parse_prepare,
        prepare_shapes(1024 * _KIB),
        max_bytes=1024 * _KIB,
        clock=PREPARE,
    ),
    Parser(
        "body of audio stitch",
        lambda raw: parse_stitch_body(parse_json(raw), ()),
        stitch_shapes(1024 * _KIB),
        max_bytes=1024 * _KIB,
        clock=thread_time,
    ),
)
