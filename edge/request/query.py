"""
Parses a request's query into names and first values, once. It is several times cheaper than the general parser.

If a consent signal occurs again with another value, neither value can be trusted. All its values are kept together
behind a comma; the parsers of `common.privacy.consent` treat that as garbled, which forbids. The applicable sections
(``gpp_sid``) are a list, and all named sections apply.
"""

from collections.abc import Sequence
from typing import Final, final
from urllib.parse import unquote_plus

from common.decision.rules.kinds import PARAMETERS

KEY_VALUE: Final = "kv."

TARGETING: Final = frozenset(
    [parameter.name for parameter in PARAMETERS if not parameter.is_key_values]
)
"""Parameters that the targeting kinds declare."""
OF_THE_READER: Final = frozenset({"uid", "seen", "ip", "ua", "lmt", "ifa_type"}) | TARGETING
"""Parameters whose values differ with nearly every request; the others repeat."""
LISTS: Final = frozenset(
    [one.name for one in PARAMETERS if not one.choices and not one.is_key_values]
)
"""Parameters whose repeated values form one list."""
CONSENT: Final = frozenset(
    {"gdpr", "gdpr_consent", "gpp", "gpp_sid", "us_privacy", "coppa", "lgpd", "npa"}
)
"""
Parameters whose differing values are all kept, because they contradict each other. Of parameters neither here nor in
`LISTS`, the first value counts.
"""
READ: Final = (
    OF_THE_READER
    | CONSENT
    | {"key", "slot", "format", "w", "h", "output", "debug", "preview_ad", "lang"}
    | {"surface", "client", "test_scenario", "test_now"}
    | {"pod", "max_duration_ms", "vast_version", "empty", "macros", "breaks"}
)
"""Parameters that decide or change the response. Others are ignored, except `ONLY_FOR_DEBUG`: most are foreign."""
ONLY_FOR_DEBUG: Final = frozenset({"url"})
"""Parameters that only `debug` returns. No cache key contains them, because requests with `debug` are never cached."""
_PARSED: Final = READ | ONLY_FOR_DEBUG
_NOT_STABLE: Final = OF_THE_READER | ONLY_FOR_DEBUG


@final
class Query:
    """
    A parsed query.

    ``values``: the first value by name; for `LISTS` all values, joined by commas. A parameter without a value is left
    out, and a ``slot`` that is only commas. ``key_values``: every ``kv.NAME=VALUE``, names without the prefix.
    ``stable``: the parts of the query, as they came, that determine all of ``values`` except `OF_THE_READER` and
    `ONLY_FOR_DEBUG`. ``several_slots``: the requested slots where there is more than one, else empty; ``slot`` may be
    repeated, and each value may be a list.
    """

    def __init__(
        self,
        values: dict[str, str],
        key_values: Sequence[tuple[str, str]],
        stable: tuple[str, ...],
        several_slots: tuple[str, ...],
    ) -> None:
        self.values = values
        self.key_values = key_values
        self.stable = stable
        self.several_slots = several_slots

    def get(self, name: str) -> str | None:
        return self.values.get(name)

    @property
    def first_slot(self) -> str | None:
        """The first requested slot: its key or id, as it came."""
        value = self.values.get("slot")
        return None if value is None else slots_of(value)[0]


def parse_query(text: str) -> Query:  # noqa: C901 - each call would cost every request
    """As `urllib.parse.parse_qs` for the names that the edge reads; first values only, except `LISTS` and `CONSENT`."""
    values: dict[str, str] = {}
    pairs: list[tuple[str, str]] = []
    stable: list[str] = []
    more_slots = ""
    for part in text.split("&"):
        name, _, value = part.partition("=")
        if not value:
            continue
        if name not in _PARSED:
            name = _plain(name)
            if name.startswith(KEY_VALUE):
                pairs.append((name[3:], _plain(value)))
                continue
            if name not in _PARSED:
                continue
        if name not in values:
            plain = _plain(value)
            if name == "slot" and not slots_of(plain):
                continue
            values[name] = plain
            if name not in _NOT_STABLE:
                stable.append(part)
        elif name == "slot":
            more_slots += "," + _plain(value)
        elif _add_value(values, name, _plain(value)):
            stable.append(part)
    return Query(values, pairs, tuple(stable), _several_slots(values.get("slot"), more_slots))


def slots_of(value: str) -> list[str]:
    """Splits the value of a ``slot`` parameter at commas: neither a key nor an id contains one."""
    return [text for text in value.split(",") if text]


def _several_slots(first: str | None, more: str) -> tuple[str, ...]:
    if first is None or not (more or "," in first):
        return ()
    slots = slots_of(first + more)
    return tuple(slots) if len(slots) > 1 else ()


def _add_value(values: dict[str, str], name: str, value: str) -> bool:
    """Adds another *value* of *name* where it may have several. Returns whether that changes ``stable``."""
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
