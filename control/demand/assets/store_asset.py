"""
Moves files into the asset store, outside any transaction. A name is recorded before an object is put under it, so the
sweep can remove whatever a crash leaves behind.
"""

from datetime import datetime
from typing import BinaryIO

from sqlalchemy.dialects.postgresql import insert
from sqlmodel import col

from common.service.asset_folder import MEDIA_TYPES
from common.service.rendition_pack import EXTENSION
from common.values.enums import AssetKind
from common.values.errors import Unavailable
from common.values.messages import Message
from control.api.context import ControlContext
from control.demand.assets import rules
from control.demand.assets.inspection import Accepted, Finding, Inspector, Rejected, digest_of
from control.demand.assets.sniff import Sniffed, sniff
from control.foundation.http.uploads import HEAD_BYTES, nameless_file
from control.ports.assets import ObjectAbsent
from control.storage.tables.assets import AssetObjectRow, AssetRow


def upload_name(asset_id: str) -> str:
    """The object name of an upload that is not inspected yet; nothing is served from there."""
    return f"uploads/{asset_id}"


async def claim(control: ControlContext, name: str, now: datetime) -> None:
    """Record that *name* will be put and referred to soon. Raises `Unavailable` while it is being removed."""
    statement = (
        insert(AssetObjectRow)
        .values(name=name, claimed_at=now)
        .on_conflict_do_update(
            index_elements=[col(AssetObjectRow.name)],
            set_={"claimed_at": now},
            where=col(AssetObjectRow.removing_since).is_(None),
        )
        .returning(col(AssetObjectRow.name))
    )
    async with control.database.service() as session:
        if await session.scalar(statement) is None:
            raise Unavailable(
                Message("The same file is being deleted at the moment. Try again shortly.")
            )


async def store_upload(
    control: ControlContext, asset_id: str, file: BinaryIO, *, media_type: str
) -> str:
    """Store the uploaded bytes until they are inspected, and return their object name."""
    name = upload_name(asset_id)
    await claim(control, name, control.clock.now())
    await control.assets.put(name, file, media_type=media_type)
    return name


async def inspect_and_store(
    control: ControlContext, file: BinaryIO, sniffed: Sniffed, kind: AssetKind
) -> Finding:
    """Inspect *file*; if it is accepted, its served form is in the store on return."""
    started_s = control.clock.monotonic_s()
    finding = await control.get(Inspector).inspect(file, sniffed, kind)
    if isinstance(finding, Accepted):
        try:
            finding = await _keep(control, finding, kind)
        finally:
            if isinstance(finding, Accepted):
                _close(finding, file)
    outcome = "ready" if isinstance(finding, Accepted) else "rejected"
    control.metrics.assets.labels(kind.value, outcome).inc()
    control.metrics.asset_seconds.labels(kind.value).observe(
        control.clock.monotonic_s() - started_s
    )
    return finding


def _close(finding: Accepted, file: BinaryIO) -> None:
    if finding.file is not file:
        finding.file.close()
    if finding.renditions is not None:
        finding.renditions.close()


async def examine_upload(control: ControlContext, row: AssetRow) -> Finding:
    """
    Fetch the upload of an announced asset, compare it with the announcement, inspect it and store it.
    Raises `ObjectAbsent` if nothing arrived.
    """
    kind = AssetKind(row.kind)
    folder = control.settings.state / "uploads"
    async with nameless_file(folder) as file:
        size = await control.assets.fetch(
            row.upload_name or upload_name(row.id), file, max_bytes=row.bytes
        )
        if size != row.bytes:
            return Rejected(
                Message(
                    "The file does not have the {size_bytes:,} bytes that were announced. Create the "
                    "asset again.",
                    size_bytes=row.bytes,
                )
            )
        digest, _ = digest_of(file)
        if row.sha256 is not None and digest.hex() != row.sha256:
            return Rejected(
                Message(
                    "The file does not have the SHA-256 that was announced. Create the asset again."
                )
            )
        sniffed = sniff(file.read(HEAD_BYTES))
        if sniffed is None or kind not in sniffed.kinds:
            return Rejected(rules.describe_mismatch(sniffed, kind))
        return await inspect_and_store(control, file, sniffed, kind)


async def delete_upload(control: ControlContext, asset_id: str) -> None:
    """Remove the uploaded bytes, which are no longer needed. If that fails, the sweep removes them later."""
    try:
        await control.assets.remove(upload_name(asset_id))
    except (Unavailable, ObjectAbsent):
        return


async def _keep(control: ControlContext, found: Accepted, kind: AssetKind) -> Finding:
    most = rules.max_bytes(control.settings, kind)
    if found.size_bytes > most:
        return Rejected(
            Message(
                "After re-encoding, the image has more than {max_bytes:,} bytes. Send a smaller one.",
                max_bytes=most,
            )
        )
    await claim(control, found.name, control.clock.now())
    await control.assets.put(found.name, found.file, media_type=found.media_type)
    if found.renditions is not None and found.renditions_name is not None:
        found.renditions.seek(0)
        await claim(control, found.renditions_name, control.clock.now())
        await control.assets.put(
            found.renditions_name, found.renditions, media_type=MEDIA_TYPES[EXTENSION]
        )
    control.metrics.asset_bytes.inc(found.size_bytes)
    return found
