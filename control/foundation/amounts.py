"""Amounts of money as a language writes them, on pages and in mails."""

import re
from decimal import Decimal

from babel import Locale, numbers

_CODE_BEFORE_DIGIT = re.compile(r"(?<=[^\W\d_])(?=\d)")


def format_amount(
    amount: Decimal, currency: str, locale: Locale, *, is_rounded: bool = True
) -> str:
    """
    *amount* in whole units of *currency*. Not rounded, it has as many digits as needed, and at least two.

    A code beside a digit has a space between, as CLDR's ``currencySpacing`` demands and Babel leaves out: ``USD 1.00``.
    """
    written = numbers.format_currency(
        amount, currency, locale=locale, decimal_quantization=is_rounded
    )
    return _CODE_BEFORE_DIGIT.sub("\N{NO-BREAK SPACE}", written)
