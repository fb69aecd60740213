"""The public list of robots, and the people it must not take for one."""

import pytest

from common.user_agent.robots import find_robot_rule, is_in_use, listed_examples, stale_replacements
from common.user_agent.user_agent import AgentKind, parse_user_agent

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
    assert len(examples) > 2_000
    not_people = {AgentKind.ROBOT, AgentKind.HTTP_LIBRARY}
    assert [one for one in examples if parse_user_agent(one).kind not in not_people] == []


def test_every_pattern_that_is_replaced_is_still_in_the_list() -> None:
    assert stale_replacements() == frozenset()


@pytest.mark.parametrize("agent", PEOPLE)
def test_browsers_inside_of_apps_are_people(agent: str) -> None:
    assert parse_user_agent(agent).kind not in {AgentKind.ROBOT, AgentKind.HTTP_LIBRARY}


def test_the_http_stacks_of_apps_are_not_robots() -> None:
    assert find_robot_rule("okhttp/4.12.0") is None


@pytest.mark.parametrize(
    ("agent", "pattern"),
    [
        (
            "Mozilla/5.0 (compatible; DuckAssistBot/1.2; +http://duckduckgo.com/duckassistbot.html)",
            "word:",
        ),
        ("Scrapy/2.11 (+https://scrapy.org)", "word:scrap"),
        ("Mozilla/5.0 (compatible; Traackr.com)", r"list:Traackr\.com"),
    ],
)
def test_a_robot_names_the_rule_that_found_it(agent: str, pattern: str) -> None:
    robot = parse_user_agent(agent)
    assert robot.kind is AgentKind.ROBOT
    assert robot.pattern is not None
    assert robot.pattern.startswith(pattern)
    assert is_in_use(robot.pattern)


def test_a_dropped_rule_is_not_in_use() -> None:
    assert not is_in_use(r"list:AP3A\.240617\.008")


@pytest.mark.parametrize(
    "device",
    [
        *("M bot 54", "VR BOT 552 Build/MRA58K", "de-de; C Bot Tab 70", "XBot Senior", "Spider 8"),
        *(
            "ViewSonic A8+ Build/JLS36C",
            "HTC Butterfly",
            "Fever_Plus_J",
            "PKB110 Build/AP3A.240617.008",
        ),
    ],
)
def test_no_phone_model_is_a_robot(device: str) -> None:
    rest = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36"
    agent = f"Mozilla/5.0 (Linux; Android 15; {device}) {rest}"
    assert parse_user_agent(agent).kind is AgentKind.BROWSER
    assert parse_user_agent(f"{agent} (compatible; Somebot/1.0)").kind is AgentKind.ROBOT


@pytest.mark.parametrize(
    "device", ["Somebot/1.0", "Nexus 4; Catchpoint", "compatible; spider", "me@crawl.er"]
)
def test_a_robot_named_in_place_of_a_phone_model_is_a_robot(device: str) -> None:
    rest = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36"
    agent = f"Mozilla/5.0 (Linux; Android 15; {device}) {rest}"
    assert parse_user_agent(agent).kind is AgentKind.ROBOT
