"""The screens of all sections of the dashboard."""

from control.dashboard.account import screens as account
from control.dashboard.ads import screens as ads
from control.dashboard.assets import screens as assets
from control.dashboard.audit_log import screens as audit_log
from control.dashboard.billing import invoices, payouts, wallet
from control.dashboard.campaigns import screens as campaigns
from control.dashboard.docs import screens as docs
from control.dashboard.email_links import screens as email_links
from control.dashboard.events import screens as events
from control.dashboard.front import screens as front
from control.dashboard.keys import screens as keys
from control.dashboard.members import screens as members
from control.dashboard.onboarding import screens as onboarding
from control.dashboard.overview import screens as overview
from control.dashboard.page import PageRoute
from control.dashboard.pickers import screens as pickers
from control.dashboard.privacy import screens as privacy
from control.dashboard.profile import screens as profile
from control.dashboard.properties import screens as properties
from control.dashboard.reports import screens as reports
from control.dashboard.review import screens as review
from control.dashboard.search import screens as search
from control.dashboard.sign_in import screens as sign_in
from control.dashboard.sign_up import screens as sign_up
from control.dashboard.slots import screens as slots

SCREENS: tuple[PageRoute, ...] = (
    *front.SCREENS,
    *sign_in.SCREENS,
    *sign_up.SCREENS,
    *email_links.SCREENS,
    *overview.SCREENS,
    *events.SCREENS,
    *campaigns.SCREENS,
    *onboarding.SCREENS,
    *properties.SCREENS,
    *slots.SCREENS,
    *keys.SCREENS,
    *ads.SCREENS,
    *assets.SCREENS,
    *review.SCREENS,
    *reports.SCREENS,
    *members.SCREENS,
    *invoices.SCREENS,
    *wallet.SCREENS,
    *payouts.SCREENS,
    *audit_log.SCREENS,
    *privacy.SCREENS,
    *account.SCREENS,
    *profile.SCREENS,
    *pickers.SCREENS,
    *search.SCREENS,
    *docs.SCREENS,
)
