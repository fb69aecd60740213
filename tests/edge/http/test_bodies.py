"""Bodies as clients that stream send them: in chunks, encoded; each is answered as the plain one is, and bounded."""

import gzip
import zlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import orjson
import pytest
import pytest_asyncio

from common.contract.conversions import CONVERSION
from common.contract.edge import TRACK, TRACK_MANY
from common.contract.operation import Operation
from common.values.keys import KeyKind
from control.api.openapi import COMMITTED
from tests.support.builders import a_key, a_snapshot, a_stock
from tests.support.edge import RunningEdge, running_edge
from tests.support.raw_http import RawAnswer, connection, exchange, get, read_answer

Encode = Callable[[bytes], bytes]
ENCODINGS: dict[str, Encode] = {"identity": bytes, "gzip": gzip.compress, "deflate": zlib.compress}
OPERATIONS = {one.id: one for one in (TRACK, TRACK_MANY, CONVERSION)}


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
    async with running_edge(a_snapshot(row, secret_row, *a_stock().objects)) as edge:
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
    item = orjson.loads(COMMITTED.read_bytes())["paths"][operation.path]["post"]
    assert item["x-max-body-bytes"] == operation.max_body_bytes


async def test_a_batch_of_the_longest_events_fits() -> None:
    event = {"token": "t" * 512, "event": "conversion", "value_cents": 10**12, "currency": "EUR"}
    longest = orjson.dumps({"events": [event | {"order_id": "\U0001f600" * 128}] * 50})
    assert len(longest) <= TRACK_MANY.max_body_bytes


async def test_an_unsupported_encoding_is_named(target: Target) -> None:
    head = target.head(TRACK, "Content-Length: 2", "Content-Encoding: br")
    (answer,) = await exchange(target.edge.port, head + b"{}")
    assert (answer.status, answer.code) == (415, "unsupported_media_type")
    assert answer.headers["accept-encoding"] == "gzip, deflate"
