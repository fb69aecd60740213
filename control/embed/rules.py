"""What a window's session may be asked for with, beyond what each field says of itself."""

from common.environment import Environment
from common.errors import Detail
from control.embed.components import NEEDS_CAMPAIGN, TAKES_CAMPAIGN, TAKES_EXTERNAL_REF
from control.embed.origins import is_local
from control.embed.schemas import EmbedSessionCreate
from control.http.faults import refuse


def check_fits(body: EmbedSessionCreate, environment: Environment | None) -> None:
    """Raises `Refused` (422) with every field that does not fit the component or the key."""
    faults = [*_campaign_faults(body), *_reference_faults(body)]
    if is_local(body.origin) and environment is not Environment.TEST:
        faults.append(
            Detail(
                "origin",
                "origin_not_https",
                "http://localhost is for test keys. Name the https origin of your application.",
            )
        )
    if faults:
        raise refuse(faults)


def _campaign_faults(body: EmbedSessionCreate) -> list[Detail]:
    param, given = "context.campaign_id", body.context.campaign_id is not None
    if body.component in NEEDS_CAMPAIGN and not given:
        return [Detail(param, "required", "Name the campaign that is to be edited.")]
    if body.component not in TAKES_CAMPAIGN and given:
        return [
            Detail(
                param, "not_taken", "Only `campaign_edit` and `ad_create` take it. Leave it out."
            )
        ]
    return []


def _reference_faults(body: EmbedSessionCreate) -> list[Detail]:
    if body.component in TAKES_EXTERNAL_REF or body.context.external_ref is None:
        return []
    return [
        Detail(
            "context.external_ref", "not_taken", "Only `campaign_create` takes it. Leave it out."
        )
    ]
