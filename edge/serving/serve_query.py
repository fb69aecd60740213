"""Parses the query of a serve request. Unknown parameters are ignored, because deployed tags send them."""

import re
from collections.abc import Sequence
from typing import Final, final

from common.values.enums import Format, Surface
from common.values.errors import Detail, ErrorCode, Refused
from common.values.generation_cache import GenerationCache
from edge.admission.client_address import library_surface
from edge.request.client_cap_counts import ClientCapCounts, parse_cap_counts
from edge.request.client_hints import ClientHints, parse_client_hints
from edge.request.languages import languages_of
from edge.request.query import Query
from edge.serving.consent import ConsentSignalsKey, consent_signals_key

MAX_SIDE: Final = 10_000
_MAX_UID_CHARS: Final = 128
_NUMBER = re.compile(r"[0-9]{1,5}")
_FORMATS: Final[dict[str, Format]] = {item.value: item for item in Format}
_SURFACES: Final[dict[str, Surface]] = {item.value: item for item in Surface}
_OUTPUTS: Final = ("json", "html")
_LATER_OUTPUTS: Final = ("vast", "amp")
_OFF: Final = ("", "0", "false")
_MAX_REMEMBERED: Final = 2048
_MAX_CHARS: Final = 2048
"""Longest query that is cached, so that strangers cannot fill the memory."""
_NO_SLOT: Final = Detail("slot", "required", "Name the slot: ?slot= takes its key or its id.")


@final
class TagParams:
    """
    The query parameters of slot, page and consent: all except those of one user.

    It is immutable and cached, because the same tag on the same site sends the same parameters again and again.

    ``slot``: its key or id. ``width``/``height``: the available room. ``languages``: empty where none can be parsed.
    ``surface``: as a server names it; ``library``: the surface of the client library. ``faults``: what is missing or
    cannot be parsed, to be reported together with the faults of the rest.
    """

    def __init__(self, query: Query) -> None:
        faults = list[Detail]()
        debug, lang = query.get("debug"), query.get("lang")
        self.debug: bool = debug is not None and debug not in _OFF
        self.preview_ad_id: str | None = _id(query, "preview_ad")
        self.slot: str | None = _slot(query, faults)
        self.url: str | None = query.get("url")
        self.format: Format | None = _format(query, faults)
        self.width: int | None = _side(query, "w", faults)
        self.height: int | None = _side(query, "h", faults)
        self.output: str = _output(query, faults)
        self.languages: tuple[str, ...] = () if lang is None else languages_of(lang)
        self.consent: ConsentSignalsKey = consent_signals_key(query)
        surface = query.get("surface")
        self.surface: Surface | None = None if surface is None else _SURFACES.get(surface)
        self.has_unknown_surface: bool = surface is not None and self.surface is None
        self.library: Surface | None = library_surface(query.get("client"))
        self.faults: Sequence[Detail] = tuple(faults)


@final
class UserParams:
    """The query parameters of one user. ``uid``: as it came, whether it may be used or not."""

    def __init__(self, told: ClientHints, uid: str | None, seen: ClientCapCounts | None) -> None:
        self.told = told
        self.uid = uid
        self.seen = seen


_remembered = GenerationCache(_MAX_REMEMBERED)


def parse_tag_params(query: Query) -> TagParams:
    """Never raises."""
    asked: TagParams | None = _remembered.get(query.steady)
    if asked is None:
        asked = TagParams(query)
        if sum([len(part) for part in query.steady]) <= _MAX_CHARS:
            _remembered.put(query.steady, asked)
    return asked


def parse_user_params(
    query: Query, asked: TagParams, *, server: bool, more: Sequence[Detail] = ()
) -> UserParams:
    """
    *server*: the client is believed, see `Admission`. *more*: faults found elsewhere.

    Raises `Refused` with every fault, those of *asked* first.
    """
    faults = list(asked.faults)
    told = parse_client_hints(query, faults, server=server)
    if server and asked.has_unknown_surface:
        message = f"surface is one of {', '.join(_SURFACES)}."
        faults.append(Detail("surface", "unknown_value", message))
    uid, seen = query.get("uid"), parse_cap_counts(query.get("seen"), faults)
    if uid is not None and len(uid) > _MAX_UID_CHARS:
        faults.append(Detail("uid", "too_long", f"uid takes at most {_MAX_UID_CHARS} characters."))
    faults += more
    if faults:
        raise Refused(
            ErrorCode.VALIDATION_FAILED,
            " ".join([fault.message for fault in faults]),
            param=faults[0].param,
            details=tuple(faults),
        )
    return UserParams(told, uid, seen)


def slots_of(value: str) -> list[str]:
    """Splits the value of a ``slot`` parameter at commas: neither a key nor an id contains one."""
    return [text for text in value.split(",") if text]


def _slot(query: Query, faults: list[Detail]) -> str | None:
    """The first slot that the query names."""
    named = slots_of(query.get("slot") or "")
    if not named:
        faults.append(_NO_SLOT)
        return None
    return named[0]


def _id(query: Query, name: str) -> str | None:
    """The id in lower case, as all ids are: some systems send them in upper case."""
    text = query.get(name)
    return None if text is None else text.lower()


def _format(query: Query, faults: list[Detail]) -> Format | None:
    text = query.get("format")
    if text is None:
        return None
    known = _FORMATS.get(text)
    if known is None:
        names = ", ".join(_FORMATS)
        faults.append(Detail("format", "unknown_value", f"format is one of {names}."))
    return known


def _side(query: Query, name: str, faults: list[Detail]) -> int | None:
    text = query.get(name)
    if text is None:
        return None
    if _NUMBER.fullmatch(text) is None or not 1 <= int(text) <= MAX_SIDE:
        faults.append(
            Detail(name, "out_of_range", f"{name} is a whole number of pixels, 1 to {MAX_SIDE}.")
        )
        return None
    return int(text)


def _output(query: Query, faults: list[Detail]) -> str:
    text = query.get("output")
    if text is None or text in _OUTPUTS:
        return text or _OUTPUTS[0]
    if text in _LATER_OUTPUTS:
        message = f"output={text} is not available yet. Use json or html."
        faults.append(Detail("output", "not_available", message))
    else:
        faults.append(Detail("output", "unknown_value", "output is json or html."))
    return _OUTPUTS[0]
