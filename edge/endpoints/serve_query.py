"""What a serve call asks for, parsed from its query. What we do not know is ignored: tags in the wild carry it."""

import re
from dataclasses import dataclass

from common.errors import Detail, ErrorCode, Refused
from common.vocabulary import Format
from edge.gates.seen import SeenCounts, parse_seen
from edge.http.call import Call
from edge.http.query import Query
from edge.opportunity.told import Told, told_of

MAX_SIDE = 10_000
_MAX_UID_CHARS = 128
_NUMBER = re.compile(r"[0-9]{1,5}")
_FORMATS = {item.value: item for item in Format}
_OUTPUTS = ("json", "html")
_LATER_OUTPUTS = ("vast", "amp")
_OFF = (None, "", "0", "false")


@dataclass(slots=True)
class ServeQuery:
    """
    ``width``/``height``: the room there is. ``told``: of page and reader, what targeting is held against. ``uid``: as
    it came, whether it may be used or not.
    """

    format: Format | None
    width: int | None
    height: int | None
    output: str
    told: Told
    uid: str | None
    seen: SeenCounts | None


def wants_debug(query: Query) -> bool:
    return query.get("debug") not in _OFF


def preview_ad_id(query: Query) -> str | None:
    return query.get("preview_ad")


def slot_text(query: Query) -> str:
    """The slot's key or id. Raises `Refused` where it is missing."""
    slot = query.get("slot")
    if not slot:
        message = "Name the slot: ?slot= takes its key or its id."
        raise Refused(
            ErrorCode.VALIDATION_FAILED,
            message,
            param="slot",
            details=(Detail("slot", "required", message),),
        )
    return slot


def parse_serve_query(call: Call, *, server: bool) -> ServeQuery:
    """*server*: a secret key was shown. Raises `Refused` listing every fault."""
    query, faults = call.query, list[Detail]()
    asked = ServeQuery(
        format=_format(query, faults),
        width=_side(query, "w", faults),
        height=_side(query, "h", faults),
        output=_output(query, faults),
        told=told_of(query, faults, server=server),
        uid=query.get("uid"),
        seen=parse_seen(query.get("seen"), faults),
    )
    if asked.uid is not None and len(asked.uid) > _MAX_UID_CHARS:
        faults.append(Detail("uid", "too_long", f"uid takes at most {_MAX_UID_CHARS} characters."))
    if faults:
        raise Refused(
            ErrorCode.VALIDATION_FAILED,
            " ".join(fault.message for fault in faults),
            param=faults[0].param,
            details=tuple(faults),
        )
    return asked


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
