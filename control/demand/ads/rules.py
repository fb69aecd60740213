"""The rules of ads, pure: status transitions, review, and the check of their campaign."""

from typing import Any

from common.values.enums import AdStatus, CampaignStatus
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from control.foundation.state_machine import Transitions
from control.storage.tables.campaigns import AdRow

ACTIVATE, PAUSE, RESUME, ARCHIVE = "activate", "pause", "resume", "archive"
APPROVE, REJECT = "approve", "reject"

TRANSITIONS = Transitions(
    "ad",
    {
        (AdStatus.DRAFT, ACTIVATE): AdStatus.ACTIVE,
        (AdStatus.DRAFT, ARCHIVE): AdStatus.ARCHIVED,
        (AdStatus.PENDING_REVIEW, APPROVE): AdStatus.ACTIVE,
        (AdStatus.PENDING_REVIEW, REJECT): AdStatus.REJECTED,
        (AdStatus.PENDING_REVIEW, ARCHIVE): AdStatus.ARCHIVED,
        (AdStatus.REJECTED, ARCHIVE): AdStatus.ARCHIVED,
        (AdStatus.ACTIVE, PAUSE): AdStatus.PAUSED,
        (AdStatus.ACTIVE, ARCHIVE): AdStatus.ARCHIVED,
        (AdStatus.PAUSED, RESUME): AdStatus.ACTIVE,
        (AdStatus.PAUSED, ACTIVATE): AdStatus.ACTIVE,
        (AdStatus.PAUSED, ARCHIVE): AdStatus.ARCHIVED,
    },
    hints={AdStatus.REJECTED: Message("Any change makes it a draft again.")},
)
"""
| from           | activate | pause  | resume  | approve | reject   | archive  | PATCH of what a reviewer sees |
|----------------|----------|--------|---------|---------|----------|----------|-------------------------------|
| draft          | active*  |        |         |         |          | archived |                               |
| pending_review |          |        |         | active  | rejected | archived | draft                         |
| rejected       |          |        |         |         |          | archived | draft (by any PATCH)          |
| active         |          | paused |         |         |          | archived | pending_review*               |
| paused         | active*  |        | active* |         |          | archived | draft*                        |
| archived       |          |        |         |         |          |          |                               |

* `pending_review` instead of `active` where review is demanded and the ad is not approved as it is. After a PATCH,
the starred statuses apply only where review is demanded.
"""

SEEN_BY_REVIEWERS = ("content", "click_url", "tracking", "categories")


def seen_by_reviewers(row: AdRow) -> tuple[Any, ...]:
    """The values that an approval applies to; compare them before and after a change."""
    return tuple(getattr(row, name) for name in SEEN_BY_REVIEWERS)


def status_after_change(row: AdRow, *, seen_changed: bool, demanded: bool) -> str:
    """
    The status of the ad after a PATCH. Reviewers approve only what they saw, and unapproved content is not shown.

    A changed ad that is active returns to review and does not serve meanwhile. One that is pending review or paused
    becomes a draft.
    """
    if row.status == AdStatus.REJECTED:
        return AdStatus.DRAFT.value
    if not (seen_changed and demanded):
        return row.status
    after: dict[str, AdStatus] = {
        AdStatus.ACTIVE: AdStatus.PENDING_REVIEW,
        AdStatus.PAUSED: AdStatus.DRAFT,
        AdStatus.PENDING_REVIEW: AdStatus.DRAFT,
    }
    return after.get(row.status, AdStatus(row.status)).value


def check_campaign_open(campaign_status: str) -> None:
    """Raises 409 `invalid_state` for an archived campaign: it accepts no new ads and starts none."""
    if campaign_status == CampaignStatus.ARCHIVED:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message("The ad's campaign is archived. Use another campaign."),
            param="campaign_id",
        )


def check_assets(archived_id: str | None) -> None:
    """Raises 409 `invalid_state` for an ad that uses an archived asset."""
    if archived_id is not None:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message(
                "The asset {asset_id} is archived. Give the ad another asset first.",
                asset_id=archived_id,
            ),
            param="asset_ids",
        )


def check_editable(row: AdRow) -> None:
    """Raises 409 `invalid_state` for an archived ad."""
    if row.status == AdStatus.ARCHIVED:
        raise Refused(
            ErrorCode.INVALID_STATE,
            Message("The ad is archived and cannot be changed. Create a new one."),
            param="status",
        )
