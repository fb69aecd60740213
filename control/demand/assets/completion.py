"""Work of ``complete`` before its transaction: checks that the announced file arrived, and inspects small files."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.values.enums import AssetKind, AssetStatus
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.api.call import PreparedInput, PreTransactionCall
from control.demand.assets import rules, store_asset
from control.demand.assets.queries import get_asset
from control.ports.assets import ObjectAbsent


@asynccontextmanager
async def prepare(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    """Yields a `Finding` for a file that is inspected at once, else None. Raises 404, and 409 if no file arrived."""
    control = call.control
    async with control.database.tenant(call.principal.account_id) as session:
        row = await get_asset(session, call.principal, call.path["id"])
    if row.status != AssetStatus.UPLOADING:
        yield PreparedInput(None)
        return
    if await control.assets.size(store_asset.upload_name(row.id)) is None:
        raise _not_arrived()
    finding = None
    if AssetKind(row.kind) in rules.AT_ONCE:
        try:
            finding = await store_asset.examine_upload(control, row)
        except ObjectAbsent:  # a concurrent call has handled it
            raise _not_arrived() from None
    yield PreparedInput(finding)
    if finding is not None:
        await store_asset.delete_upload(control, row.id)


def _not_arrived() -> Refused:
    return Refused(
        ErrorCode.INVALID_STATE,
        Message(
            "The file has not arrived. Send it to the `upload.url` of the response that created "
            "the asset, then try again."
        ),
        param="status",
    )
