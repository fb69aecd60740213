"""What a caller itself says of its page and its reader, read from the query."""

from collections.abc import Mapping
from dataclasses import dataclass

from common.errors import Detail
from common.privacy.reduce import find_address
from edge.http.query import Query
from edge.opportunity.languages import languages_of
from edge.opportunity.words import NO_KEY_VALUES, key_values_of, words_of

_NO_WORDS: frozenset[str] = frozenset()


@dataclass(slots=True)
class Told:
    """
    ``address``, ``user_agent`` and ``segments`` are said by servers only, of the reader they ask for. ``languages``
    are empty where nothing was said that can be read.
    """

    languages: tuple[str, ...]
    keywords: frozenset[str]
    key_values: Mapping[str, frozenset[str]]
    segments: frozenset[str]
    address: str | None
    user_agent: str | None


def told_of(query: Query, faults: list[Detail], *, server: bool) -> Told:
    """
    Every fault goes into *faults*. *server*: a secret key was shown; to others ``segments``, ``ip`` and ``ua`` are
    parameters nobody knows.
    """
    pairs = query.key_values
    return Told(
        languages_of(query["lang"]) if "lang" in query else (),
        words_of("keywords", query["keywords"], faults) if "keywords" in query else _NO_WORDS,
        key_values_of(pairs, faults) if pairs else NO_KEY_VALUES,
        words_of("segments", query["segments"], faults)
        if server and "segments" in query
        else _NO_WORDS,
        _address(query, faults) if server else None,
        query.get("ua") if server else None,
    )


def _address(query: Query, faults: list[Detail]) -> str | None:
    address = query.get("ip")
    if address is None or find_address(address) is not None:
        return address
    message = "ip is the reader's address, like 203.0.113.7 or 2001:db8::7."
    faults.append(Detail("ip", "invalid", message))
    return None
