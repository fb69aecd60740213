"""All pages about money."""

from control.dashboard.billing import invoices, payouts, wallet

SCREENS = (*invoices.SCREENS, *wallet.SCREENS, *payouts.SCREENS)
