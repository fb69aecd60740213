"""All rooms of the dashboard on one screen."""

from control.web.account import screens as account
from control.web.ads import screens as ads
from control.web.assets import screens as assets
from control.web.audit_log import screens as audit_log
from control.web.campaigns import screens as campaigns
from control.web.choosing import screens as choosing
from control.web.events import screens as events
from control.web.first_steps import screens as first_steps
from control.web.keys import screens as keys
from control.web.mailed import screens as mailed
from control.web.members import screens as members
from control.web.money import screens as money
from control.web.overview import screens as overview
from control.web.profile import screens as profile
from control.web.properties import screens as properties
from control.web.reports import screens as reports
from control.web.review import screens as review
from control.web.screen import Screen
from control.web.sign_in import screens as sign_in
from control.web.sign_up import screens as sign_up
from control.web.slots import screens as slots

SCREENS: tuple[Screen, ...] = (
    *sign_in.SCREENS,
    *sign_up.SCREENS,
    *mailed.SCREENS,
    *overview.SCREENS,
    *events.SCREENS,
    *campaigns.SCREENS,
    *first_steps.SCREENS,
    *properties.SCREENS,
    *slots.SCREENS,
    *keys.SCREENS,
    *ads.SCREENS,
    *assets.SCREENS,
    *review.SCREENS,
    *reports.SCREENS,
    *members.SCREENS,
    *money.SCREENS,
    *audit_log.SCREENS,
    *account.SCREENS,
    *profile.SCREENS,
    *choosing.SCREENS,
)
