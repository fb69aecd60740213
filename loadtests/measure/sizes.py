"""
``python -m loadtests.measure.sizes``: bytes of an event in PostgreSQL and in the log, of the stack that runs on
``PLACARD_STATE``. Run it after `make load`: with few events, the first pages of each table weigh too much.
"""

import asyncio
import sys
from pathlib import Path

import asyncpg
import orjson

from loadtests.users.stack import find_database_url, state

_TABLES = """
select sum(pg_total_relation_size(c.oid))::bigint from pg_class c
where c.relkind = 'r' and c.relname ~ '^(event_keys|events)(_.*)?$'
"""


async def _measure(database_url: str, spool: Path) -> dict[str, float]:
    """The log's bytes are those of the segments that the live edge retains: what it shipped, counters included."""
    connection = await asyncpg.connect(database_url)
    try:
        events = await connection.fetchval("select count(*) from events")
        stored = await connection.fetchval(_TABLES)
    finally:
        await connection.close()
    logged = await asyncio.to_thread(_bytes_of_segments, spool)
    return {
        "events": events,
        "row_bytes": round(stored / max(1, events), 1),
        "record_bytes": round(logged / max(1, events), 1),
    }


def _bytes_of_segments(spool: Path) -> int:
    return sum(file.stat().st_size for file in spool.rglob("*.seg"))


def main() -> int:
    url = find_database_url()
    if url is None:
        sys.stderr.write("No running stack: start one with `make run`.\n")
        return 2
    found = asyncio.run(_measure(url, state() / "spool"))
    sys.stdout.write(f"{orjson.dumps({'measure': 'sizes', 'figures': found}).decode()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
