"""What a caller itself says of its page and its reader, read from the query."""

from collections.abc import Mapping
from dataclasses import dataclass, field

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

    languages: tuple[str, ...] = ()
    keywords: frozenset[str] = _NO_WORDS
    key_values: Mapping[str, frozenset[str]] = field(default_factory=lambda: NO_KEY_VALUES)
    segments: frozenset[str] = _NO_WORDS
    address: str | None = None
    user_agent: str | None = None


def told_of(query: Query, faults: list[Detail], *, server: bool) -> Told:
    """
    Every fault goes into *faults*. *server*: a secret key was shown; to others ``segments``, ``ip`` and ``ua`` are
    parameters nobody knows.
    """
    told = Told(key_values=key_values_of(query.key_values, faults))
    if (keywords := query.get("keywords")) is not None:
        told.keywords = words_of("keywords", keywords, faults)
    if (languages := query.get("lang")) is not None:
        told.languages = languages_of(languages)
    if server:
        _add_servers_own(told, query, faults)
    return told


def _add_servers_own(told: Told, query: Query, faults: list[Detail]) -> None:
    if (segments := query.get("segments")) is not None:
        told.segments = words_of("segments", segments, faults)
    if (address := query.get("ip")) is not None:
        if find_address(address) is None:
            message = "ip is the reader's address, like 203.0.113.7 or 2001:db8::7."
            faults.append(Detail("ip", "invalid", message))
        else:
            told.address = address
    told.user_agent = query.get("ua")
