"""What may be personal: each row of the table of `decide_consent`, and how rows meet."""

from typing import Any

import pytest

from common.privacy.consent import Consent, ConsentSignals, decide_consent
from common.privacy.consent_rules import ConsentReason
from common.privacy.gpp import TCF_EU, US_CALIFORNIA, US_NATIONAL, US_PRIVACY
from tests.support.consent_strings import (
    PERSONAL,
    a_gpp_string,
    a_tc_string,
    a_usca,
    a_usnat,
    a_usva,
)

VENDOR = 755
TCF_CANADA, VIRGINIA = 5, 9


def decided(*, presumed: bool = False, vendor_id: int | None = None, **signals: Any) -> Consent:
    return decide_consent(ConsentSignals(**signals), presumed=presumed, vendor_id=vendor_id)


def flags(consent: Consent) -> tuple[bool, bool, bool]:
    return consent.personal, consent.storage, consent.measurement


def by_gpp(*, sid: str | None = None, **sections: str) -> dict[str, Any]:
    """Sections by name: `tcf`, `usp`, `usnat`, `usca`, `usva`, `canada`."""
    numbers = {"tcf": TCF_EU, "usp": US_PRIVACY, "usnat": US_NATIONAL} | {
        "usca": US_CALIFORNIA,
        "canada": TCF_CANADA,
        "usva": VIRGINIA,
    }
    text = a_gpp_string({numbers[name]: section for name, section in sections.items()})
    return {"gpp": text, "gpp_sid": sid}


@pytest.mark.parametrize(
    ("signals", "expected", "why"),
    [
        ({}, (False, False, True), ConsentReason.NO_SIGNAL),
        ({"presumed": True}, (True, True, True), ConsentReason.PRESUMED),
        ({"gdpr": "0"}, (True, True, True), ConsentReason.GDPR_NOT_APPLICABLE),
        ({"gdpr": "1"}, (False, False, False), ConsentReason.TC_STRING_MISSING),
        (
            {"gdpr": "1", "gdpr_consent": "x"},
            (False, False, False),
            ConsentReason.TC_STRING_GARBLED,
        ),
        ({"gdpr": "${GDPR}"}, (False, False, False), ConsentReason.GDPR_UNREADABLE),
        ({"gdpr_consent": "CO"}, (False, False, False), ConsentReason.TC_STRING_GARBLED),
        (
            {"gdpr": "1", "gdpr_consent": a_tc_string(version=1)},
            (False, False, False),
            ConsentReason.TC_STRING_GARBLED,
        ),
        ({"coppa": "1"}, (False, False, True), ConsentReason.COPPA),
        ({"coppa": "true"}, (False, False, True), ConsentReason.COPPA_UNREADABLE),
        ({"npa": "1"}, (False, False, True), ConsentReason.NPA),
        ({"npa": "yes"}, (False, False, True), ConsentReason.NPA_UNREADABLE),
        ({"gpc": True}, (False, False, True), ConsentReason.GPC),
        ({"dnt": True}, (False, False, True), ConsentReason.DNT),
        ({"us_privacy": "1YNN"}, (True, True, True), ConsentReason.US_NOT_OPTED_OUT),
        ({"us_privacy": "1yny"}, (True, True, True), ConsentReason.US_NOT_OPTED_OUT),
        ({"us_privacy": "1YYN"}, (False, False, True), ConsentReason.US_OPTED_OUT),
        ({"us_privacy": "1NNN"}, (False, False, True), ConsentReason.US_NOT_NOTIFIED),
        ({"us_privacy": "1---"}, (False, False, True), ConsentReason.NO_SIGNAL),
        ({"us_privacy": "1-N-"}, (False, False, True), ConsentReason.NO_SIGNAL),
        ({"us_privacy": "2YNN"}, (False, False, True), ConsentReason.US_PRIVACY_GARBLED),
        ({"lgpd": "1"}, (True, True, True), ConsentReason.LGPD_CONSENTED),
        ({"lgpd": "0"}, (False, False, False), ConsentReason.LGPD_REFUSED),
        ({"lgpd": a_tc_string()}, (True, True, True), ConsentReason.LGPD_CONSENTED),
        (
            {"lgpd": a_tc_string(consents=(1,))},
            (False, True, False),
            ConsentReason.PURPOSE_2_NOT_ALLOWED,
        ),
        ({"lgpd": "granted"}, (False, False, False), ConsentReason.LGPD_UNREADABLE),
        ({"gpp": "DBAB"}, (False, False, True), ConsentReason.GPP_GARBLED),
        ({"gpp_sid": "seven"}, (False, False, True), ConsentReason.GPP_GARBLED),
        ({"gpp_sid": "7"}, (False, False, True), ConsentReason.GPP_SECTION_MISSING),
        (by_gpp(canada="CP"), (False, False, True), ConsentReason.GPP_SECTION_NOT_READ),
        (by_gpp(usp="1YNN"), (True, True, True), ConsentReason.US_NOT_OPTED_OUT),
        (by_gpp(tcf=a_tc_string()), (True, True, True), ConsentReason.TC_STRING_CONSENTS),
        (by_gpp(usca=a_usca()), (True, True, True), ConsentReason.US_NOT_OPTED_OUT),
        (by_gpp(usca=a_usca(opt_outs=(2, 1))), (False, False, True), ConsentReason.US_OPTED_OUT),
        (by_gpp(usca="BAAA"), (False, False, True), ConsentReason.US_SECTION_GARBLED),
        (by_gpp(usva=a_usva()), (True, True, True), ConsentReason.US_NOT_OPTED_OUT),
        (by_gpp(usva=a_usva(opt_outs=(2, 1))), (False, False, True), ConsentReason.US_OPTED_OUT),
        (by_gpp(usva=a_usnat(version=2)), (False, False, True), ConsentReason.US_SECTION_GARBLED),
        (by_gpp(usnat=a_usnat()), (True, True, True), ConsentReason.US_NOT_OPTED_OUT),
        (by_gpp(usnat=a_usnat(version=1)), (True, True, True), ConsentReason.US_NOT_OPTED_OUT),
        (
            by_gpp(usnat=a_usnat(opt_outs=(1, 2, 2))),
            (False, False, True),
            ConsentReason.US_OPTED_OUT,
        ),
        (
            by_gpp(usnat=a_usnat(opt_outs=(2, 1, 2))),
            (False, False, True),
            ConsentReason.US_OPTED_OUT,
        ),
        (
            by_gpp(usnat=a_usnat(opt_outs=(2, 2, 1))),
            (False, False, True),
            ConsentReason.US_OPTED_OUT,
        ),
        (
            by_gpp(usnat=a_usnat(notices=(1, 2, 1))),
            (False, False, True),
            ConsentReason.US_NOT_NOTIFIED,
        ),
        (
            by_gpp(usnat=a_usnat(sharing_notice=2)),
            (False, False, True),
            ConsentReason.US_NOT_NOTIFIED,
        ),
        (
            by_gpp(usnat=a_usnat(child=(0, 2, 0))),
            (False, False, True),
            ConsentReason.US_KNOWN_CHILD,
        ),
        (
            by_gpp(usnat=a_usnat(personal_data=1)),
            (False, False, True),
            ConsentReason.US_PERSONAL_DATA_REFUSED,
        ),
        (
            by_gpp(usnat=a_usnat(service_provider=1)),
            (False, False, True),
            ConsentReason.US_SERVICE_PROVIDER,
        ),
        (by_gpp(usnat=a_usnat(gpc=True)), (False, False, True), ConsentReason.GPC),
        (
            by_gpp(usnat=a_usnat(notices=(0, 0, 0), opt_outs=(0, 0, 0))),
            (False, False, True),
            ConsentReason.NO_SIGNAL,
        ),
    ],
)
def test_a_signal_decides(
    signals: dict[str, Any], expected: tuple[bool, bool, bool], why: ConsentReason
) -> None:
    consent = decided(**signals)
    assert flags(consent) == expected
    assert consent.why[0] is why


@pytest.mark.parametrize("missing", sorted(PERSONAL))
def test_each_purpose_is_needed(missing: int) -> None:
    consent = decided(gdpr="1", gdpr_consent=a_tc_string(consents=PERSONAL - {missing}))
    assert flags(consent) == (missing == 7, missing != 1, missing != 7)
    assert consent.why[0] is ConsentReason(f"purpose_{missing}_not_allowed")


@pytest.mark.parametrize(("purpose", "enough"), [(1, False), (2, True), (3, False), (4, False)])
def test_legitimate_interest_is_enough_for_basic_ads_alone(purpose: int, enough: bool) -> None:  # noqa: FBT001 - a case
    text = a_tc_string(consents=PERSONAL - {purpose}, interests=PERSONAL)
    assert decided(gdpr="1", gdpr_consent=text).personal is enough


def test_a_refusal_overrides_a_permission() -> None:
    consent = decided(presumed=True, gdpr="0", us_privacy="1YNN", lgpd="1", gpc=True)
    assert not consent.personal
    assert consent.storage
    assert consent.why[0] is ConsentReason.GPC


def test_a_propertys_presumption_applies_only_without_a_signal() -> None:
    assert decided(presumed=True, us_privacy="1---").personal
    assert not decided(presumed=True, gdpr="1").personal


def test_a_request_without_a_signal_is_neither_personal_nor_limited() -> None:
    assert not decided().limited
    assert decided(npa="1").limited


def test_a_visitor_with_personal_but_not_measurement_consent_is_limited() -> None:
    consent = decided(gdpr="1", gdpr_consent=a_tc_string(consents=PERSONAL - {7}))
    assert consent.personal
    assert consent.limited


@pytest.mark.parametrize(("coppa", "directed"), [(None, False), ("0", False), ("1", True)])
def test_only_coppa_makes_a_request_child_directed(coppa: str | None, directed: bool) -> None:  # noqa: FBT001 - a case
    assert decided(coppa=coppa, gdpr="0").child_directed is directed


def test_an_unreadable_coppa_counts_as_on() -> None:
    assert decided(coppa="${COPPA}").child_directed


@pytest.mark.parametrize("off", ["coppa", "npa"])
def test_a_switch_that_is_off_has_no_effect(off: str) -> None:
    signals: dict[str, Any] = {off: "0"}
    assert decided(**signals).why == (ConsentReason.NO_SIGNAL,)


def test_without_a_vendor_id_the_publishers_segment_decides_too() -> None:
    text = a_tc_string(publisher=PERSONAL - {4})
    consent = decided(gdpr="1", gdpr_consent=text)
    assert flags(consent) == (False, True, True)
    assert consent.why == (ConsentReason.PUBLISHER_NOT_CONSENTED,)
    assert decided(gdpr="1", gdpr_consent=a_tc_string(publisher=PERSONAL)).personal


def test_a_vendor_needs_the_visitors_consent_for_itself() -> None:
    named = a_tc_string(vendor_consents=(10, VENDOR), publisher=())
    other = a_tc_string(vendor_consents=(10,))
    assert decided(gdpr="1", gdpr_consent=named, vendor_id=VENDOR).personal
    assert decided(gdpr="1", gdpr_consent=other, vendor_id=VENDOR).why[0] is (
        ConsentReason.VENDOR_NOT_CONSENTED
    )


def test_an_undisclosed_vendor_has_no_permission() -> None:
    text = a_tc_string(vendor_consents=(VENDOR,), disclosed=(10, 20))
    consent = decided(gdpr="1", gdpr_consent=text, vendor_id=VENDOR)
    assert flags(consent) == (False, False, False)
    assert consent.why == (ConsentReason.VENDOR_NOT_DISCLOSED,)


@pytest.mark.parametrize(
    ("kind", "purpose", "allowed"),
    [(0, 3, False), (1, 3, True), (2, 3, False), (3, 3, False), (0, 2, False), (2, 2, True)],
)
def test_a_publisher_s_restriction_binds_the_vendors_it_names(
    kind: int,
    purpose: int,
    allowed: bool,  # noqa: FBT001 - a case
) -> None:
    def personal(vendors: list[tuple[int, int]]) -> bool:
        text = a_tc_string(
            interests={2},
            vendor_consents=(VENDOR,),
            vendor_interests=(VENDOR,),
            restrictions={(purpose, kind): vendors},
        )
        return decided(gdpr="1", gdpr_consent=text, vendor_id=VENDOR).personal

    assert personal([(700, 800)]) is allowed
    assert personal([(1, VENDOR - 1), (VENDOR + 1, 900)])


def test_sections_that_are_not_named_do_not_apply() -> None:
    refused = a_usnat(opt_outs=(1, 1, 1))
    assert decided(**by_gpp(sid="8", usnat=refused, usca=a_usca())).personal
    assert not decided(**by_gpp(sid="7,8", usnat=refused, usca=a_usca())).personal
    assert not decided(**by_gpp(usnat=refused, usca=a_usca())).personal


@pytest.mark.parametrize("sid", ["-1", "0"])
def test_a_page_may_say_that_no_section_applies(sid: str) -> None:
    assert decided(**by_gpp(sid=sid, usnat=a_usnat(opt_outs=(1, 1, 1)))).why == (
        ConsentReason.NO_SIGNAL,
    )


def test_section_two_named_as_applying_overrides_gdpr_0() -> None:
    denied = a_tc_string(consents=())
    assert decided(gdpr="0", **by_gpp(tcf=denied)).personal
    assert not decided(gdpr="0", **by_gpp(sid="2", tcf=denied)).personal
    assert decided(gdpr="0", gpp_sid="2").why[0] is ConsentReason.TC_STRING_MISSING


def test_a_tc_string_may_stand_in_gpp_alone_and_both_must_agree() -> None:
    denied = a_tc_string(consents=())
    assert decided(gdpr="1", **by_gpp(sid="7", tcf=a_tc_string(), usnat=a_usnat())).personal
    assert not decided(gdpr="1", gdpr_consent=a_tc_string(), **by_gpp(tcf=denied)).personal


def test_reasons_are_listed_once_in_the_order_of_the_signals() -> None:
    consent = decided(npa="1", gpc=True, gdpr="1", us_privacy="1YYN", lgpd="0")
    assert consent.why == (
        *(ConsentReason.NPA, ConsentReason.GPC, ConsentReason.TC_STRING_MISSING),
        *(ConsentReason.US_OPTED_OUT, ConsentReason.LGPD_REFUSED),
    )
