"""The public list of robots, and the people it must not take for one."""

import pytest

from common.ivt.robots import is_listed_robot, listed_examples
from common.privacy.user_agent import AgentKind, parse_user_agent

_IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
_ANDROID = (
    "Mozilla/5.0 (Linux; Android 13; SM-S911B; wv) AppleWebKit/537.36 Version/4.0 Chrome/131.0.0.0"
)
PEOPLE = (
    f"{_IPHONE} Mobile/15E148 Instagram 331.0.3.29.90 (iPhone14,5; iOS 17_5; en_US; scale=3.00; 1170x2532)",
    f"{_IPHONE} Mobile/15E148 [FBAN/FBIOS;FBDV/iPhone13,2;FBMD/iPhone;FBSN/iOS;FBSV/17.5;FBLC/en_US]",
    f"{_ANDROID} Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/420.0.0.32.61;]",
    f"{_ANDROID} Mobile Safari/537.36 [Pinterest/Android]",
    f"{_IPHONE} Mobile/15E148 [Pinterest/iOS]",
    f"{_IPHONE} Version/17.0 Mobile/15E148 Safari/604.1 Snapchat/12.50.0.30 (like Safari/8616.1.27, panda)",
    f"{_ANDROID} Mobile Safari/537.36 trill_2023003030 BytedanceWebview/d8a21c6 musical_ly_31.0",
    f"{_IPHONE} Mobile/15E148 Safari Line/13.0.0",
    f"{_IPHONE} Mobile/15E148 [LinkedInApp]/9.27",
    f"{_ANDROID} XWEB/4313 MMWEBSDK/20220805 Mobile Safari/537.36 MicroMessenger/8.0.27.2220",
    f"{_IPHONE} Mobile/15E148 Twitter for iPhone/9.40",
    f"{_IPHONE} GSA/250.0.1 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Slack/4.33 Chrome/114.0.5735.134 Electron/25.2.0",
    "Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.0) AppleWebKit/537.36 76.0.3809.146/6.0 TV Safari/537.36",
)


def test_every_example_of_the_list_is_found() -> None:
    examples = listed_examples()
    assert len(examples) > 1_500
    missed = [one for one in examples if not is_listed_robot(one)]
    assert missed == []


@pytest.mark.parametrize("agent", PEOPLE)
def test_browsers_inside_of_apps_are_people(agent: str) -> None:
    assert parse_user_agent(agent).kind not in {AgentKind.ROBOT, AgentKind.HTTP_LIBRARY}


def test_what_apps_send_their_own_requests_with_is_no_robot() -> None:
    assert not is_listed_robot("okhttp/4.12.0")


def test_what_only_the_list_knows_is_a_robot() -> None:
    agent = "Mozilla/5.0 (compatible; DuckAssistBot/1.2; +http://duckduckgo.com/duckassistbot.html)"
    assert parse_user_agent(agent).kind is AgentKind.ROBOT
    assert parse_user_agent("Scrapy/2.11 (+https://scrapy.org)").kind is AgentKind.ROBOT
