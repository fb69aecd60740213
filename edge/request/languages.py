"""The user's languages, from ``lang=`` or ``Accept-Language``: BCP 47 tags in lower case, most preferred first."""

import re
from functools import lru_cache

from common.values.languages import without_extensions

MAX_LANGUAGES = 20
_READ_CHARS = 1000
_KEPT = 8192

_TAG = re.compile(r"[a-z]{1,8}(?:-[a-z0-9]{1,8}){0,31}")
_WEIGHT = re.compile(r"q[ \t]*=[ \t]*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)")


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
