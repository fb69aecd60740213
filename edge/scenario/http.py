"""HTTP/1.1 with answers that no HTTP server gives: a connection that closes early, a body that does not end."""

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import orjson

MAX_BODY_BYTES: Final = 1_048_576


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    target: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def operation(self) -> str:
        """The last segment of the path."""
        return self.path.rpartition("/")[2]

    @property
    def query(self) -> dict[str, str | list[str]]:
        """A repeated name has a list."""
        found = parse_qs(urlsplit(self.target).query, keep_blank_values=True)
        return {name: texts[0] if len(texts) == 1 else texts for name, texts in found.items()}

    @property
    def json(self) -> Any:
        return orjson.loads(self.body) if self.body else None


async def read_request(reader: asyncio.StreamReader) -> Request:
    """Raises `asyncio.IncompleteReadError` when the client has left, and ValueError for what is no request."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip().split("\r\n")
    pairs = [line.partition(":") for line in lines]
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    size = int(headers.get("content-length", "0"))
    if not 0 <= size <= MAX_BODY_BYTES:
        raise ValueError(f"Content-Length is {size}; at most {MAX_BODY_BYTES} bytes are read.")
    body = await reader.readexactly(size)
    method, target, _ = first.split(" ")
    return Request(method, target, headers, body)


async def send(answer: Any, writer: asyncio.StreamWriter, extra: dict[str, str]) -> bool:
    """
    *answer* has the form of those in ``clients/contract/answers.json``; *extra*: headers of every response. Returns
    whether the connection can be used again; does not return for the fault ``timeout``.
    """
    match answer.get("fault"):
        case "timeout":
            await asyncio.Event().wait()
        case "network":
            return False
        case "cut":
            writer.write(message(200, {**extra, "Content-Length": "100"}, b"{"))
            await writer.drain()
            return False
        case _:
            pass
    body = answer.get("text", "").encode()
    headers = {**extra, **answer.get("headers", {})}
    if "body" in answer:
        body = orjson.dumps(answer["body"])
        headers.setdefault("Content-Type", "application/json")
    if answer["status"] != HTTPStatus.NO_CONTENT:
        headers["Content-Length"] = str(len(body))
    writer.write(message(answer["status"], headers, body))
    await writer.drain()
    return True


def message(status: int, headers: dict[str, str], body: bytes) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} Any\r\n{lines}\r\n".encode("latin-1") + body
