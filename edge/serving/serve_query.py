"""Parses the query of a serve request. Unknown parameters are ignored, because deployed tags send them."""

import re
from collections.abc import Sequence
from typing import Final, final

from common.decision.rules.ad_limits import AdLimits
from common.decision.rules.kinds.kind import Parameter
from common.decision.rules.kinds.language import languages_of
from common.privacy.anonymize import find_address
from common.values.enums import Format, Surface
from common.values.errors import Detail
from common.values.generation_cache import GenerationCache
from common.values.messages import Message
from edge.request.client_cap_counts import ClientCapCounts, parse_cap_counts
from edge.request.device_headers import DeviceHeaders
from edge.request.keywords import parse_signals
from edge.request.libraries import library_surface
from edge.request.query import Query
from edge.serving.consent import ConsentSignalsKey, consent_signals_key
from edge.serving.player_query import PlayerParams
from edge.serving.render.amp import AMP_FORMATS

MAX_SIDE: Final = 10_000
MAX_SLOTS: Final = 10
_MAX_UID_CHARS: Final = 128
_IFA_TYPE = re.compile(r"[a-z0-9_]{1,16}")
"""
A kind of device id, like ``rida``, ``tifa`` or ``afai`` (IAB Tech Lab, "Guidelines for Identifier for Advertising on
OTT Platforms"). The list is open: platforms add their own.
"""
_ZEROS = re.compile(r"[0-]+")
_NUMBER = re.compile(r"[0-9]{1,5}")
_FORMATS: Final[dict[str, Format]] = {item.value: item for item in Format}
_SURFACES: Final[dict[str, Surface]] = {item.value: item for item in Surface}
OUTPUTS: Final = ("json", "html", "vast", "vmap", "amp", "amp-rtc")
"""The first is the default."""
_OF_PLAYERS: Final = frozenset({"vast", "vmap"})
_LIMITS: Final = {
    **dict.fromkeys(
        _OF_PLAYERS, AdLimits(frozenset({Format.VIDEO, Format.AUDIO}), accepts_wrappers=True)
    ),
    "amp": AdLimits(AMP_FORMATS),
    "amp-rtc": AdLimits(AMP_FORMATS),
}
"""What an output can carry; an output that is missing here carries every format."""
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
    ``surface``: as a server names it; ``library``: the surface of the client library. ``player``: of outputs for
    players. ``limits``: what the output can carry. ``faults``: what is missing or
    cannot be parsed, to be reported together with the faults of the rest.
    """

    def __init__(self, query: Query) -> None:
        faults = list[Detail]()
        debug, lang = query.get("debug"), query.get("lang")
        self.debug: bool = debug is not None and debug not in _OFF
        self.preview_ad_id: str | None = _id(query, "preview_ad")
        self.slot: str | None = _slot(query, faults)
        self.format: Format | None = _format(query, faults)
        self.width: int | None = _side(query, "w", faults)
        self.height: int | None = _side(query, "h", faults)
        self.output: str = _output(query, faults)
        self.limits: AdLimits | None = _limits(self.output, self.format, faults)
        self.player: PlayerParams | None = None
        if self.output in _OF_PLAYERS:
            self.player = PlayerParams(query, faults, has_breaks=self.output == "vmap")
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
    ``uid``: whether it may be used or not; with its kind where the query names one. ``limits_tracking``: the device's
    user asked not to be tracked. ``faults``: all that is missing or cannot be parsed; where there
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
        limits_tracking: bool = False,  # noqa: FBT001, FBT002 - as above
    ) -> None:
        self.tag = tag
        self.signals = signals
        self.address = address
        self.user_agent = user_agent
        self.uid = uid
        self.seen = seen
        self.faults = faults
        self.limits_tracking = limits_tracking

    def add_device(self, device: DeviceHeaders) -> None:
        """The query takes precedence over the headers."""
        if self.address is None:
            self.address = device.address
            if device.has_bad_address:
                message = Message("X-Device-IP must be the device's IP address, like 203.0.113.7.")
                self.faults = [*self.faults, Detail("X-Device-IP", "invalid", message)]
        if self.user_agent is None:
            self.user_agent = device.user_agent


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
    signals = parse_signals(query, faults, believed=believed)
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
    uid = _device_uid(query, uid, faults)
    limits_tracking = query.get("lmt") not in {None, *_OFF}
    return ServeParams(
        tag, signals, address, user_agent, uid, seen, faults, limits_tracking=limits_tracking
    )


def _device_uid(query: Query, uid: str | None, faults: list[Detail]) -> str | None:
    """
    The uid of a person. Ids of devices are of different kinds, which may have the same values. An id of zeros is what
    a device sends for every user who limits tracking.
    """
    kind = query.get("ifa_type")
    if kind is None:
        return uid
    kind = kind.lower()
    if _IFA_TYPE.fullmatch(kind) is None:
        message = Message(
            "ifa_type must be the kind of the device's id, like rida, tifa, afai or idfa: 1 to 16 letters or digits."
        )
        faults.append(Detail("ifa_type", "invalid", message))
        return None
    return None if uid is None or _ZEROS.fullmatch(uid) else f"{kind}:{uid}"


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
    slot = query.first_slot
    if slot is None:
        faults.append(_NO_SLOT)
    return slot


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
    if text is None or text in OUTPUTS:
        return text or OUTPUTS[0]
    message = Message("output must be one of {outputs}.", outputs=", ".join(OUTPUTS))
    faults.append(Detail("output", "unknown_value", message))
    return OUTPUTS[0]


def _limits(output: str, wanted: Format | None, faults: list[Detail]) -> AdLimits | None:
    limits = _LIMITS.get(output)
    if limits is None or wanted is None or limits.formats is None or wanted in limits.formats:
        return limits
    message = Message(
        "output={output} cannot carry ads of the format {format}. Use one of {formats}.",
        output=output,
        format=wanted,
        formats=", ".join(sorted(limits.formats)),
    )
    faults.append(Detail("format", "not_allowed", message))
    return limits
