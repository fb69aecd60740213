"""All pages about money."""

from control.web.money import invoices, payouts, wallet

SCREENS = (*invoices.SCREENS, *wallet.SCREENS, *payouts.SCREENS)
