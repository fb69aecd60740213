"""Parses the parameters of ``output=vast`` and ``output=vmap``: which document, and how large the ad break is."""

import re
from typing import Final, final

from common.decision.rules.ad_limits import MAX_POD_ADS, PodSize
from common.values.errors import Detail
from common.values.messages import Message
from edge.request.query import Query

VAST_VERSIONS: Final = ("4.2", "3.0")
"""The first is the default."""
START: Final = "start"
END: Final = "end"
MAX_BREAKS: Final = 20
MAX_BREAK_MS: Final = 3_600_000
MAX_OFFSET_MS: Final = 86_400_000
"""A day, the longest offset that VMAP's ``hh:mm:ss`` writes with two digits for any content."""
_NUMBER = re.compile(r"[0-9]{1,9}")
_SINGLE: Final = PodSize()


@final
class PlayerParams:
    """
    ``version``: of VAST. ``is_pod``: the request names a number of ads, so each has a ``sequence``.
    ``is_never_bodiless``: no fill is an empty document in place of 204. ``has_plain_macros``: see `render_vast`.
    ``breaks``: `START`, `END` or milliseconds, in the requested order.
    """

    def __init__(self, query: Query, faults: list[Detail], *, has_breaks: bool) -> None:
        self.version: str = (
            _choice(query, "vast_version", VAST_VERSIONS, faults) or VAST_VERSIONS[0]
        )
        pod = _whole(query, "pod", 1, MAX_POD_ADS, faults)
        self.is_pod: bool = pod is not None
        longest_ms = _whole(query, "max_duration_ms", 1, MAX_BREAK_MS, faults)
        is_single = pod is None and longest_ms is None
        self.size: PodSize = _SINGLE if is_single else PodSize(pod or 1, longest_ms)
        self.is_never_bodiless: bool = _choice(query, "empty", ("vast",), faults) is not None
        self.has_plain_macros: bool = _choice(query, "macros", ("plain",), faults) is not None
        self.breaks: tuple[str, ...] = _breaks(query, faults) if has_breaks else ()


def _choice(query: Query, name: str, choices: tuple[str, ...], faults: list[Detail]) -> str | None:
    text = query.get(name)
    if text is None or text in choices:
        return text
    message = Message("{param} must be one of {choices}.", param=name, choices=", ".join(choices))
    faults.append(Detail(name, "unknown_value", message))
    return None


def _whole(query: Query, name: str, least: int, most: int, faults: list[Detail]) -> int | None:
    text = query.get(name)
    if text is None:
        return None
    if _NUMBER.fullmatch(text) is not None and least <= int(text) <= most:
        return int(text)
    message = Message(
        "{param} must be a whole number from {min} to {max}.", param=name, min=least, max=most
    )
    faults.append(Detail(name, "out_of_range", message))
    return None


def _breaks(query: Query, faults: list[Detail]) -> tuple[str, ...]:
    texts = tuple(text for text in (query.get("breaks") or "").split(",") if text)
    are_offsets = all(
        text in (START, END) or (_NUMBER.fullmatch(text) and int(text) <= MAX_OFFSET_MS)
        for text in texts
    )
    if texts and are_offsets and len(texts) <= MAX_BREAKS:
        return texts
    message = Message(
        "breaks must list 1 to {max_breaks} positions, each `start`, `end` or milliseconds from the start of the "
        "content up to {max_ms}, like start,600000,end.",
        max_breaks=MAX_BREAKS,
        max_ms=MAX_OFFSET_MS,
    )
    faults.append(Detail("breaks", "invalid", message))
    return ()
