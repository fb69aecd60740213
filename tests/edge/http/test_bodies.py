"""Bodies as clients that stream send them: in chunks, encoded; each is answered as the plain one is, and bounded."""

import gzip
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import orjson
import pytest
import pytest_asyncio

from common.contract.audio import STITCH
from common.contract.conversions import CLICK_VERIFICATION
from common.contract.edge import EDGE_OPERATIONS, TRACK, TRACK_MANY
from common.contract.emails import EMAIL_PREPARE
from common.contract.operation import LARGE_BODY_BYTES, Operation
from common.values.enums import Format
from common.values.keys import KeyKind
from tests.edge.email.mail_world import a_mail_ad, a_mail_slot
from tests.support.builders import a_campaign, a_key, a_slot, a_snapshot, a_stock
from tests.support.edge import RunningEdge, running_edge
from tests.support.largest_body import DOCUMENT, largest_of, taking_a_body
from tests.support.raw_http import RawAnswer, connection, exchange, get, read_answer

Encode = Callable[[bytes], bytes]
ENCODINGS: dict[str, Encode] = {"identity": bytes, "gzip": gzip.compress, "deflate": zlib.compress}
OPERATIONS = {one.id: one for one in EDGE_OPERATIONS if one.body is not None}
"""Every one that takes a body, by name."""
DESCRIBED = taking_a_body(edge=True)
_OVER_ITS_LIMIT = {
    TRACK_MANY.id: "its description says that the whole batch has 64 KiB at most",
    EMAIL_PREPARE.id: "a thousand recipients with everything that they may have; larger mailings are split",
}
"""Operations whose schemas allow more than they accept, with the reason."""


@dataclass(frozen=True, slots=True)
class Target:
    edge: RunningEdge
    key: str
    secret: str

    async def token(self) -> str:
        path = f"/v1/serve?slot=top&key={self.key}"
        (answer,) = await exchange(self.edge.port, get(path))
        return str(answer.json["track_token"])

    def head(self, operation: Operation, *headers: str) -> bytes:
        lines = (
            f"POST {operation.path} HTTP/1.1",
            "Host: edge",
            f"Authorization: Bearer {self.secret}",
            *headers,
        )
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    async def send(
        self, operation: Operation, body: bytes, *, encoding: str, chunk: int
    ) -> RawAnswer:
        """In chunks of *chunk* bytes; 0: with its length."""
        sent = ENCODINGS[encoding](body)
        text = (f"Content-Encoding: {encoding}",) if encoding != "identity" else ()
        if not chunk:
            request = self.head(operation, f"Content-Length: {len(sent)}", *text) + sent
        else:
            pieces = (sent[at : at + chunk] for at in range(0, len(sent), chunk))
            request = self.head(operation, "Transfer-Encoding: chunked", *text)
            request += b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in pieces) + b"0\r\n\r\n"
        async with connection(self.edge.port) as (reader, writer):
            writer.write(request)
            return await read_answer(reader)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def target() -> AsyncIterator[Target]:
    key, row = a_key(KeyKind.PUBLISHABLE)
    secret, secret_row = a_key(KeyKind.SECRET)
    campaign = a_campaign()
    mail = (a_mail_slot(), campaign, a_mail_ad(campaign))
    podcast = a_slot(key="podcast", formats=(Format.AUDIO,))
    snapshot = a_snapshot(row, secret_row, *a_stock().objects, *mail, podcast)
    async with running_edge(snapshot) as edge:
        yield Target(edge, key.text, secret.text)


@pytest.mark.parametrize("chunk", [0, 5, 10_000])
@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_an_event_counts_in_every_body_encoding(
    target: Target, encoding: str, chunk: int
) -> None:
    one = {"token": await target.token(), "event": "impression"}
    answer = await target.send(TRACK, orjson.dumps(one), encoding=encoding, chunk=chunk)
    assert answer.status == 204
    two = orjson.dumps({"events": [{"token": await target.token(), "event": "impression"}, one]})
    answer = await target.send(TRACK_MANY, two, encoding=encoding, chunk=chunk)
    assert [result["status"] for result in answer.json["results"]] == [204, 204]


@pytest.mark.parametrize("chunk", [0, 4000])
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", OPERATIONS)
async def test_an_operation_takes_its_limit_and_not_a_byte_more(
    target: Target, name: str, encoding: str, chunk: int
) -> None:
    operation = OPERATIONS[name]
    limit = operation.max_body_bytes
    taken = await target.send(operation, b" " * limit, encoding=encoding, chunk=chunk)
    refused = await target.send(operation, b" " * (limit + 1), encoding=encoding, chunk=chunk)
    assert (taken.status, taken.code) == (400, "invalid_json")
    assert (refused.status, refused.code) == (413, "payload_too_large")


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_description_states_the_limit(name: str) -> None:
    operation = OPERATIONS[name]
    item = DOCUMENT["paths"][operation.path]["post"]
    assert item["x-max-body-bytes"] == operation.max_body_bytes
    assert f"{operation.max_body_bytes:,} bytes" in item["requestBody"]["description"]


def test_every_described_operation_is_tried() -> None:
    assert set(OPERATIONS) == set(DESCRIBED)


@pytest.mark.parametrize("operation", [STITCH, EMAIL_PREPARE], ids=lambda one: one.id)
def test_mailings_and_ad_breaks_may_be_large(operation: Operation) -> None:
    assert operation.max_body_bytes == LARGE_BODY_BYTES


@pytest.mark.parametrize("chunk", [0, 4000])
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("name", OPERATIONS)
async def test_an_operation_takes_the_largest_body_of_its_schema(
    target: Target, name: str, encoding: str, chunk: int
) -> None:
    operation, largest = OPERATIONS[name], largest_of(DESCRIBED[name][2])
    assert (len(largest) > operation.max_body_bytes) is (name in _OVER_ITS_LIMIT)
    taken = await target.send(
        operation, largest[: operation.max_body_bytes], encoding=encoding, chunk=chunk
    )
    assert taken.status not in (413, 429, 500), taken.body


@pytest.mark.parametrize("chunk", [0, 5, 10_000])
@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_a_mailing_is_prepared_in_every_body_encoding(
    target: Target, encoding: str, chunk: int
) -> None:
    send_id = f"{encoding}-{chunk}"
    body = {"slot": "newsletter", "send_id": send_id, "recipients": [{"ref": "r1"}]}
    answer = await target.send(EMAIL_PREPARE, orjson.dumps(body), encoding=encoding, chunk=chunk)
    assert (answer.status, answer.json["filled"]) == (200, 1)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_a_mailing_near_the_limit_is_prepared_though_it_comes_packed_in_chunks(
    target: Target, encoding: str
) -> None:
    values = {f"k{number}": "a,b,c" for number in range(50)}
    people = [{"ref": f"r{number}", "kv": values} for number in range(1000)]
    body = orjson.dumps({"slot": "newsletter", "send_id": encoding, "recipients": people})
    spaces = b" " * (EMAIL_PREPARE.max_body_bytes - len(body))
    answer = await target.send(EMAIL_PREPARE, body + spaces, encoding=encoding, chunk=4000)
    assert (answer.status, answer.json["filled"]) == (200, 1000)


@pytest.mark.parametrize("chunk", [0, 5, 10_000])
@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_ad_breaks_are_planned_in_every_body_encoding(
    target: Target, encoding: str, chunk: int
) -> None:
    body = {"slot": "podcast", "breaks": [{"id": "pre", "type": "pre"}], "output": "plan"}
    answer = await target.send(STITCH, orjson.dumps(body), encoding=encoding, chunk=chunk)
    assert (answer.status, answer.json["filled_ms"]) == (200, 0)


@pytest.mark.parametrize("chunk", [0, 5, 10_000])
@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_a_click_is_verified_in_every_body_encoding(
    target: Target, encoding: str, chunk: int
) -> None:
    body = orjson.dumps({"click_id": "01936f0e-7d5c-7c2a-9f0b-5f2d8a4c1e77.none"})
    answer = await target.send(CLICK_VERIFICATION, body, encoding=encoding, chunk=chunk)
    assert (answer.status, answer.json) == (200, {"valid": False, "id": None})


def test_a_batch_of_the_longest_events_of_a_browser_fits() -> None:
    """A server also sends each visitor's address and user agent: it may have to divide its batch."""
    event = {"token": "t" * 512, "event": "conversion", "value_cents": 10**12, "currency": "EUR"}
    longest = orjson.dumps({"events": [event | {"order_id": "\U0001f600" * 128}] * 50})
    assert len(longest) <= TRACK_MANY.max_body_bytes


async def test_an_unsupported_encoding_is_named(target: Target) -> None:
    head = target.head(TRACK, "Content-Length: 2", "Content-Encoding: br")
    (answer,) = await exchange(target.edge.port, head + b"{}")
    assert (answer.status, answer.code) == (415, "unsupported_media_type")
    assert answer.headers["accept-encoding"] == "gzip, deflate"
