"""All rooms of the dashboard on one screen."""

from control.web.events import screens as events
from control.web.overview import screens as overview
from control.web.reports import screens as reports
from control.web.screen import Screen
from control.web.sign_in import screens as sign_in

SCREENS: tuple[Screen, ...] = (
    *sign_in.SCREENS,
    *overview.SCREENS,
    *events.SCREENS,
    *reports.SCREENS,
)
