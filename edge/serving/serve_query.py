"""Parses the query of a serve request. Unknown parameters are ignored, because deployed tags send them."""

import re
from collections.abc import Sequence
from typing import Final, final

from common.decision.rules.kinds import PARAMETERS
from common.decision.rules.kinds.kind import Parameter
from common.privacy.anonymize import find_address
from common.values.enums import Format, Surface
from common.values.errors import Detail
from common.values.generation_cache import GenerationCache
from common.values.messages import Message
from edge.request.client_cap_counts import ClientCapCounts, parse_cap_counts
from edge.request.keywords import key_values_of, words_of
from edge.request.languages import languages_of
from edge.request.libraries import library_surface
from edge.request.query import Query, slots_of
from edge.serving.consent import ConsentSignalsKey, consent_signals_key

MAX_SIDE: Final = 10_000
MAX_SLOTS: Final = 10
_MAX_UID_CHARS: Final = 128
_NUMBER = re.compile(r"[0-9]{1,5}")
_FORMATS: Final[dict[str, Format]] = {item.value: item for item in Format}
_SURFACES: Final[dict[str, Surface]] = {item.value: item for item in Surface}
_OUTPUTS: Final = ("json", "html")
_LATER_OUTPUTS: Final = ("vast", "amp")
_OFF: Final = ("", "0", "false")
_MAX_REMEMBERED: Final = 2048
_MAX_CHARS: Final = 2048
"""Longest query that is cached, so that clients cannot fill the memory."""
_NO_SLOT: Final = Detail(
    "slot", "required", Message("The slot is missing. Send its key or id as ?slot=.")
)


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
class ServeParams:
    """
    All query parameters of one serve request.

    ``signals``: values of the parameters that targeting kinds declare, as far as the query has them. ``address`` and
    ``user_agent`` are accepted from believed clients only.
    ``uid``: as it came, whether it may be used or not. ``faults``: all that is missing or cannot be parsed; where there
    are any, other fields may be empty.
    """

    def __init__(  # noqa: PLR0917 - keywords cost a third of making one
        self,
        tag: TagParams,
        signals: Sequence[tuple[Parameter, object]],
        address: str | None,
        user_agent: str | None,
        uid: str | None,
        seen: ClientCapCounts | None,
        faults: Sequence[Detail],
    ) -> None:
        self.tag = tag
        self.signals = signals
        self.address = address
        self.user_agent = user_agent
        self.uid = uid
        self.seen = seen
        self.faults = faults


_remembered = GenerationCache(_MAX_REMEMBERED)


def parse_serve_query(query: Query, *, believed: bool) -> ServeParams:
    """
    *believed*: see `Admission`; from other clients ``ip``, ``ua`` and `Parameter.believed_only` are ignored. Never
    raises.
    """
    tag: TagParams | None = _remembered.get(query.stable)
    if tag is None:
        tag = TagParams(query)
        if sum([len(part) for part in query.stable]) <= _MAX_CHARS:
            _remembered.put(query.stable, tag)
    faults = list(tag.faults)
    signals = _signals(query, faults, believed=believed)
    uid, address, user_agent = query.get("uid"), None, None
    if believed:
        address, user_agent = query.get("ip"), query.get("ua")
        if address is not None and find_address(address) is None:
            message = Message(
                "ip must be the visitor's IP address, like 203.0.113.7 or 2001:db8::7."
            )
            faults.append(Detail("ip", "invalid", message))
        if tag.has_unknown_surface:
            message = Message("surface must be one of {surfaces}.", surfaces=", ".join(_SURFACES))
            faults.append(Detail("surface", "unknown_value", message))
    seen = parse_cap_counts(query.get("seen"), faults)
    if uid is not None and len(uid) > _MAX_UID_CHARS:
        faults.append(
            Detail(
                "uid",
                "too_long",
                Message(
                    "uid has more than {max_chars} characters. Send a shorter one.",
                    max_chars=_MAX_UID_CHARS,
                ),
            )
        )
    if query.several_slots and tag.slot is not None:
        faults += _multi_slot_faults(query.several_slots, tag)
    return ServeParams(tag, signals, address, user_agent, uid, seen, faults)


def _signals(
    query: Query, faults: list[Detail], *, believed: bool
) -> Sequence[tuple[Parameter, object]]:
    signals: list[tuple[Parameter, object]] = []
    for parameter in PARAMETERS:
        if parameter.is_key_values:
            if query.key_values:
                signals.append((parameter, key_values_of(query.key_values, faults)))
        elif believed or not parameter.believed_only:
            text = query.get(parameter.name)
            if text is not None:
                signals.append((parameter, parse_signal(parameter, text, faults)))
    return signals


def parse_signal(parameter: Parameter, text: str, faults: list[Detail]) -> object:
    """Adds a fault where *text* is none of the parameter's choices."""
    if not parameter.choices:
        return words_of(parameter.name, text, faults)
    value = parameter.choices.get(text)
    if value is None:
        message = Message(
            "{param} must be one of {choices}.",
            param=parameter.name,
            choices=", ".join(parameter.choices),
        )
        faults.append(Detail(parameter.name, "unknown_value", message))
    return value


def _multi_slot_faults(texts: Sequence[str], tag: TagParams) -> Sequence[Detail]:
    """Faults of a request that combines several slots with what only one slot allows."""
    faults = []
    if len(texts) > MAX_SLOTS:
        faults.append(
            Detail(
                "slot",
                "too_many",
                Message(
                    "A request may name at most {max_slots} slots. Send several requests.",
                    max_slots=MAX_SLOTS,
                ),
            )
        )
    if tag.output != "json":
        faults.append(
            Detail(
                "output",
                "one_slot_only",
                Message(
                    "output={output} works with one slot only. Send one request for each slot.",
                    output=tag.output,
                ),
            )
        )
    if tag.preview_ad_id is not None:
        faults.append(
            Detail(
                "preview_ad",
                "one_slot_only",
                Message("preview_ad works with one slot only. Send one request for each slot."),
            )
        )
    return faults


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
    cached = _FORMATS.get(text)
    if cached is None:
        names = ", ".join(_FORMATS)
        faults.append(
            Detail(
                "format", "unknown_value", Message("format must be one of {names}.", names=names)
            )
        )
    return cached


def _side(query: Query, name: str, faults: list[Detail]) -> int | None:
    text = query.get(name)
    if text is None:
        return None
    if _NUMBER.fullmatch(text) is None or not 1 <= int(text) <= MAX_SIDE:
        faults.append(
            Detail(
                name,
                "out_of_range",
                Message(
                    "{name} must be a whole number of pixels from 1 to {max_pixels}.",
                    name=name,
                    max_pixels=MAX_SIDE,
                ),
            )
        )
        return None
    return int(text)


def _output(query: Query, faults: list[Detail]) -> str:
    text = query.get("output")
    if text is None or text in _OUTPUTS:
        return text or _OUTPUTS[0]
    if text in _LATER_OUTPUTS:
        message = Message("output={text} is not available yet. Use json or html.", text=text)
        faults.append(Detail("output", "not_available", message))
    else:
        faults.append(Detail("output", "unknown_value", Message("output must be json or html.")))
    return _OUTPUTS[0]
