"""The first page after signing in: the account's figures, and what is missing."""

import asyncio

from control.dashboard.onboarding.going_live import may_go_live
from control.dashboard.onboarding.queries import progress_of
from control.dashboard.overview.figures import RANGES, read_overview
from control.dashboard.overview.health import read_health
from control.dashboard.overview.queries import read_sites
from control.dashboard.page import PageRoute, Rendered, Result
from control.dashboard.page_request import PageRequest
from control.dashboard.reports.ranges import LABELS
from control.reporting.reports import endpoints
from control.reporting.reports.metrics import METRICS

STATUSES = {
    "verified": ("Verified", "good"),
    "unverified": ("Not verified", "warn"),
    "suspended": ("Suspended", "bad"),
}


async def show(view: PageRequest) -> Result:
    """A user who may not read figures gets a page with this reason, because every sign-in leads here."""
    if not view.can(endpoints.GET_DELIVERY_REPORT.id):
        return Rendered("overview/without_figures.html")
    overview, steps, sites, health, goes_live = await asyncio.gather(
        read_overview(view),
        progress_of(view),
        read_sites(view),
        read_health(view),
        may_go_live(view),
    )
    through = overview.found.answer["complete_through"]
    return Rendered(
        "overview/overview.html",
        {
            "overview": overview,
            "figures": METRICS,
            "steps": steps,
            "goes_live": goes_live,
            "sites": sites,
            "health": health.with_events(view.now, through),
            "statuses": STATUSES,
            "ranges": {name: LABELS[name] for name in RANGES},
        },
    )


SCREENS = (PageRoute("overview", "", show),)
