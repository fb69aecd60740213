"""The report store in ClickHouse, over its HTTP interface."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

import httpcore
import orjson

from control.ports.report_store import ReportStoreUnavailable, ReportStoreUrlInvalid, Row

_TIMEOUT_S = 30.0
_STATEMENT_S = 20
_TIMEOUTS = {"connect": 5.0, "read": _TIMEOUT_S, "write": _TIMEOUT_S, "pool": _TIMEOUT_S}
_OK = 200
_REASON_CHARS = 500
_TOKENS = 10_000
"""Tokens that the server remembers in each partition. A shipment is repeated before the next one begins."""
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
_DURABLE = f"non_replicated_deduplication_window = {_TOKENS}, fsync_after_insert = 1, fsync_part_directory = 1"
_ORDER = ", ".join(name for name, _ in _HOUR_COLUMNS if name not in _SUMS)
_MAKE_HOURS = (
    f"create table if not exists {{hours}} ({', '.join(' '.join(column) for column in _HOUR_COLUMNS)}) "
    f"engine = SummingMergeTree(({', '.join(_SUMS)})) partition by toYYYYMM(hour) order by ({_ORDER}) "
    f"settings {_DURABLE}"
)
_MAKE_SHIPMENTS = (
    "create table if not exists {shipments} (number UInt64, token String, hours UInt64, at DateTime('UTC') "
    f"default now()) engine = MergeTree order by number settings {_DURABLE}"
)
_INSERTED = {
    "hours": [name for name, _ in _HOUR_COLUMNS],
    "shipments": ["number", "token", "hours"],
}
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
        self._tables = {"hours": f"{database}.hours", "shipments": f"{database}.shipments"}
        self._pool = httpcore.AsyncConnectionPool(max_connections=20, keepalive_expiry=3.0)

    async def prepare(self) -> None:
        for statement in (_MAKE_HOURS, _MAKE_SHIPMENTS):
            await self._run(self._named(statement), {})

    async def select(self, statement: str, parameters: Mapping[str, str]) -> list[list[Any]]:
        found = await self._run(self._named(statement) + _SELECT, parameters)
        return [orjson.loads(line) for line in found.splitlines() if line]

    async def insert(self, table: str, rows: Sequence[Row], *, token: str) -> None:
        if not rows:
            return
        columns = ", ".join(_INSERTED[table])
        head = (
            f"insert into {self._tables[table]} ({columns}) settings insert_deduplication_token = '{token}', "
            "insert_deduplicate = 1, async_insert = 0 format JSONCompactEachRow\n"
        )
        lines = b"\n".join([orjson.dumps(list(row)) for row in rows])
        await self._run(head.encode() + lines, {})

    async def close(self) -> None:
        await self._pool.aclose()

    def _named(self, statement: str) -> str:
        for name, table in self._tables.items():
            statement = statement.replace(f"{{{name}}}", table)
        return statement

    async def _run(self, statement: str | bytes, parameters: Mapping[str, str]) -> bytes:
        named = {f"param_{name}": value for name, value in parameters.items()}
        query = urlencode({"wait_end_of_query": "1", **named})
        content = statement.encode() if isinstance(statement, str) else statement
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                response = await self._pool.request(
                    "POST",
                    f"{self._address}?{query}",
                    headers=self._headers,
                    content=content,
                    extensions={"timeout": _TIMEOUTS},
                )
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
            raise ReportStoreUnavailable(repr(error)) from error
        except TimeoutError as error:
            raise ReportStoreUnavailable(f"No response within {_TIMEOUT_S:g} s.") from error
        if response.status != _OK:
            raise ReportStoreUnavailable(response.content.decode(errors="replace")[:_REASON_CHARS])
        return response.content
