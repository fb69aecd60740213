"""The asset endpoints. Edges receive no assets: ads contain the URLs."""

from common.values.enums import AssetStatus
from common.values.errors import ErrorCode, Refused, not_found
from common.values.messages import Message
from control.api.authorization import environment_of
from control.api.call import Call, Endpoint, Reply
from control.api.listing import before_id, page_of
from control.demand.assets import completion, intake, operations, queries, rules
from control.demand.assets.inspection import Finding
from control.demand.assets.intake import Arrival
from control.demand.assets.rows import to_created, to_public
from control.foundation.wire_types import given
from control.inventory.properties.queries import get_property
from control.storage.tables.assets import AssetRow


async def create(call: Call) -> Reply:
    arrival: Arrival = call.prepared
    row = arrival.row
    row.property_id = await _property_of(call, arrival.property_id)
    await queries.hold_account(call.session, row.account_id)
    stored = await queries.stored_bytes(call.session, row.account_id)
    rules.check_quota(call.control.settings, stored, row.bytes)
    call.session.add(row)
    await call.session.flush()
    arrival.written = True
    shown = to_created(row, call.control.settings.assets_url, arrival.link)
    headers = {"Location": f"/v1/assets/{row.id}"}
    return Reply(shown, status=201, headers=headers, secret=arrival.link is not None)


async def list_(call: Call) -> Reply:
    environment = environment_of(call, call.query.environment)
    rows = await queries.list_assets(
        call.session, call.principal, environment, call.query, before_id(call)
    )
    assets_url = call.control.settings.assets_url
    return Reply(page_of(call, rows, lambda row: to_public(row, assets_url)))


async def get(call: Call) -> Reply:
    return _shown(call, await queries.get_asset(call.session, call.principal, call.path["id"]))


async def patch(call: Call) -> Reply:
    row = await queries.get_asset(call.session, call.principal, call.path["id"], lock=True)
    rules.check_changeable(row.status)
    values = given(call.body)
    if values:
        for name, value in values.items():
            setattr(row, name, value)
        row.updated_at = call.now
        await call.session.flush()
    return _shown(call, row)


async def complete(call: Call) -> Reply:
    row = await queries.get_asset(call.session, call.principal, call.path["id"], lock=True)
    if row.status in rules.SETTLED:
        return _shown(call, row)
    row.status = rules.TRANSITIONS.after(row.status, rules.COMPLETE)
    row.updated_at = call.now
    finding: Finding | None = call.prepared
    if finding is not None:
        rules.settle(row, finding, call.now)
    await call.session.flush()
    return _shown(call, row)


async def archive(call: Call) -> Reply:
    row = await queries.get_asset(call.session, call.principal, call.path["id"], lock=True)
    status = rules.TRANSITIONS.after(row.status, rules.ARCHIVE)
    if row.status == AssetStatus.READY:
        await _check_unused(call, row)
    row.status = status
    row.upload_name = row.claimed_until = None
    row.updated_at = call.now
    await call.session.flush()
    return _shown(call, row)


ENDPOINTS = (
    Endpoint(operations.CREATE, create, prepare=intake.prepare, streams=True),
    Endpoint(operations.LIST, list_),
    Endpoint(operations.GET, get),
    Endpoint(operations.PATCH, patch),
    Endpoint(operations.COMPLETE, complete, prepare=completion.prepare),
    Endpoint(operations.ARCHIVE, archive),
)


def _shown(call: Call, row: AssetRow) -> Reply:
    return Reply(to_public(row, call.control.settings.assets_url))


async def _property_of(call: Call, requested: str | None) -> str | None:
    """The property of a new asset; a key can only use its own. Raises 404 `not_found`."""
    own = call.principal.property_id
    if own is not None and requested not in (None, own):
        raise not_found()
    if requested is not None:
        await get_property(call.session, call.principal, requested)
    return own or requested


async def _check_unused(call: Call, row: AssetRow) -> None:
    ad_id = await queries.find_using_ad(call.session, row)
    if ad_id is not None:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message(
                "The active ad {ad_id} uses this asset. Pause that ad, or give it another asset, "
                "first.",
                ad_id=ad_id,
            ),
            param="status",
        )
