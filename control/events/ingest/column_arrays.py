"""Writes many rows in one statement: one array a column, so that one prepared plan serves any number of rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession


class ColumnInsert:
    """
    ``insert into TABLE … select … from unnest(…) REST``; *columns* as in ``"id uuid, count bigint"``.

    *beside*: further statements by name, each an ``insert`` from the same rows, which it reads as ``given``.
    """

    def __init__(
        self, table: str, columns: str, rest: str, *, beside: Mapping[str, str] | None = None
    ) -> None:
        pairs = [column.split() for column in columns.split(",")]
        self._names = [name for name, _ in pairs]
        names = ", ".join(self._names)
        arrays = ", ".join(f"cast(:{name} as {kind}[])" for name, kind in pairs)
        given, source = "", f"unnest({arrays}) as n({names})"
        if beside:
            others = "".join(f", {name} as ({one})" for name, one in beside.items())
            given = f"with given as materialized (select {names} from {source}){others} "  # noqa: S608 - all of it is ours
            source = "given"
        self._statement = text(
            f"{given}insert into {table} ({names}) select {names} from {source} {rest}"  # noqa: S608 - all of it is ours
        )

    async def put(self, session: AsyncSession, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            await session.execute(self._statement, columns_of(rows, *self._names))


def columns_of(rows: Sequence[tuple[Any, ...]], *names: str) -> dict[str, list[Any]]:
    """One array a column; empty arrays where there are no rows."""
    if not rows:
        return {name: [] for name in names}
    return {name: list(array) for name, array in zip(names, zip(*rows, strict=True), strict=True)}
