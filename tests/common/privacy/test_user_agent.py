"""A user agent's family, major version and kind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.user_agent.user_agent import MAX_USER_AGENT_CHARS, AgentKind, parse_user_agent

_WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
_WINDOWS = f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_WEBKIT}"
_PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15"
_ANDROID = f"Mozilla/5.0 (Linux; Android 14; SM-S918B) {_WEBKIT}"


@pytest.mark.parametrize(
    ("text", "family", "major"),
    [
        (f"{_WINDOWS} Chrome/131.0.0.0 Safari/537.36", "Chrome", "131"),
        (f"{_WINDOWS} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.51", "Edge", "131"),
        (f"{_WINDOWS} Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0", "Opera", "115"),
        (f"{_ANDROID} SamsungBrowser/27.0 Chrome/125.0 Mobile", "Samsung Internet", "27"),
        (
            "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0",
            "Firefox",
            "132",
        ),
        (f"{_PHONE} (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1", "Safari", "18"),
        (f"{_PHONE} (KHTML, like Gecko) CriOS/131.0 Mobile/15E148 Safari/604.1", "Chrome", "131"),
        (f"{_PHONE} (KHTML, like Gecko) FxiOS/132.0 Mobile/15E148 Safari/605.1", "Firefox", "132"),
        (f"{_PHONE} (KHTML, like Gecko) Mobile/15E148", "iOS WebView", None),
        (
            f"Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) {_WEBKIT} Version/4.0 Chrome/130.0.0.0 Mobile Safari/537.36",
            "Android WebView",
            "130",
        ),
        (
            f"{_ANDROID} Chrome/92.0.4515.105 HuaweiBrowser/12.0.3.310 Mobile Safari/537.36",
            "Huawei Browser",
            "12",
        ),
        ("UCWEB/2.0 (MIDP-2.0; U; Adr 4.2.2; en-US) UCBrowser/8.9 Mobile", "UC Browser", "2"),
        (
            "Mozilla/5.0 (Windows NT 10.0; Trident/7.0; rv:11.0) like Gecko",
            "Internet Explorer",
            "11",
        ),
    ],
)
def test_browsers_are_known(text: str, family: str, major: str | None) -> None:
    agent = parse_user_agent(text)
    assert (agent.family, agent.major, agent.kind) == (family, major, AgentKind.BROWSER)


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("okhttp/4.12.0", "okhttp"),
        ("Dart/3.5 (dart:io)", "Dart"),
        ("Shop/1 CFNetwork/1490.0.4 Darwin/23.2.0", "CFNetwork"),
        ("Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8)", "Dalvik"),
        ("Overcast/3.0 (+http://overcast.fm/; iOS podcast app)", "Overcast"),
        ("PodcastAddict/v5 (+https://podcastaddict.com/; Android podcast app)", "Podcast Addict"),
    ],
)
def test_apps_and_their_http_stacks_are_known(text: str, family: str) -> None:
    agent = parse_user_agent(text)
    assert (agent.family, agent.kind) == (family, AgentKind.MOBILE_LIBRARY)


@pytest.mark.parametrize(
    "text",
    [
        *("curl/8.5.0", "Wget/1.21", "python-requests/2.32.3", "python-httpx/0.28.1"),
        *("Python/3.11 aiohttp/3.14.5", "Python-urllib/3.11", "Go-http-client/2.0", "node"),
        *("axios/1.7.7", "Java/17.0.2", "Apache-HttpClient/4.5", "PostmanRuntime/7.42"),
    ],
)
def test_generic_http_clients_are_known(text: str) -> None:
    assert parse_user_agent(text).kind is AgentKind.HTTP_LIBRARY


@pytest.mark.parametrize(
    "text",
    [
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        f"Mozilla/5.0 {_WEBKIT} (compatible; bingbot/2.0; +http://www.bing.com/b) Chrome/116.0",
        f"Mozilla/5.0 (X11; Linux x86_64) {_WEBKIT} HeadlessChrome/131.0.0.0 Safari/537.36",
        "facebookexternalhit/1.1",
        "Mozilla/5.0 (compatible; AhrefsBot/7.0)",
        "Screaming Frog SEO Spider/20.4",
        "Overcast/1.0 Podcast Sync (7 subscribers; feed-id=4; +http://overcast.fm/)",
        "Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    ],
)
def test_robots_are_known_whatever_browser_they_name(text: str) -> None:
    assert parse_user_agent(text).kind is AgentKind.ROBOT


def test_a_phone_called_cubot_is_no_robot() -> None:
    agent = parse_user_agent(
        f"Mozilla/5.0 (Linux; Android 13; CUBOT P80) {_WEBKIT} Chrome/131.0.0.0 Mobile Safari/537.36"
    )
    assert agent.kind is AgentKind.BROWSER


def test_an_absurdly_long_user_agent_is_unknown() -> None:
    text = f"{_WINDOWS} Chrome/131.0.0.0 Safari/537.36"
    assert parse_user_agent(text + " " * MAX_USER_AGENT_CHARS).kind is AgentKind.UNKNOWN


@given(st.text(max_size=200))
def test_any_text_has_a_kind(text: str) -> None:
    assert parse_user_agent(text).kind in AgentKind
