"""Money is integer micros inside and integer cents at the API; never a float."""

from typing import Self

_CODES = (
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF "
    "CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL "
    "HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD "
    "MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG "
    "QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD "
    "TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG "
)
CURRENCIES = frozenset(_CODES.split())
"""
ISO 4217 (list one of 2024), without funds, metals and test codes. In each of them a cent is a hundredth of the unit,
even where the currency has a different minor unit or none.
"""
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


class Amount(str):
    """``USD 1,234.05``. In a `Message`, each language writes it in its own form, until the message is stored."""

    __slots__ = ("cents", "currency")

    cents: int
    currency: str

    def __new__(cls, cents: int, currency: str) -> Self:
        sign = "-" if cents < 0 else ""
        whole, part = divmod(abs(cents), 100)
        self = super().__new__(cls, f"{currency} {sign}{whole:,}.{part:02d}")
        self.cents = cents
        self.currency = currency
        return self
