"""
Answers the complete requests in one piece of a connection's data, one after the other.

This runs for each piece that arrives, so it exists in C as well (``pipelined.c``); this module is its specification.
"""

from time import monotonic
from typing import TYPE_CHECKING, Final

from common.contract.operation import MAX_HEAD_BYTES
from edge.fastpath.serve_cache.head_parts import START

if TYPE_CHECKING:
    from edge.fastpath.http1.fast_serve import FastServeProtocol

_MAX_AT_ONCE: Final = 16
"""Pipelined requests that are answered before the loop serves others; Sanic handles the rest."""


def answer_calls(connection: "FastServeProtocol", data: bytes, /) -> int:
    """
    Answers the complete requests at the start of *data* and returns their number of bytes.

    Counts requests and sets the connection's clock as Sanic does. Reports how long each took since the data arrived.
    """
    if not (data.startswith(START) and connection.may_answer_at_once):
        return 0
    transport = connection.transport
    peer = connection.conn_info.client_ip if connection.conn_info else ""
    begun_s = monotonic()
    done = 0
    for _ in range(_MAX_AT_ONCE):
        end = data.find(b"\r\n\r\n", done)
        if not 0 <= end - done < MAX_HEAD_BYTES:
            break
        answer = _find_answer(connection, data, done, end, peer)
        if answer is None:
            break
        connection.state["requests_count"] += 1
        transport.write(answer)  # type: ignore[union-attr]  # it is there, or we would not be
        connection._time = now_s = monotonic()  # noqa: SLF001 - Sanic's, as it keeps it
        connection.observe(answer, now_s - begun_s)
        done = end + 4
        if not (data.startswith(START, done) and connection.may_answer_at_once):
            break
    return done


def _find_answer(
    connection: "FastServeProtocol", data: bytes, start: int, end: int, peer: str
) -> bytes | None:
    try:
        answer = connection.lookup_cached(data, start, end, peer)
    except Exception as error:  # noqa: BLE001 - as Sanic's own: the error handler decides what each becomes
        return connection.error_response_for_cached(error, data[start:end])
    return connection.serve_uncached(data, start, end, peer) if answer is None else answer
