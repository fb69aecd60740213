"""`control admin dead-letters`: records that ingest could not store; replays them after the cause is fixed."""

from collections.abc import Sequence
from typing import Annotated, Any

import orjson
import typer
from sqlalchemy import delete
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col, select

from common.values.ids import new_id
from control.api.context import ControlContext
from control.api.operator_action import NotFound, OperatorAction, operator_action
from control.events.ingest.dead_letters import REPLAY, claim_letters
from control.events.ingest.store_factory import open_store
from control.operations.admin_cli.run import Most, Printed, run_action, run_with, shown
from control.ports.events import RawBatch, RawRecord
from control.storage.tables.ingest import DeadLetterRow, IngestPositionRow

app = typer.Typer(help="Dead letters: list, show, replay.", no_args_is_help=True)

_DIGEST_BYTES = 32
Digest = Annotated[str, typer.Option("--digest", help="Digest of the letter, in hex.")]
Reason = Annotated[
    str | None, typer.Option("--reason", help="Only those whose reason starts with this text.")
]


@app.command("list")
def list_(reason: Reason = None, limit: Most = 100) -> None:
    """List dead letters without their bytes, newest first."""
    run_action(lambda act: list_letters(act, reason, limit))


@app.command()
def show(digest: Digest) -> None:
    """Show one letter with its content."""
    run_action(lambda act: show_letter(act, digest))


@app.command()
def replay(
    digest: Annotated[
        str | None, typer.Option("--digest", help="Only the letter with this digest, in hex.")
    ] = None,
    reason: Reason = None,
    limit: Most = 100,
) -> None:
    """Parse and store letters again, oldest first. Events counted meanwhile are not counted twice."""
    run_with(lambda control: replay_letters(control, digest, reason, limit))


async def list_letters(act: OperatorAction, reason: str | None, limit: int) -> Printed:
    rows = await act.session.scalars(
        _wanted(None, reason).order_by(col(DeadLetterRow.at).desc()).limit(limit)
    )
    return [_shown(row) for row in rows]


async def show_letter(act: OperatorAction, digest: str) -> dict[str, Any]:
    """``record`` where the bytes are JSON, else ``raw`` as text with escapes. Raises `NotFound`."""
    row = await act.session.scalar(_wanted(digest, None).limit(1))
    if row is None:
        raise NotFound(f"There is no dead letter {digest!r}.")
    try:
        content = {"record": orjson.loads(row.raw)}
    except orjson.JSONDecodeError:
        content = {"raw": row.raw.decode("utf-8", "backslashreplace")}
    return _shown(row) | content


async def replay_letters(
    control: ControlContext, digest: str | None, reason: str | None, limit: int
) -> dict[str, Any]:
    """
    Replays letters through the usual ingest path, from a source of its own, so that the log's positions stay.

    A letter is deleted in the transaction that stores its record, so that no replay stores it twice. Raises `NotFound`.
    """
    async with operator_action(control) as act:
        wanted = _wanted(digest, reason).order_by(col(DeadLetterRow.at)).limit(limit)
        letters = (await act.session.scalars(wanted)).all()
    if digest is not None and not letters:
        raise NotFound(f"There is no dead letter {digest!r}.")
    if not letters:
        return {"replayed": 0, "stored": 0, "duplicates": 0, "dead": 0}
    source = REPLAY + new_id()
    records = tuple(RawRecord(place, row.raw) for place, row in enumerate(letters, start=1))
    store = open_store(control, take=claim_letters)
    before = await store.position(source, 0)
    poll = await store.prepare([RawBatch(0, records)])
    stored = await store.store(source, poll, {0: before})
    async with operator_action(control) as act:
        still_dead = await _forget(act.session, source, letters)
        counts = {
            "replayed": len(letters),
            "stored": stored.events + stored.signals + stored.conversions,
            "duplicates": stored.duplicates,
            "dead": still_dead,
        }
        await act.record_of_all("dead_letters.replay", "dead_letter", digest or "some", **counts)
    return counts


async def _forget(session: AsyncSession, source: str, letters: Sequence[DeadLetterRow]) -> int:
    """Deletes every trace of the replay except the newest reasons; returns how many letters are still dead."""
    dead = {
        row.digest: row.reason
        for row in await session.scalars(
            select(DeadLetterRow).where(col(DeadLetterRow.source) == source)
        )
    }
    for letter in letters:
        if letter.digest in dead:
            row = await session.merge(letter)
            row.reason = dead[letter.digest]
    await session.execute(delete(DeadLetterRow).where(col(DeadLetterRow.source) == source))
    await session.execute(delete(IngestPositionRow).where(col(IngestPositionRow.source) == source))
    return sum(letter.digest in dead for letter in letters)


def _wanted(digest: str | None, reason: str | None) -> Any:
    wanted = select(DeadLetterRow)
    if digest is not None:
        wanted = wanted.where(col(DeadLetterRow.digest) == _bytes_of(digest))
    if reason is not None:
        wanted = wanted.where(col(DeadLetterRow.reason).startswith(reason, autoescape=True))
    return wanted


def _bytes_of(digest: str) -> bytes:
    try:
        found = bytes.fromhex(digest)
    except ValueError:
        found = b""
    if len(found) != _DIGEST_BYTES:
        raise NotFound(f"There is no dead letter {digest!r}: a digest is 64 hex digits.")
    return found


def _shown(row: DeadLetterRow) -> dict[str, Any]:
    return shown(row, "source", "partition", "position", "reason", "at") | {
        "digest": row.digest.hex(),
        "bytes": len(row.raw),
    }
