"""What a person sees first: how the account does, and what it lacks."""

import asyncio

from control.reports import endpoints
from control.web.first_steps.progress import progress_of
from control.web.overview.figures import RANGES, read_overview
from control.web.overview.health import read_health
from control.web.overview.properties import read_sites
from control.web.reports.figures import FIGURES
from control.web.reports.ranges import LABELS
from control.web.screen import Result, Screen, Shown
from control.web.view import View

STATUSES = {
    "verified": ("Verified", "good"),
    "unverified": ("Not verified", "warn"),
    "suspended": ("Suspended", "bad"),
}


async def show(view: View) -> Result:
    """Who may not read figures is told so: it is the page that everybody lands on."""
    if not view.may(endpoints.GET_DELIVERY_REPORT.id):
        return Shown("overview/without_figures.html")
    overview, steps, sites, health = await asyncio.gather(
        read_overview(view), progress_of(view), read_sites(view), read_health(view)
    )
    through = overview.found.answer["complete_through"]
    return Shown(
        "overview/overview.html",
        {
            "overview": overview,
            "figures": FIGURES,
            "steps": steps,
            "sites": sites,
            "health": health.with_events(view.now, through),
            "statuses": STATUSES,
            "ranges": {name: LABELS[name] for name in RANGES},
        },
    )


SCREENS = (Screen("overview", "", show),)
