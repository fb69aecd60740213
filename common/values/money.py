"""Money is integer micros inside and integer cents at the API; never a float."""

MICROS_PER_CENT = 10_000
"""1 cent = 10 000 micros."""


def cents_to_micros(cents: int) -> int:
    return cents * MICROS_PER_CENT


def micros_to_cents(micros: int) -> int:
    """Rounds down: a displayed amount is never more than what was charged."""
    return micros // MICROS_PER_CENT


def cpm_price_micros(bid_cents: int) -> int:
    """
    Returns the exact price of one impression under CPM:
    ``bid_cents`` buys a thousand, so it is ``bid_cents * 10``.
    """
    return bid_cents * 10


def amount_text(cents: int, currency: str) -> str:
    """Returns an amount formatted for people: ``USD 1,234.05``."""
    sign = "-" if cents < 0 else ""
    whole, part = divmod(abs(cents), 100)
    return f"{currency} {sign}{whole:,}.{part:02d}"
