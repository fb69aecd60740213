"""The report store in ClickHouse, over its HTTP interface."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

import httpcore
import orjson

from control.ports.report_store import (
    NO_ID,
    Received,
    ReportStoreUnavailable,
    ReportStoreUrlInvalid,
    Row,
    literal,
)

_TIMEOUT_S = 30.0
_STATEMENT_S = 20
_TIMEOUTS = {"connect": 5.0, "read": _TIMEOUT_S, "write": _TIMEOUT_S, "pool": _TIMEOUT_S}
_OK = 200
_REASON_CHARS = 500
_MAX_ROWS, _MAX_BYTES = 1_000_000, 256 << 20
"""Of a shipment, the bytes with its statement; 10 000 rows are 4 MB."""
_HOUR_COLUMNS = (
    ("account_id", "String"),
    ("is_test", "Bool"),
    ("kind", "LowCardinality(String)"),
    ("hour", "DateTime('UTC')"),
    ("property_id", "UUID"),
    ("slot_id", "UUID"),
    ("campaign_id", "UUID"),
    ("ad_id", "UUID"),
    ("reason", "LowCardinality(String)"),
    ("country", "LowCardinality(String)"),
    ("device", "LowCardinality(String)"),
    ("format", "LowCardinality(String)"),
    ("source", "LowCardinality(String)"),
    ("surface", "LowCardinality(String)"),
    ("attribution", "LowCardinality(String)"),
    ("count", "Int64"),
    ("charged_micros", "Int64"),
    ("value_cents", "Int64"),
)
_SUMS = ("count", "charged_micros", "value_cents")
_COLUMNS = ", ".join(name for name, _ in _HOUR_COLUMNS)
_STRUCTURE = ", ".join(" ".join(column) for column in _HOUR_COLUMNS)
_MAKE_HOURS = (
    f"create table if not exists {{hours}} ({_STRUCTURE}) engine = SummingMergeTree(({', '.join(_SUMS)})) "
    f"order by ({', '.join(name for name, _ in _HOUR_COLUMNS if name not in _SUMS)}) "
    "settings fsync_after_insert = 1, fsync_part_directory = 1"
)
"""Without partitions: rows and mark of a shipment are one part, which the server has or has not."""
_SHIPMENT = "shipment"
_MARK = ("", False, _SHIPMENT, 0, *[NO_ID] * 4, *[""] * 7, 1)
"""The row of shipments, to which token and 0 are appended: its sums count them and add up their tokens."""
_RECEIVED = f"select sum(count), sum(charged_micros) from {{hours}} where account_id = '' and kind = '{_SHIPMENT}'"  # noqa: S608 - constants only
_ONE_PART = (
    f"max_insert_threads = 1, max_block_size = {_MAX_ROWS}, min_insert_block_size_rows = {_MAX_ROWS}, "
    "min_insert_block_size_bytes = 0, async_insert = 0"
)
_SELECT = (
    f" settings output_format_json_quote_64bit_integers = 0, max_execution_time = {_STATEMENT_S} "
    "format JSONCompactEachRow"
)


class ClickHouseReportStore:
    """One server. A cluster is not supported: the tables are not replicated."""

    def __init__(self, url: str) -> None:
        """*url*: ``https://USER:PASSWORD@HOST:8443/DATABASE``; the database exists. Raises `ReportStoreUrlInvalid`."""
        parts = urlsplit(url)
        database = parts.path.strip("/")
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or not database.isidentifier()
        ):
            raise ReportStoreUrlInvalid(
                "PLACARD_REPORT_STORE_URL is not http://USER:PASSWORD@HOST:8123/DATABASE, or the same with https."
            )
        self._address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/"
        self._headers = [
            ("X-ClickHouse-User", unquote(parts.username or "default")),
            ("X-ClickHouse-Key", unquote(parts.password or "")),
        ]
        self._hours = f"{database}.hours"
        self._pool = httpcore.AsyncConnectionPool(max_connections=20, keepalive_expiry=3.0)

    async def prepare(self) -> None:
        await self._run(_MAKE_HOURS.replace("{hours}", self._hours), {})

    async def select(self, statement: str, parameters: Mapping[str, str]) -> list[list[Any]]:
        named = {f"param_{name}": value for name, value in parameters.items()}
        found = await self._run(statement.replace("{hours}", self._hours) + _SELECT, named)
        return [orjson.loads(line) for line in found.splitlines() if line]

    async def received(self) -> Received:
        ((shipments, tokens),) = await self.select(_RECEIVED, {})
        return Received(shipments, tokens)

    async def insert(self, rows: Sequence[Row], *, after: Received, token: int) -> None:
        lines = b"\n".join(
            [orjson.dumps(list(row)) for row in (*rows, (*_MARK, token, 0))]
        ).decode()
        received = _RECEIVED.replace("{hours}", self._hours)
        statement = (
            f"insert into {self._hours} ({_COLUMNS}) select {_COLUMNS} "  # noqa: S608 - constants, numbers and literals
            f"from format(JSONCompactEachRow, {literal(_STRUCTURE)}, {literal(lines)}) "
            f"where ({received}) = ({after.shipments}, {after.tokens}) settings {_ONE_PART}"
        )
        # The server refuses a statement with the id of one that it still executes.
        options = {"query_id": f"{self._hours}-{after.shipments + 1}"}
        await self._run(statement, options | {"max_query_size": str(_MAX_BYTES)})

    async def close(self) -> None:
        await self._pool.aclose()

    async def _run(self, statement: str, options: Mapping[str, str]) -> bytes:
        query = urlencode({"wait_end_of_query": "1", **options})
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                response = await self._pool.request(
                    "POST",
                    f"{self._address}?{query}",
                    headers=self._headers,
                    content=statement.encode(),
                    extensions={"timeout": _TIMEOUTS},
                )
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
            raise ReportStoreUnavailable(repr(error)) from error
        except TimeoutError as error:
            raise ReportStoreUnavailable(f"No response within {_TIMEOUT_S:g} s.") from error
        if response.status != _OK:
            raise ReportStoreUnavailable(response.content.decode(errors="replace")[:_REASON_CHARS])
        return response.content
