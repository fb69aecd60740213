"""Decides from all consent signals of one call which personal processing is allowed, with the reasons."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from common.privacy.bits import DecodeError
from common.privacy.consent_rules import (
    ConsentReason,
    Effect,
    permission,
    refusal,
    switch_effects,
    tcf_effects,
    us_effects,
    us_privacy_effects,
)
from common.privacy.gpp import (
    TCF_EU,
    US_CALIFORNIA,
    US_NATIONAL,
    US_PRIVACY,
    read_gpp,
    read_section_ids,
)
from common.privacy.tcf import read_tc_string
from common.privacy.us import (
    MSPA_STATES,
    STATES,
    read_us_california,
    read_us_national,
    read_us_privacy,
    read_us_state,
)


class ConsentSignals(NamedTuple):
    """
    The signals of a call, by the names of its query parameters; None where one is absent. ``gpc``, ``dnt``:
    headers.
    """

    gdpr: str | None = None
    gdpr_consent: str | None = None
    gpp: str | None = None
    gpp_sid: str | None = None
    us_privacy: str | None = None
    coppa: str | None = None
    lgpd: str | None = None
    npa: str | None = None
    gpc: bool = False
    dnt: bool = False


@dataclass(frozen=True, slots=True)
class Consent:
    """
    ``personal``: ids, segments and caps by id may be used. ``storage``: the library may keep an id on the device.
    ``measurement``: this person's events may be measured one by one. ``limited``: a signal forbids personal use or
    measurement; the token carries it. A call without any signal is neither personal nor limited. ``why`` is never
    empty.
    """

    personal: bool
    storage: bool
    measurement: bool
    limited: bool
    child_directed: bool
    why: tuple[ConsentReason, ...]


def decide_consent(signals: ConsentSignals, *, presumed: bool, vendor_id: int | None) -> Consent:
    """
    Personalisation fails closed: it needs one signal that allows it and none that forbids it. Never raises.

    *presumed*: the property's policy for calls on which no signal allows or forbids anything. *vendor_id*: ours in the
    Global Vendor List. A call without personal consent gets a contextual ad, never none.

    | signal | personal | storage | measurement |
    |---|---|---|---|
    | ``coppa=1`` | no | no | |
    | ``npa=1``, ``Sec-GPC: 1``, ``DNT: 1`` | no | | |
    | ``gdpr=0`` | yes | yes | yes |
    | ``gdpr=1``, a TC string, GPP section 2 | purposes 1, 2, 3, 4 | purpose 1 | purpose 7 |
    | ``gdpr=1`` without a TC string; a garbled one | no | no | no |
    | US: notified and not opted out | yes | yes | yes |
    | US: opted out, no notice, known child, garbled | no | | |
    | ``lgpd=1`` / ``lgpd=0`` | yes / no | yes / no | yes / no |
    | ``lgpd=`` a TC string | as under ``gdpr=1`` | | |
    | GPP: garbled; an applicable section that is missing or of an unsupported law | no | no | |
    | a switch that is neither ``0`` nor ``1`` | no, as if it were on | | |
    | none of them, *presumed* | yes | yes | yes |
    | none of them | no | no | yes |

    No overrides yes in every column; an empty field means no effect.
    """
    effects = list(_effects(signals, vendor_id))
    if presumed and all(effect.personal is None for effect in effects):
        effects.append(permission(ConsentReason.PRESUMED))
    personal = {effect.personal for effect in effects}
    storage = {effect.storage for effect in effects}
    measurement = all(effect.measurement is not False for effect in effects)
    return Consent(
        personal=True in personal and False not in personal,
        storage=True in storage and False not in storage,
        measurement=measurement,
        limited=False in personal or not measurement,
        child_directed=signals.coppa not in (None, "0"),
        why=tuple(dict.fromkeys(effect.why for effect in effects)) or (ConsentReason.NO_SIGNAL,),
    )


def _effects(signals: ConsentSignals, vendor_id: int | None) -> Iterator[Effect]:
    yield from switch_effects(signals.coppa, signals.npa, gpc=signals.gpc, dnt=signals.dnt)
    sections, named = _gpp(signals)
    if sections is None or named is None:
        yield Effect(ConsentReason.GPP_GARBLED, personal=False, storage=False)
    yield from _gdpr_effects(signals, sections or {}, named or frozenset(), vendor_id)
    applying = sections or {} if signals.gpp_sid is None else named or frozenset()
    for number in sorted(applying):
        yield from _section_effects(number, (sections or {}).get(number))
    if signals.us_privacy is not None:
        yield from us_privacy_effects(read_us_privacy(signals.us_privacy))
    if signals.lgpd is not None:
        yield from _lgpd_effects(signals.lgpd, vendor_id)


def _gpp(signals: ConsentSignals) -> tuple[Mapping[int, str] | None, frozenset[int] | None]:
    """Returns the sections present, and those named as applicable; None where garbled, empty where absent."""
    gpp = None if signals.gpp is None else read_gpp(signals.gpp)
    named = frozenset[int]() if signals.gpp_sid is None else read_section_ids(signals.gpp_sid)
    return (
        None if isinstance(gpp, DecodeError) else {} if gpp is None else gpp.sections,
        None if isinstance(named, DecodeError) else named,
    )


def _gdpr_effects(
    signals: ConsentSignals,
    sections: Mapping[int, str],
    named: frozenset[int],
    vendor_id: int | None,
) -> Iterator[Effect]:
    """``gdpr=0`` holds unless ``gpp_sid`` names section 2; a string without ``gdpr`` is treated as ``gdpr=1``."""
    if signals.gdpr not in (None, "0", "1"):
        yield refusal(ConsentReason.GDPR_UNREADABLE)
        return
    if signals.gdpr == "0" and TCF_EU not in named:
        yield permission(ConsentReason.GDPR_NOT_APPLICABLE)
        return
    applies = signals.gdpr == "1" or TCF_EU in named
    in_gpp = sections.get(TCF_EU) if applies or signals.gpp_sid is None else None
    strings = {text for text in (signals.gdpr_consent, in_gpp) if text is not None}
    if applies and not strings:
        yield refusal(ConsentReason.TC_STRING_MISSING)
    for text in sorted(strings):
        yield from tcf_effects(read_tc_string(text), vendor_id)


def _section_effects(number: int, text: str | None) -> Iterator[Effect]:
    """*text* None: the section applies and is missing. `_gdpr_effects` handles section 2."""
    if number == TCF_EU:
        return
    if text is None:
        yield Effect(ConsentReason.GPP_SECTION_MISSING, personal=False, storage=False)
    elif number == US_NATIONAL:
        yield from us_effects(read_us_national(text))
    elif number == US_CALIFORNIA:
        yield from us_effects(read_us_california(text))
    elif number in STATES or number in MSPA_STATES:
        yield from us_effects(read_us_state(number, text))
    elif number == US_PRIVACY:
        yield from us_privacy_effects(read_us_privacy(text))
    else:
        yield Effect(ConsentReason.GPP_SECTION_NOT_READ, personal=False, storage=False)


def _lgpd_effects(lgpd: str, vendor_id: int | None) -> Iterator[Effect]:
    """``1``: the user consented. ``0``: the user did not. A TC string is evaluated as such. See ADR 17."""
    if lgpd == "1":
        yield permission(ConsentReason.LGPD_CONSENTED)
    elif lgpd == "0":
        yield refusal(ConsentReason.LGPD_REFUSED)
    elif isinstance(tc := read_tc_string(lgpd), DecodeError):
        yield refusal(ConsentReason.LGPD_UNREADABLE)
    else:
        yield from tcf_effects(tc, vendor_id, consents=ConsentReason.LGPD_CONSENTED)
