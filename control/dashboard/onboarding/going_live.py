"""From a campaign in TEST to one that visitors see: its copy in Live with a live key, then the launch of the copy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from common.values.environment import Environment
from common.values.errors import not_found
from control.dashboard.campaigns.actions import is_reviewed, launch
from control.dashboard.onboarding import sample
from control.dashboard.onboarding.queries import OnboardingStep, Progress, progress_of
from control.dashboard.page_request import PageRequest
from control.demand.ads import operations as ads
from control.demand.campaigns import operations as campaigns
from control.inventory.api_keys import operations as keys


@dataclass(frozen=True, slots=True)
class GoingLive:
    """
    The next of two acts, each None if it is not to be done, or not by this user.

    ``trial``: the TEST campaign to copy. ``copy``: the live draft to launch, whose ads are ready.
    """

    trial: Mapping[str, Any] | None = None
    copy: Mapping[str, Any] | None = None
    waits_for_review: bool = False


async def going_live_of(view: PageRequest, progress: Progress) -> GoingLive:
    if progress.environment.is_test or OnboardingStep.CAMPAIGN in progress.done:
        return GoingLive()
    if progress.campaign_id is not None:
        copy = await _launchable(view, progress.campaign_id)
        return GoingLive(copy=copy, waits_for_review=copy is not None and is_reviewed(view, copy))
    may_copy = view.can(campaigns.CLONE.id) and (progress.key_id or view.can(keys.CREATE_SDK.id))
    if progress.trial_id is None or progress.property_id is None or not may_copy:
        return GoingLive()
    return GoingLive(trial=await view.call(campaigns.GET, path={"id": progress.trial_id}))


async def may_go_live(view: PageRequest) -> bool:
    """Whether a page of TEST offers it: a TEST campaign runs and could be copied, and none runs in Live yet."""
    if view.environment is not Environment.TEST or not view.can(campaigns.CLONE.id):
        return False
    live = await progress_of(view, Environment.LIVE)
    return (
        live is not None and live.trial_id is not None and OnboardingStep.CAMPAIGN not in live.done
    )


async def copy_to_live(view: PageRequest, progress: Progress) -> None:
    """
    Creates the live key where there is none, and copies the TEST campaign as a draft: activating it spends money.
    Raises the 404 if there is nothing to copy.
    """
    trial = (await going_live_of(view, progress)).trial
    if trial is None or progress.property_id is None:
        raise not_found()
    if progress.key_id is None:
        await sample.create_key(view, progress.property_id, view.form_field("name"))
    body = {"environment": view.environment, "name": trial["name"]}
    await view.call(campaigns.CLONE, path={"id": trial["id"]}, body=body)


async def launch_copy(view: PageRequest, progress: Progress) -> None:
    """Raises the 404 if there is nothing to launch."""
    copy = (await going_live_of(view, progress)).copy
    if copy is None:
        raise not_found()
    await launch(view, copy["id"])


async def _launchable(view: PageRequest, campaign_id: str) -> Mapping[str, Any] | None:
    """The campaign, if it is a draft with ads and the user may activate both."""
    if not all(view.can(one.id) for one in (campaigns.GET, campaigns.ACTIVATE, ads.ACTIVATE)):
        return None
    found: Mapping[str, Any] = await view.call(campaigns.GET, path={"id": campaign_id})
    query = {"campaign_id": campaign_id, "status": "draft", "limit": 1}
    if found["status"] != "draft" or not (await view.call(ads.LIST, query=query))["data"]:
        return None
    return found
