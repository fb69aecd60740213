"""What each law's signal says about one call: a verdict with its reason, from strings already read."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from common.privacy.bits import Garbled
from common.privacy.tcf import Choices, TcString
from common.privacy.us import Consented, Said, UsChoices, UsPrivacy
from common.privacy.vendors import RestrictionKind


class Why(StrEnum):
    """Why a call's answer may be personal, or why not; in the order in which signals are looked at."""

    COPPA = "coppa"
    COPPA_UNREADABLE = "coppa_unreadable"
    NPA = "npa"
    NPA_UNREADABLE = "npa_unreadable"
    GPC = "gpc"
    """`Sec-GPC: 1`, or the same in a GPP section."""
    DNT = "dnt"
    GPP_GARBLED = "gpp_garbled"
    """`gpp` or `gpp_sid` cannot be read."""
    GPP_SECTION_MISSING = "gpp_section_missing"
    """`gpp_sid` names a section that `gpp` does not have."""
    GPP_SECTION_NOT_READ = "gpp_section_not_read"
    """A section applies whose law this release does not know."""
    GDPR_NOT_APPLICABLE = "gdpr_not_applicable"
    GDPR_UNREADABLE = "gdpr_unreadable"
    TC_STRING_MISSING = "tc_string_missing"
    TC_STRING_GARBLED = "tc_string_garbled"
    VENDOR_NOT_DISCLOSED = "vendor_not_disclosed"
    VENDOR_NOT_CONSENTED = "vendor_not_consented"
    PURPOSE_1_NOT_ALLOWED = "purpose_1_not_allowed"
    PURPOSE_2_NOT_ALLOWED = "purpose_2_not_allowed"
    PURPOSE_3_NOT_ALLOWED = "purpose_3_not_allowed"
    PURPOSE_4_NOT_ALLOWED = "purpose_4_not_allowed"
    PURPOSE_7_NOT_ALLOWED = "purpose_7_not_allowed"
    PUBLISHER_NOT_CONSENTED = "publisher_not_consented"
    """The publisher's own segment lacks a purpose that the reader agreed to for vendors."""
    TC_STRING_CONSENTS = "tc_string_consents"
    US_PRIVACY_GARBLED = "us_privacy_garbled"
    US_SECTION_GARBLED = "us_section_garbled"
    US_OPTED_OUT = "us_opted_out"
    US_NOT_NOTIFIED = "us_not_notified"
    US_KNOWN_CHILD = "us_known_child"
    US_PERSONAL_DATA_REFUSED = "us_personal_data_refused"
    US_SERVICE_PROVIDER = "us_service_provider"
    """The MSPA's service provider mode forbids advertising across contexts."""
    US_NOT_OPTED_OUT = "us_not_opted_out"
    LGPD_REFUSED = "lgpd_refused"
    LGPD_UNREADABLE = "lgpd_unreadable"
    LGPD_CONSENTED = "lgpd_consented"
    PRESUMED = "presumed"
    """No signal allows or forbids anything, and the property's `consent_policy` is `presumed`."""
    NO_SIGNAL = "no_signal"


@dataclass(frozen=True, slots=True)
class Verdict:
    """None: says nothing about it."""

    why: Why
    personal: bool | None = None
    storage: bool | None = None
    measurement: bool | None = None


_Verdicts = Iterator[Verdict]

_STORING, _MEASURING = 1, 7
_PURPOSES = {
    _STORING: Why.PURPOSE_1_NOT_ALLOWED,
    2: Why.PURPOSE_2_NOT_ALLOWED,
    3: Why.PURPOSE_3_NOT_ALLOWED,
    4: Why.PURPOSE_4_NOT_ALLOWED,
    _MEASURING: Why.PURPOSE_7_NOT_ALLOWED,
}
_INTEREST_DOES = frozenset({2, 7})
"""Purposes that may rest on legitimate interest; 1 never could, 3 and 4 may not since policy 2.2."""


def refusal(why: Why) -> Verdict:
    """No to everything."""
    return Verdict(why, personal=False, storage=False, measurement=False)


def permission(why: Why) -> Verdict:
    return Verdict(why, personal=True, storage=True, measurement=True)


def switch_verdicts(coppa: str | None, npa: str | None, *, gpc: bool, dnt: bool) -> _Verdicts:
    """A switch that is neither on nor off is taken for on."""
    if coppa not in (None, "0"):
        why = Why.COPPA if coppa == "1" else Why.COPPA_UNREADABLE
        yield Verdict(why, personal=False, storage=False)
    if npa not in (None, "0"):
        yield Verdict(Why.NPA if npa == "1" else Why.NPA_UNREADABLE, personal=False)
    if gpc:
        yield Verdict(Why.GPC, personal=False)
    if dnt:
        yield Verdict(Why.DNT, personal=False)


def tcf_verdicts(
    tc: TcString | Garbled, vendor_id: int | None, *, consents: Why = Why.TC_STRING_CONSENTS
) -> _Verdicts:
    """
    Personal needs the purposes 1 to 4, storage 1, measurement 7; 2 and 7 may rest on legitimate interest.

    With *vendor_id* each needs the reader's word for the purpose and for the vendor, and no publisher's restriction
    against it. Without one nobody could name us to the reader, so what the publisher asked for itself decides too.
    """
    if isinstance(tc, Garbled):
        yield refusal(Why.TC_STRING_GARBLED)
        return
    if vendor_id is not None and tc.disclosed is not None and vendor_id not in tc.disclosed:
        yield refusal(Why.VENDOR_NOT_DISCLOSED)
        return
    missing = {
        purpose
        for purpose in _PURPOSES
        if not (
            _holds(tc.purposes, purpose)
            if vendor_id is None
            else _holds_for_vendor(tc, purpose, vendor_id)
        )
    }
    whys = [why for purpose, why in _PURPOSES.items() if purpose in missing]
    if vendor_id is not None and vendor_id not in tc.vendor_consents:
        whys.insert(0, Why.VENDOR_NOT_CONSENTED)
    if vendor_id is None and tc.publisher is not None:
        own = {p for p in _PURPOSES if p not in missing and not _holds(tc.publisher.purposes, p)}
        whys += [Why.PUBLISHER_NOT_CONSENTED] if own else []
        missing |= own
    personal = not missing - {_MEASURING}
    whys += [consents] if personal else []
    for why in whys:
        yield Verdict(
            why,
            personal=personal,
            storage=_STORING not in missing,
            measurement=_MEASURING not in missing,
        )


def us_verdicts(choices: UsChoices | Garbled) -> _Verdicts:
    """A section of which all fields are "not applicable" says nothing."""
    if isinstance(choices, Garbled):
        yield Verdict(Why.US_SECTION_GARBLED, personal=False)
        return
    against = [
        (Why.US_OPTED_OUT, Said.YES in choices.opt_outs),
        (Why.GPC, choices.gpc is True),
        (Why.US_NOT_NOTIFIED, Said.NO in (*choices.notices, choices.sharing_notice)),
        (Why.US_KNOWN_CHILD, any(choices.child)),
        (Why.US_PERSONAL_DATA_REFUSED, choices.personal_data == Consented.NO),
        (Why.US_SERVICE_PROVIDER, choices.mspa_service_provider == Said.YES),
    ]
    refused = [why for why, holds in against if holds]
    yield from (Verdict(why, personal=False) for why in refused)
    asked = zip(choices.notices, choices.opt_outs, strict=True)
    if not refused and (Said.YES, Said.NO) in asked:
        yield permission(Why.US_NOT_OPTED_OUT)


def us_privacy_verdicts(privacy: UsPrivacy | Garbled) -> _Verdicts:
    """``1---`` says nothing: the law does not apply."""
    if isinstance(privacy, Garbled):
        yield Verdict(Why.US_PRIVACY_GARBLED, personal=False)
        return
    if privacy.opt_out is Said.YES:
        yield Verdict(Why.US_OPTED_OUT, personal=False)
    if privacy.notice is Said.NO:
        yield Verdict(Why.US_NOT_NOTIFIED, personal=False)
    if privacy.notice is Said.YES and privacy.opt_out is Said.NO:
        yield permission(Why.US_NOT_OPTED_OUT)


def _holds(choices: Choices, purpose: int) -> bool:
    by_interest = purpose in _INTEREST_DOES and choices.allows_interest(purpose)
    return choices.consents_to(purpose) or by_interest


def _holds_for_vendor(tc: TcString, purpose: int, vendor_id: int) -> bool:
    kinds = {
        restriction.kind
        for restriction in tc.restrictions
        if restriction.purpose == purpose and vendor_id in restriction.vendors
    }
    if not kinds <= {RestrictionKind.CONSENT_NEEDED, RestrictionKind.INTEREST_NEEDED}:
        return False
    by_consent = (
        RestrictionKind.INTEREST_NEEDED not in kinds
        and tc.purposes.consents_to(purpose)
        and vendor_id in tc.vendor_consents
    )
    by_interest = (
        purpose in _INTEREST_DOES
        and RestrictionKind.CONSENT_NEEDED not in kinds
        and tc.purposes.allows_interest(purpose)
        and vendor_id in tc.vendor_interests
    )
    return by_consent or by_interest
