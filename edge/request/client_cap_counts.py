"""
``seen``: the web library's own counter, for requests without a usable uid. The user's device stores it.

``seen=NAME.COUNT,NAME.COUNT``: the ``name`` of each of a response's ``caps``, and how often its event happened within
its window; ``seen=none`` where nothing was counted yet. A missing name counts as 0.
"""

import re
from collections.abc import Mapping

from common.decision.frequency import cap_name
from common.values.errors import Detail
from common.values.messages import Message

NONE = "none"
MAX_CAPS = 64
_PAIR = re.compile(r"([A-Za-z0-9_-]{8})\.([0-9]{1,4})")


class ClientCapCounts:
    """A `common.decision.rules.gates.Lookup` by `cap_key`."""

    def __init__(self, by_name: Mapping[str, int]) -> None:
        self._by_name = by_name

    def get(self, name: str, default: int, /) -> int:
        return self._by_name.get(cap_name(name), default)


def parse_cap_counts(text: str | None, faults: list[Detail]) -> ClientCapCounts | None:
    """Returns None where the client has no counter. Adds a fault to *faults* where *text* is malformed."""
    if text is None:
        return None
    if text == NONE:
        return ClientCapCounts({})
    pairs = text.split(",", MAX_CAPS)
    matches = [_PAIR.fullmatch(pair) for pair in pairs[:MAX_CAPS]]
    found = {match[1]: int(match[2]) for match in matches if match is not None}
    if len(pairs) > MAX_CAPS or None in matches:
        message = Message(
            "seen must be `none`, or up to {max_pairs} NAME.COUNT pairs separated by commas, "
            "with cap names from a serve response.",
            max_pairs=MAX_CAPS,
        )
        faults.append(Detail("seen", "malformed", message))
        return None
    return ClientCapCounts(found)
