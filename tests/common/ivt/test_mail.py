"""Mail's own machines are known in mails, and only there."""

from typing import Any

import pytest

from common.ivt.judge import ENDED_GRACE_MS, judge
from common.ivt.judge_lists import make_lists
from common.values.enums import EventKind, Reason, Surface
from tests.common.ivt.showings import CHROME, PROPERTY, a_showing
from tests.support.builders import NOW_MS

CLICK = EventKind.CLICK
APPLE = "Mozilla/5.0"
GMAIL = "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)"
GMAIL_AHEAD = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0"
)
YAHOO = "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html"
OUTLOOK = (
    "Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Win64; x64; Trident/7.0; .NET4.0C; "
    "Microsoft Outlook 16.0.5134; ms-office; MSOffice 16)"
)
EXISTENCE = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Microsoft Office Existence Discovery"


def reason(*, count_opens: bool = False, **changes: Any) -> Reason:
    """Of an image in a mail by default."""
    lists = make_lists("192.0.2.0/24", count_opens=count_opens)
    return judge(a_showing(**{"surface": Surface.EMAIL, **changes}), PROPERTY, lists).reason


@pytest.mark.parametrize("agent", [APPLE, GMAIL, GMAIL_AHEAD, YAHOO])
def test_a_mail_proxy_is_not_a_person(agent: str) -> None:
    assert reason(agent=agent) is Reason.MAIL_PRIVACY_PROXY


@pytest.mark.parametrize("agent", [CHROME, OUTLOOK, "Mozilla/5.0 Gecko/20100101 Thunderbird/115.0"])
def test_a_mail_program_is_a_person(agent: str) -> None:
    assert reason(agent=agent) is Reason.OK


@pytest.mark.parametrize("agent", [GMAIL, YAHOO])
def test_proxies_that_load_as_the_mail_is_opened_may_count(agent: str) -> None:
    assert reason(agent=agent, count_opens=True) is Reason.OK
    assert reason(agent=agent, count_opens=True, surface=Surface.WEB) is Reason.BOT_USER_AGENT


@pytest.mark.parametrize("agent", [APPLE, GMAIL_AHEAD])
def test_proxies_that_load_unread_mails_never_count(agent: str) -> None:
    assert reason(agent=agent, count_opens=True) is Reason.MAIL_PRIVACY_PROXY


@pytest.mark.parametrize(
    "shown",
    [
        {"agent": EXISTENCE},
        {"agent": "Mozilla/5.0 (compatible; BingPreview/1.0b)"},
        {"ip": "52.101.7.9"},
        {"ip": "209.222.82.1"},
        {"ip": "192.0.2.7"},
    ],
)
def test_a_click_by_a_mail_scanner_is_invalid(shown: dict[str, Any]) -> None:
    assert reason(kind=CLICK, **shown) is Reason.MAIL_LINK_SCANNER


def test_an_image_loaded_from_a_data_centre_may_be_a_person_in_a_company() -> None:
    assert reason(ip="192.0.2.7") is Reason.OK


@pytest.mark.parametrize(
    "changes",
    [
        {"is_test": True, "agent": APPLE},
        {"server_caller": True, "agent": APPLE},
        {"surface": Surface.IOS, "ip": "52.101.7.9", "kind": CLICK},
    ],
)
def test_mail_rules_apply_to_no_other_surface(changes: dict[str, Any]) -> None:
    assert reason(**changes).valid


def test_an_impression_a_day_after_the_flights_end_is_not_billed() -> None:
    ends_ms = NOW_MS - ENDED_GRACE_MS
    over: dict[str, Any] = {"campaign_ends_ms": ends_ms, "issued_ms": ends_ms - 1_000}

    assert reason(**over, at_ms=NOW_MS + 1) is Reason.CAMPAIGN_ENDED
    assert reason(**over, at_ms=NOW_MS) is Reason.OK
    assert reason(**over, at_ms=NOW_MS + 1, kind=EventKind.CONVERSION) is Reason.OK
    assert reason(**over, at_ms=NOW_MS + 1, is_test=True) is Reason.OK_TEST
    assert reason(campaign_ends_ms=None) is Reason.OK
