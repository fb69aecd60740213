"""
The comparison of bench-ingest: `COPY` of the same rows with the same client, as many a transaction.

It writes into a clone of `events` with its partitions and indexes, and nothing else: no keys, no sums, no money. Run as
``python -m loadtests.bench.ingest_copy DATABASE_URL ROWS BATCH``; prints seconds and rows as JSON.
"""

import asyncio
import sys
import time
from typing import Any

import asyncpg
import orjson

_CLONE = """
do $$
declare child record;
begin
    drop table if exists events_copied;
    create table events_copied (like events including all) partition by range (stored_day);
    for child in
        select c.relname, pg_get_expr(c.relpartbound, c.oid) as bound from pg_inherits i
        join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass
    loop
        execute format('create table %I partition of events_copied %s', 'copied_' || child.relname, child.bound);
    end loop;
end $$
"""


async def copy(url: str, most: int, batch: int) -> dict[str, float]:
    """Runs as the owner of the server: roles under row-level security cannot use `COPY`."""
    connection = await asyncpg.connect(url)
    await connection.execute(_CLONE)
    found = await connection.fetch("select * from events limit $1", most)
    columns = [name for name in found[0].keys() if name != "xid"]  # noqa: SIM118 - a Record is no dict
    rows = [tuple(row[name] for name in columns) for row in found]
    await connection.execute("checkpoint")
    started = time.perf_counter()
    for first in range(0, len(rows), batch):
        await _copy_batch(connection, columns, rows[first : first + batch])
    taken_s = time.perf_counter() - started
    await connection.close()
    return {"rows": len(rows), "seconds": taken_s}


async def _copy_batch(connection: Any, columns: list[str], rows: list[tuple[Any, ...]]) -> None:
    async with connection.transaction():
        await connection.copy_records_to_table("events_copied", records=rows, columns=columns)


if __name__ == "__main__":
    done = asyncio.run(copy(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
    print(orjson.dumps(done).decode())
