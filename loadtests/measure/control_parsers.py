"""Parsers of untrusted bytes on the control plane, with those of pages and files that it fetches."""

import asyncio
import resource
import tempfile
from collections.abc import Callable
from time import thread_time
from types import SimpleNamespace
from typing import Any, cast

import h11
from pydantic import BaseModel, ValidationError
from sanic import Request
from sanic.compat import Header

from common.contract.hostnames import ascii_host, parse_named_host
from common.contract.validation_errors import refusal_of
from common.fetching.guarded_fetcher import HEAD_BYTES as FETCHED_HEAD_BYTES
from common.fetching.parsed_url import parse_url
from common.fetching.web import RecordKind
from common.http.json_body import check_text, parse_json
from common.service.secrets import KeyRing
from control.adapters.dns_answer import parse_answer
from control.dashboard.campaigns.import_file import parse_file
from control.dashboard.embed_sessions.origins import parse_origin
from control.dashboard.form_body import lines
from control.dashboard.form_fields import parse_fields
from control.dashboard.i18n import choose_locale
from control.dashboard.targeting.typed_names import parse_area, parse_language
from control.dashboard.timezones import read_timezone
from control.demand.ads.schemas import AdCreate
from control.demand.ads.urls import parse_click_url
from control.demand.assets.inspection import Accepted, Inspector
from control.demand.assets.sniff import Sniffed, sniff
from control.demand.campaigns.schemas import CampaignCreate
from control.foundation.cursors import parse_cursor
from control.foundation.http.cookies import find_cookie
from control.foundation.http.inputs import ON_LOOP_BYTES, parse_query
from control.foundation.http.multipart import MultipartParser, parse_boundary
from control.foundation.http.uploads import HEAD_BYTES
from control.foundation.public_suffixes import registrable_domain
from control.identity.accounts.schemas import AccountCreate
from control.identity.passwords.rules import find_fault
from control.identity.users.addresses import find_email
from control.inventory.domain_verification.tags import MAX_BYTES, find_tags
from control.inventory.properties.schemas import PropertyCreate
from control.inventory.slots.schemas import SlotCreate
from control.processes.app import OPERATIONS
from control.reporting.reports.endpoints import GET_DELIVERY_REPORT
from loadtests.measure.parser import Parser, as_text, as_utf8
from loadtests.measure.shapes import (
    MARKS,
    QUERY,
    dns_shapes,
    fetched_heads,
    filled,
    form_shapes,
    host_shapes,
    html_files,
    image_files,
    json_shapes,
    json_texts,
    multipart_shapes,
    page_shapes,
    sound_files,
)

ENGLISH = choose_locale(None, "en").locale
KEYS = KeyRing("k1", {"k1": bytes(32)})
_KIB = 1024


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


def parse_api_query(raw: bytes) -> object:
    """That of the report, which has the most lists."""
    request = SimpleNamespace(query_string=raw.decode("latin-1"))
    return parse_query(GET_DELIVERY_REPORT, cast("Request[Any, Any]", request))


def list_shapes(size: int) -> list[bytes]:
    names = ("metrics", "group_by", "campaign_id")
    pieces = [(f"{name}=a&", f"{name}=,&") for name in names]
    long = [filled(b"a,", size, f"{name}=".encode()) for name in names]
    return [*(filled(one.encode(), size) for pair in pieces for one in pair), *long]


def read_cookie(raw: bytes) -> object:
    request = SimpleNamespace(headers=Header({"cookie": raw.decode("latin-1")}))
    return find_cookie(cast("Request[Any, Any]", request), "session")


def read_typed_list(raw: bytes) -> None:
    """A field of places or languages, as a form sends it."""
    for text in lines([raw.decode("utf-8", "replace")]) or ():
        parse_area(ENGLISH, text)
        parse_language(ENGLISH, text)


HOSTS = [
    filled(piece.encode(), QUERY)
    for piece in (
        "é",
        "a.",
        "é.",
        "xn--a",
        "ß",
        "\u0627",
        *MARKS,
        *(f"{one * 60}." for one in MARKS),
    )
]
TYPED = [
    filled(piece.encode(), 64 * _KIB) for piece in ("a,", "a-", "a ", "é", ",", *MARKS, "a-a,")
]

_OWN_SHAPES: tuple[type[BaseModel], ...] = (
    AccountCreate,
    AdCreate,
    CampaignCreate,
    PropertyCreate,
    SlotCreate,
)
"""Bodies with shapes made for them, in `CONTROL_PARSERS`."""


def other_bodies() -> list[Parser]:
    """A parser of each other request body, at the size above which bodies leave the loop."""
    models = {one.body for one in OPERATIONS if one.body is not None}
    return [
        Parser(
            f"JSON body {model.__name__}",
            json_of(model),
            [
                *json_shapes(ON_LOOP_BYTES),
                *(text for name in model.model_fields for text in json_texts(name, ON_LOOP_BYTES)),
            ],
            max_bytes=ON_LOOP_BYTES,
            clock=thread_time,
            model=model,
        )
        for model in sorted(models.difference(_OWN_SHAPES), key=lambda one: one.__name__)
    ]


CONTROL_PARSERS = (
    Parser(
        "Accept-Language of pages",
        as_text(lambda text: choose_locale(None, text)),
        [filled(piece, size) for piece in (b"a;q=0.1,", b";") for size in (250, 1000, QUERY)],
    ),
    Parser(
        "JSON body, usual",
        json_of(CampaignCreate),
        json_shapes(64 * _KIB),
        max_bytes=64 * _KIB,
        where="thread",
        model=CampaignCreate,
    ),
    Parser(
        "JSON body of a campaign",
        json_of(CampaignCreate),
        json_shapes(1024 * _KIB),
        max_bytes=1024 * _KIB,
        where="thread",
        model=CampaignCreate,
    ),
    Parser(
        "JSON body of an ad",
        json_of(AdCreate),
        json_shapes(1024 * _KIB),
        max_bytes=1024 * _KIB,
        where="thread",
        model=AdCreate,
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
    Parser(
        "JSON body of a sign-up",
        json_of(AccountCreate),
        [
            *json_shapes(16 * _KIB),
            *json_texts("email", 16 * _KIB, "a@"),
            *json_texts("name", 16 * _KIB),
        ],
        max_bytes=16 * _KIB,
        model=AccountCreate,
    ),
    Parser(
        "JSON body of a property",
        json_of(PropertyCreate),
        [
            *json_shapes(ON_LOOP_BYTES),
            *json_texts("domain", ON_LOOP_BYTES),
            *json_texts("allowed_origins", ON_LOOP_BYTES, "https://", chars=280),
        ],
        max_bytes=ON_LOOP_BYTES,
        model=PropertyCreate,
    ),
    Parser(
        "JSON body of a slot",
        json_of(SlotCreate),
        [*json_shapes(ON_LOOP_BYTES), *host_shapes("blocked_advertiser_domains", ON_LOOP_BYTES)],
        max_bytes=ON_LOOP_BYTES,
        model=SlotCreate,
    ),
    Parser(
        "JSON body of a slot, long",
        json_of(SlotCreate),
        host_shapes("blocked_advertiser_domains", 64 * _KIB),
        max_bytes=64 * _KIB,
        where="thread",
        model=SlotCreate,
    ),
    Parser("email addresses", as_utf8(find_email), [b"a@" + host for host in HOSTS]),
    Parser("passwords", as_utf8(lambda text: find_fault(text[:1024])), HOSTS, max_bytes=1024),
    Parser(
        "URLs of ads",
        as_utf8(lambda text: parse_click_url(text[:2048])),
        [b"https://" + host for host in HOSTS] + [filled(b"{click_id}", 2048, b"https://a.com/")],
        max_bytes=2048,
    ),
    Parser(
        "URLs to fetch",
        as_utf8(parse_url),
        [b"https://" + host[:2000] for host in HOSTS],
        max_bytes=2048,
    ),
    Parser(
        "cookies",
        read_cookie,
        [filled(one, QUERY) for one in (b"a=b;", b";", b"=", b'a="\\"')],
    ),
    Parser(
        "cursors",
        as_text(lambda text: parse_cursor(KEYS, "campaigns", text)),
        [filled(b"a", size) for size in (2048, QUERY)],
        salt=b"AAAA",
    ),
    Parser("typed places and languages", read_typed_list, TYPED, max_bytes=64 * _KIB),
    Parser(
        "typed time zone",
        as_utf8(lambda text: read_timezone([text])),
        TYPED,
        max_bytes=64 * _KIB,
    ),
    Parser(
        "lines of an import",
        as_utf8(parse_file),
        [
            filled(piece, 1024 * _KIB)
            for piece in (b"\n", b"a\n", b",\n", b"a,", b'"', b'""', b'"\n"', b"a\tb,c;\n")
        ],
        max_bytes=1024 * _KIB,
        where="thread",
        clock=thread_time,
    ),
    Parser(
        "boundary of a form",
        as_text(parse_boundary),
        [
            filled(piece, QUERY, b"multipart/form-data; boundary=")
            for piece in (b"a", b'"', b"\\", b'"\\', b"; a=b", b"; boundary=", b" ")
        ],
    ),
    Parser("query of the API", parse_api_query, form_shapes(QUERY) + list_shapes(QUERY)),
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
    Parser("response of a name server", parse_dns, dns_shapes(65_535), max_bytes=65_535),
    Parser(
        "head of a page under verification",
        find_tags,
        page_shapes(2 * MAX_BYTES),
        max_bytes=MAX_BYTES,
        where="thread",
    ),
    *other_bodies(),
)
