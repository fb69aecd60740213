"""Validates the request of an embed session beyond its single fields."""

from common.contract.validation_errors import refuse
from common.values.environment import Environment
from common.values.errors import Detail
from common.values.messages import Message
from control.dashboard.embed_sessions.components import TAKES_CAMPAIGN
from control.dashboard.embed_sessions.origins import is_local
from control.dashboard.embed_sessions.schemas import EmbedSessionCreate


def check_fits(body: EmbedSessionCreate, environment: Environment | None) -> None:
    """Raises `Refused` (422) with every field that does not fit the component or the key."""
    faults = _campaign_faults(body)
    if is_local(body.origin) and environment is not Environment.TEST:
        faults.append(
            Detail(
                "origin",
                "origin_not_https",
                Message(
                    "Only test keys may use http://localhost. Send the https origin of your application."
                ),
            )
        )
    if faults:
        raise refuse(faults)


def _campaign_faults(body: EmbedSessionCreate) -> list[Detail]:
    if body.component in TAKES_CAMPAIGN or body.context.campaign_id is None:
        return []
    return [
        Detail(
            "context.campaign_id",
            "not_taken",
            Message(
                "Only the components `campaign_edit` and `ad_create` accept this field. Remove it."
            ),
        )
    ]
