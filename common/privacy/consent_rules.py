"""The effect of each law's signal on one call, with its reason, from parsed strings."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from common.privacy.bits import DecodeError
from common.privacy.tcf import Choices, TcString
from common.privacy.us import Consented, OptOutValue, UsChoices, UsPrivacy
from common.privacy.vendors import RestrictionKind


class ConsentReason(StrEnum):
    """Why a response may be personalised or not, in the order in which the signals are checked."""

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
    """A section applies whose law this release does not support."""
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
    """The publisher's own segment lacks a purpose that the user allowed for vendors."""
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
class Effect:
    """None: the signal has no effect on it."""

    why: ConsentReason
    personal: bool | None = None
    storage: bool | None = None
    measurement: bool | None = None


_Effects = Iterator[Effect]

_STORING, _MEASURING = 1, 7
_PURPOSES = {
    _STORING: ConsentReason.PURPOSE_1_NOT_ALLOWED,
    2: ConsentReason.PURPOSE_2_NOT_ALLOWED,
    3: ConsentReason.PURPOSE_3_NOT_ALLOWED,
    4: ConsentReason.PURPOSE_4_NOT_ALLOWED,
    _MEASURING: ConsentReason.PURPOSE_7_NOT_ALLOWED,
}
_INTEREST_DOES = frozenset({2, 7})
"""Purposes that may rest on legitimate interest; 1 never could, 3 and 4 may not since policy 2.2."""


def refusal(why: ConsentReason) -> Effect:
    """Returns an effect that forbids everything."""
    return Effect(why, personal=False, storage=False, measurement=False)


def permission(why: ConsentReason) -> Effect:
    return Effect(why, personal=True, storage=True, measurement=True)


def switch_effects(coppa: str | None, npa: str | None, *, gpc: bool, dnt: bool) -> _Effects:
    """A switch that is neither on nor off counts as on."""
    if coppa not in (None, "0"):
        why = ConsentReason.COPPA if coppa == "1" else ConsentReason.COPPA_UNREADABLE
        yield Effect(why, personal=False, storage=False)
    if npa not in (None, "0"):
        yield Effect(
            ConsentReason.NPA if npa == "1" else ConsentReason.NPA_UNREADABLE, personal=False
        )
    if gpc:
        yield Effect(ConsentReason.GPC, personal=False)
    if dnt:
        yield Effect(ConsentReason.DNT, personal=False)


def tcf_effects(
    tc: TcString | DecodeError,
    vendor_id: int | None,
    *,
    consents: ConsentReason = ConsentReason.TC_STRING_CONSENTS,
) -> _Effects:
    """
    Personal needs the purposes 1 to 4, storage 1, measurement 7; 2 and 7 may rest on legitimate interest.

    With *vendor_id* each needs the user's consent for the purpose and for the vendor, and no publisher restriction
    against it. Without one, no consent dialogue can name us to the user, so the publisher's own purposes count too.
    """
    if isinstance(tc, DecodeError):
        yield refusal(ConsentReason.TC_STRING_GARBLED)
        return
    if vendor_id is not None and tc.disclosed is not None and vendor_id not in tc.disclosed:
        yield refusal(ConsentReason.VENDOR_NOT_DISCLOSED)
        return
    if vendor_id is None:
        missing, whys = _missing_to_publisher(tc)
    else:
        missing, whys = _missing_to_vendor(tc, vendor_id)
    personal = not missing - {_MEASURING}
    for why in (*whys, consents) if personal else whys:
        yield Effect(
            why,
            personal=personal,
            storage=_STORING not in missing,
            measurement=_MEASURING not in missing,
        )


def us_effects(choices: UsChoices | DecodeError) -> _Effects:
    """A section whose fields are all "not applicable" has no effect."""
    if isinstance(choices, DecodeError):
        yield Effect(ConsentReason.US_SECTION_GARBLED, personal=False)
        return
    against = [
        (ConsentReason.US_OPTED_OUT, OptOutValue.YES in choices.opt_outs),
        (ConsentReason.GPC, choices.gpc is True),
        (
            ConsentReason.US_NOT_NOTIFIED,
            OptOutValue.NO in (*choices.notices, choices.sharing_notice),
        ),
        (ConsentReason.US_KNOWN_CHILD, any(choices.child)),
        (ConsentReason.US_PERSONAL_DATA_REFUSED, choices.personal_data == Consented.NO),
        (ConsentReason.US_SERVICE_PROVIDER, choices.mspa_service_provider == OptOutValue.YES),
    ]
    refused = [why for why, holds in against if holds]
    yield from (Effect(why, personal=False) for why in refused)
    notice = zip(choices.notices, choices.opt_outs, strict=True)
    if not refused and (OptOutValue.YES, OptOutValue.NO) in notice:
        yield permission(ConsentReason.US_NOT_OPTED_OUT)


def us_privacy_effects(privacy: UsPrivacy | DecodeError) -> _Effects:
    """``1---`` has no effect: the law does not apply."""
    if isinstance(privacy, DecodeError):
        yield Effect(ConsentReason.US_PRIVACY_GARBLED, personal=False)
        return
    if privacy.opt_out is OptOutValue.YES:
        yield Effect(ConsentReason.US_OPTED_OUT, personal=False)
    if privacy.notice is OptOutValue.NO:
        yield Effect(ConsentReason.US_NOT_NOTIFIED, personal=False)
    if privacy.notice is OptOutValue.YES and privacy.opt_out is OptOutValue.NO:
        yield permission(ConsentReason.US_NOT_OPTED_OUT)


def _missing_to_publisher(tc: TcString) -> tuple[set[int], list[ConsentReason]]:
    missing = {purpose for purpose in _PURPOSES if not _holds(tc.purposes, purpose)}
    whys = [why for purpose, why in _PURPOSES.items() if purpose in missing]
    if tc.publisher is None:
        return missing, whys
    own = {purpose for purpose in _PURPOSES if not _holds(tc.publisher.purposes, purpose)}
    return missing | own, [*whys, ConsentReason.PUBLISHER_NOT_CONSENTED] if own - missing else whys


def _holds(choices: Choices, purpose: int) -> bool:
    by_interest = purpose in _INTEREST_DOES and choices.allows_interest(purpose)
    return choices.consents_to(purpose) or by_interest


def _missing_to_vendor(tc: TcString, vendor_id: int) -> tuple[set[int], list[ConsentReason]]:
    """Looks up each vendor set once: one may be a list of hundreds of ranges."""
    consented, unopposed = vendor_id in tc.vendor_consents, vendor_id in tc.vendor_interests
    restricted = {
        (restriction.purpose, restriction.kind)
        for restriction in tc.restrictions
        if restriction.purpose in _PURPOSES and vendor_id in restriction.vendors
    }
    missing = set()
    for purpose in _PURPOSES:
        kinds = {kind for about, kind in restricted if about == purpose}
        by_consent = (
            consented
            and tc.purposes.consents_to(purpose)
            and kinds <= {RestrictionKind.CONSENT_NEEDED}
        )
        by_interest = (
            unopposed
            and purpose in _INTEREST_DOES
            and tc.purposes.allows_interest(purpose)
            and kinds <= {RestrictionKind.INTEREST_NEEDED}
        )
        if not (by_consent or by_interest):
            missing.add(purpose)
    whys = [why for purpose, why in _PURPOSES.items() if purpose in missing]
    return missing, whys if consented else [ConsentReason.VENDOR_NOT_CONSENTED, *whys]
