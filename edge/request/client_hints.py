"""Query parameters by which a client describes its page and its user."""

from collections.abc import Mapping
from typing import Final, final

from common.privacy.anonymize import find_address
from common.values.errors import Detail
from common.values.messages import Message
from edge.request.keywords import NO_KEY_VALUES, key_values_of, words_of
from edge.request.query import Query

_NO_WORDS: Final[frozenset[str]] = frozenset()


@final
class ClientHints:
    """``address``, ``user_agent`` and ``segments`` describe the user, and are accepted from servers only."""

    def __init__(
        self,
        keywords: frozenset[str],
        key_values: Mapping[str, frozenset[str]],
        segments: frozenset[str],
        address: str | None,
        user_agent: str | None,
    ) -> None:
        self.keywords = keywords
        self.key_values = key_values
        self.segments = segments
        self.address = address
        self.user_agent = user_agent


def parse_client_hints(query: Query, faults: list[Detail], *, server: bool) -> ClientHints:
    """
    Adds every fault to *faults*.

    *server*: the client is believed, see `Admission`. From other clients ``segments``, ``ip`` and ``ua`` are ignored.
    """
    keywords, segments = query.get("keywords"), query.get("segments") if server else None
    pairs = query.key_values
    return ClientHints(
        _NO_WORDS if keywords is None else words_of("keywords", keywords, faults),
        key_values_of(pairs, faults) if pairs else NO_KEY_VALUES,
        _NO_WORDS if segments is None else words_of("segments", segments, faults),
        _address(query, faults) if server else None,
        query.get("ua") if server else None,
    )


def _address(query: Query, faults: list[Detail]) -> str | None:
    address = query.get("ip")
    if address is None or find_address(address) is not None:
        return address
    message = Message("ip must be the user's IP address, like 203.0.113.7 or 2001:db8::7.")
    faults.append(Detail("ip", "invalid", message))
    return None
