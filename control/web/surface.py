"""All rooms of the dashboard on one screen."""

from control.web.ads import screens as ads
from control.web.assets import screens as assets
from control.web.overview import screens as overview
from control.web.reports import screens as reports
from control.web.review import screens as review
from control.web.screen import Screen
from control.web.sign_in import screens as sign_in

SCREENS: tuple[Screen, ...] = (
    *sign_in.SCREENS,
    *overview.SCREENS,
    *ads.SCREENS,
    *assets.SCREENS,
    *review.SCREENS,
    *reports.SCREENS,
)
