"""Clones a campaign: the same terms and ads, all as drafts, without spend or review."""

from collections.abc import Mapping
from typing import Any, TypeVar

from common.contract.permissions import Permission
from common.snapshot.model import ObjectType
from common.values.enums import AdStatus, CampaignStatus
from common.values.environment import Environment
from common.values.errors import invalid
from common.values.ids import new_id
from common.values.messages import Message
from control.api.authentication import wrong_environment
from control.api.authorization import check_has
from control.api.call import Call
from control.demand.campaigns import queries, rules
from control.demand.campaigns.action_schemas import CampaignClone
from control.storage.tables.campaigns import AdRow, CampaignRow

Copied = TypeVar("Copied", CampaignRow, AdRow)
MAX_ADS = 1_000
_NAME_CHARS = 200
NOT_CLONED: Mapping[str, str] = {
    "campaign_id": "a cloned ad belongs to the cloned campaign",
    "completed_from": "of the original: a clone is a draft",
    "external_ref": "unique in its account and environment",
    "name_key": "computed by PostgreSQL",
    "only_property_id": "computed by PostgreSQL",
    "review": "of the original: nobody has reviewed the clone",
    "version": "counts the changes of one object",
}
"""Columns whose value a clone does not take from its original, and why. It takes all others."""


async def clone_campaign(call: Call, source: CampaignRow, body: CampaignClone) -> CampaignRow:
    """
    Raises 422 if the new flight does not fit the terms, or if there are more than `MAX_ADS` ads to clone; 403
    `wrong_environment` if a key names another environment than its own, or if the caller may not create the ads.
    """
    environment = _environment(call, source, body)
    row = copy_of(source, **_born(call, environment, CampaignStatus.DRAFT))
    row.name = body.name or f"Copy of {source.name}"[:_NAME_CHARS]
    for name in body.model_fields_set & {"start_at", "end_at"}:
        setattr(row, name, getattr(body, name))
    rules.check_terms(row)
    await queries.save_campaign(call.session, row)
    call.changes.touch(ObjectType.CAMPAIGN, row.id)
    if body.include_ads:
        await _clone_ads(call, source, row)
    call.object_id = row.id
    return row


async def _clone_ads(call: Call, source: CampaignRow, row: CampaignRow) -> None:
    ads = await queries.list_ads_to_clone(call.session, source, limit=MAX_ADS + 1)
    if len(ads) > MAX_ADS:
        raise invalid(
            "include_ads",
            "too_many",
            Message(
                "The campaign has more than {max_ads} ads. Clone it without its ads, then add the "
                "ones you need.",
                max_ads=MAX_ADS,
            ),
        )
    if ads:
        check_has(call.principal, Permission.AD_WRITE)
    for ad in ads:
        born = _born(call, Environment(row.environment), AdStatus.DRAFT)
        made = copy_of(ad, campaign_id=row.id, **born)
        if row.environment != source.environment:
            made.asset_ids = {}  # assets stay in their environment; the content keeps what they filled in
        call.session.add(made)
        call.changes.touch(ObjectType.AD, made.id)
    await call.session.flush()


def _environment(call: Call, source: CampaignRow, body: CampaignClone) -> Environment:
    own = call.principal.environment
    if body.environment is None:
        return Environment(source.environment)
    if own is not None and body.environment is not own:
        raise wrong_environment(own)
    return body.environment


def copy_of(row: Copied, **own: Any) -> Copied:
    """A row that is not saved, with the columns *own*, and every other one of *row* except those of `NOT_CLONED`."""
    taken = type(row).model_fields.keys() - own.keys() - NOT_CLONED.keys()
    return type(row)(**{name: getattr(row, name) for name in taken}, **own)


def _born(
    call: Call, environment: Environment, status: CampaignStatus | AdStatus
) -> dict[str, Any]:
    return {
        "id": new_id(),
        "account_id": call.principal.account_id,
        "environment": environment.value,
        "status": status.value,
        "created_at": call.now,
        "updated_at": call.now,
    }
