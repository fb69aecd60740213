"""The snapshots of a forecast: what runs on the campaign's properties, and the proposed campaign alone on them."""

from dataclasses import replace
from typing import TypeVar

from common.snapshot.model import Account, Ad, AdRates, Campaign, Pace, Property, Slot
from common.snapshot.snapshot import Snapshot, build_snapshot, parse_entries
from common.values.enums import AccountState
from control.reporting.forecast.job import Job

_Kind = TypeVar("_Kind")


def world_of(job: Job) -> Snapshot:
    """Builds the snapshot as if the account could serve, whatever its wallet holds today. Raises `SnapshotInvalid`."""
    objects = parse_entries(job.entries)
    places = set(job.campaign.property_ids)

    def all_of(kind: type[_Kind]) -> list[_Kind]:
        return [one for one in objects if isinstance(one, kind)]

    accounts = [
        replace(one, state=AccountState.ACTIVE, stopped=False, funded=True)
        for one in all_of(Account)
    ]
    slots = [one for one in all_of(Slot) if one.property_id in places]
    houses = {slot.house_ad_id for slot in slots}
    running = {one.id for one in all_of(Campaign) if places & set(one.property_ids)}
    ads = [one for one in all_of(Ad) if one.campaign_id in running or one.id in houses]
    campaigns = running | {ad.campaign_id for ad in ads}
    ad_ids = {ad.id for ad in ads}
    return build_snapshot(
        job.environment,
        "forecast",
        1,
        [
            *accounts,
            *(one for one in all_of(Property) if one.id in places),
            *slots,
            *(one for one in all_of(Campaign) if one.id in campaigns),
            *ads,
            *(one for one in all_of(Pace) if one.id in running),
            *(one for one in all_of(AdRates) if one.id in ad_ids),
        ],
    )


def alone_of(job: Job, snapshot: Snapshot) -> Snapshot:
    """The proposed campaign alone. Its budget and goal are removed, because they are applied separately."""
    campaign = replace(job.campaign, budget=None, goal=None)
    kept = (
        one
        for kind in (snapshot.accounts, snapshot.properties, snapshot.slots)
        for one in kind.values()
    )
    return build_snapshot(job.environment, "proposed", 1, [*kept, campaign, *job.ads])
