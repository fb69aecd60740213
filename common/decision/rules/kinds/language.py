"""Targets the visitor's languages, from ``Accept-Language`` or from the query: the edge's cache has both in its key."""

import re
from collections.abc import Collection
from functools import lru_cache
from typing import Any, Final

from common.decision.rules.kinds.kind import Condition, Dimension, Header, TargetingKind
from common.decision.rules.opportunity import Signals
from common.decision.rules.outcome import NoFillReason
from common.values.languages import without_extensions
from common.values.messages import Message

MAX_LANGUAGES: Final = 20
_READ_CHARS: Final = 1000
_KEPT: Final = 8192

_TAG: Final = re.compile(r"[a-z]{1,8}(?:-[a-z0-9]{1,8}){0,31}")
_WEIGHT: Final = re.compile(r"q[ \t]*=[ \t]*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)")


class Languages(Dimension):
    """Language ranges, BCP 47 in lower case."""

    def parse(self, stored: Any) -> Condition:
        return Condition(frozenset([without_extensions(tag) for tag in stored]))

    def matches(self, condition: Condition, signals: Signals) -> bool:
        return not condition.included or any(
            covers(wanted, spoken) for wanted in condition.included for spoken in signals.languages
        )

    def project(self, signals: Signals, targeted: Any) -> Collection[Any]:
        """Every targeted range that covers one of the languages: the tag itself, and its prefixes at a dash."""
        tags = signals.languages
        found = {tag for tag in tags if tag in targeted}
        for tag in tags:
            end = tag.rfind("-")
            while end >= 0:
                if tag[:end] in targeted:
                    found.add(tag[:end])
                end = tag.rfind("-", 0, end)
        return tuple(sorted(found))


def covers(wanted: str, spoken: str) -> bool:
    """`pt` covers `pt` and `pt-br`; `pt-br` does not cover `pt` (RFC 4647, basic filtering)."""
    return spoken == wanted or spoken.startswith(f"{wanted}-")


def languages_of(text: str) -> tuple[str, ...]:
    """
    Parses language ranges with weights (RFC 9110, 12.5.4); ``pt_BR``, as systems write locales, becomes ``pt-br``.

    It leaves out extensions (``-u-ca-gregory``), ``*``, ranges of weight 0, invalid tags, and everything after the
    first `MAX_LANGUAGES` tags. An unreadable header yields no languages. Reads the first 1 000 characters.
    """
    return _languages(text[:_READ_CHARS])


@lru_cache(maxsize=_KEPT)
def _languages(text: str) -> tuple[str, ...]:
    weighted: list[tuple[float, str]] = []
    for part in text.lower().split(","):
        tag, *parameters = (piece.strip(" \t") for piece in part.split(";"))
        tag = tag.replace("_", "-")
        weight = _weight(parameters)
        if weight > 0 and _TAG.fullmatch(tag) is not None:
            weighted.append((-weight, without_extensions(tag)))
            if len(weighted) == MAX_LANGUAGES:
                break
    weighted.sort(key=lambda one: one[0])
    return tuple(dict.fromkeys(tag for _, tag in weighted))


def _weight(parameters: list[str]) -> float:
    """The weight; 1 where none is given, 0 where it is invalid."""
    for parameter in parameters:
        if parameter.startswith("q"):
            found = _WEIGHT.fullmatch(parameter)
            return float(found[1]) if found is not None else 0.0
    return 1.0


LANGUAGES = TargetingKind(
    "languages",
    NoFillReason.LANGUAGE_NOT_TARGETED,
    Message("The campaign or ad targets other languages than the visitor's."),
    Message("Change `targeting.languages`, or send `lang`."),
    (Languages({"languages": tuple[str, ...]}, of_client=True),),
    header=Header(
        "Accept-Language",
        "languages",
        languages_of,
        description="The visitor's languages, for targeting. `lang` takes precedence.",
        example="pt-BR, pt;q=0.9, en;q=0.5",
    ),
)
