"""An ad's rules, pure: its life, and what it asks of an edge."""

from common.decision.support import targeting
from common.errors import ErrorCode, Refused
from common.vocabulary import AdStatus, CampaignStatus
from control.states import Transitions
from control.tables.campaigns import AdRow

ACTIVATE, PAUSE, RESUME, ARCHIVE = "activate", "pause", "resume", "archive"

TRANSITIONS = Transitions(
    "ad",
    {
        (AdStatus.DRAFT, ACTIVATE): AdStatus.ACTIVE,
        (AdStatus.DRAFT, ARCHIVE): AdStatus.ARCHIVED,
        (AdStatus.PENDING_REVIEW, ARCHIVE): AdStatus.ARCHIVED,
        (AdStatus.REJECTED, ARCHIVE): AdStatus.ARCHIVED,
        (AdStatus.ACTIVE, PAUSE): AdStatus.PAUSED,
        (AdStatus.ACTIVE, ARCHIVE): AdStatus.ARCHIVED,
        (AdStatus.PAUSED, RESUME): AdStatus.ACTIVE,
        (AdStatus.PAUSED, ACTIVATE): AdStatus.ACTIVE,
        (AdStatus.PAUSED, ARCHIVE): AdStatus.ARCHIVED,
    },
)
"""draft → active ⇄ paused → archived; all may be archived. Review joins between draft and active."""


def check_campaign_open(campaign_status: str) -> None:
    """Raises 409 `invalid_state`: an archived campaign takes no ads and starts none."""
    if campaign_status == CampaignStatus.ARCHIVED:
        raise Refused(
            ErrorCode.INVALID_STATE,
            "The ad's campaign is archived. Use a campaign that is not.",
            param="campaign_id",
        )


def check_editable(row: AdRow) -> None:
    """Raises 409 `invalid_state` for an archived ad."""
    if row.status == AdStatus.ARCHIVED:
        raise Refused(
            ErrorCode.INVALID_STATE,
            "The ad is archived and stays as it is. Create a new one.",
            param="status",
        )


def requires_of(row: AdRow) -> tuple[str, ...]:
    """What the ad asks of an edge beyond the plain things, in the words of `common.decision.support`."""
    return tuple(targeting(kind) for kind in sorted(row.targeting))
