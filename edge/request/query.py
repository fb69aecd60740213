"""
A request's query as names and first values, read once. Several times cheaper than the general parser.

A consent signal that comes again with another value has no first value that could be trusted: its values stand
together behind a comma, which the readers of `common.privacy.consent` take for unreadable, and so for a no. Sections
that apply (``gpp_sid``) are a list, and all that are named hold.
"""

from collections.abc import Sequence
from typing import Final, final
from urllib.parse import unquote_plus

KEY_VALUE: Final = "kv."

OF_THE_READER: Final = frozenset({"uid", "seen", "keywords", "segments", "ip", "ua"})
"""Other ones with nearly every call; what the rest says comes again and again."""
LISTS: Final = frozenset({"keywords", "segments"})
"""Repeated, they are one list. (`slot`: `edge.serving.multi_slot`.)"""
CONSENT: Final = frozenset(
    {"gdpr", "gdpr_consent", "gpp", "gpp_sid", "us_privacy", "coppa", "lgpd", "npa"}
)
"""Repeated, values that differ are all kept: they contradict each other. Of other parameters the first value counts."""
READ: Final = (
    OF_THE_READER
    | CONSENT
    | {"key", "slot", "format", "w", "h", "output", "debug", "preview_ad", "lang"}
    | {"surface", "client", "test_scenario", "test_now"}
)
"""The others are accepted and not looked at: some are for what comes later, most are somebody else's."""


@final
class Query:
    """
    ``values``: name to its first value, of `LISTS` to all of them by comma; a parameter without a value is not in it.
    ``key_values``: what came as ``kv.NAME=VALUE``, every one of them, names without the prefix. ``steady``: what says
    all of ``values`` but `OF_THE_READER`, as it came.
    """

    def __init__(
        self,
        values: dict[str, str],
        key_values: Sequence[tuple[str, str]],
        steady: tuple[str, ...],
    ) -> None:
        self.values = values
        self.key_values = key_values
        self.steady = steady

    def get(self, name: str) -> str | None:
        return self.values.get(name)


def parse_query(text: str) -> Query:
    """As `urllib.parse.parse_qs`, of the names the edge reads: first values only, but for `LISTS` and `CONSENT`."""
    values: dict[str, str] = {}
    pairs: list[tuple[str, str]] = []
    steady: list[str] = []
    for part in text.split("&"):
        name, _, value = part.partition("=")
        if not value:
            continue
        if name not in READ:
            if "%" in name or "+" in name:
                name = unquote_plus(name)
            if name.startswith(KEY_VALUE):
                pairs.append((name[3:], _plain(value)))
                continue
            if name not in READ:
                continue
        if name not in values:
            values[name] = _plain(value)
            if name not in OF_THE_READER:
                steady.append(part)
        elif _add_value(values, name, _plain(value)):
            steady.append(part)
    return Query(values, pairs, tuple(steady))


def _add_value(values: dict[str, str], name: str, value: str) -> bool:
    """Takes a further *value* of *name*, where it may have several. Whether that changes what is steady."""
    before = values[name]
    if name in LISTS:
        values[name] = f"{before},{value}"
        return False
    if name not in CONSENT or value == before or before[0] == ",":
        return False
    values[name] = f"{before},{value}" if name == "gpp_sid" else f",{before},{value}"
    return True


def _plain(value: str) -> str:
    return unquote_plus(value) if "%" in value or "+" in value else value
