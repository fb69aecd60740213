"""
A synthetic property with any number of campaigns that use all eight kinds of targeting, and callers that fit some.

Seeded: the same on every machine. Two ads a campaign, eight slots. How narrow campaigns aim is made up, but of the
usual shape: half of what is targeted is wanted and half refused, few countries and languages make most of the traffic,
a caller fits about one campaign in a hundred. Bids are spread over 100 … 2 000 cents.
"""

from common.vocabulary import Priority

SLOTS = 8
NOW_MS = 1_800_000_000_000
_DAY_MS = 86_400_000
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_COUNTRIES = tuple(
    [
        "de",
        "us",
        "gb",
        "fr",
        "es",
        "it",
        "nl",
        "pl",
        "at",
        "ch",
        "be",
        "se",
        "dk",
        "no",
        "fi",
        "pt",
        "cz",
        "ie",
        "br",
        "mx",
        "ca",
        "au",
        "jp",
        "in",
        "tr",
        "gr",
        "ro",
        "hu",
        "za",
        "sg",
    ]
)
_LANGUAGES = ("de", "en", "fr", "es", "it", "nl", "pl", "pt", "tr", "ja")
_SPOKEN = ("de", "en", "en-us", "en-gb", "de-at", "fr", "es", "it", "nl", "pl", "pt-br", "tr", "ja")
_ZONES = ("Europe/Berlin", "Europe/London", "America/New_York", "UTC")
_WORDS = tuple(f"word-{number}" for number in range(300))
_SEGMENTS = tuple(f"segment-{number}" for number in range(60))
_VALUES = {
    key: tuple(f"{key}-{n}" for n in range(12)) for key in ("section", "author", "plan", "age")
}
_PRIORITIES = (
    (Priority.SPONSORSHIP, 2),
    (Priority.STANDARD, 10),
    (Priority.AUCTION, 83),
    (Priority.HOUSE, 5),
)
