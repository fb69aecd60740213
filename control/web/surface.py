"""All rooms of the dashboard on one screen."""

from control.web.account import screens as account
from control.web.audit_log import screens as audit_log
from control.web.mailed import screens as mailed
from control.web.members import screens as members
from control.web.money import screens as money
from control.web.overview import screens as overview
from control.web.profile import screens as profile
from control.web.screen import Screen
from control.web.sign_in import screens as sign_in
from control.web.sign_up import screens as sign_up

SCREENS: tuple[Screen, ...] = (
    *sign_in.SCREENS,
    *sign_up.SCREENS,
    *mailed.SCREENS,
    *overview.SCREENS,
    *members.SCREENS,
    *money.SCREENS,
    *audit_log.SCREENS,
    *account.SCREENS,
    *profile.SCREENS,
)
