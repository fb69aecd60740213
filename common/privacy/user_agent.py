"""A user agent as family and major version: all of it that is kept, and what the traffic filter asks."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from common.ivt.robots import is_listed_robot

MAX_USER_AGENT_CHARS = 1024
_KEPT = 16_384


class AgentKind(StrEnum):
    BROWSER = "browser"
    MOBILE_LIBRARY = "mobile_library"
    """HTTP stacks that apps use: okhttp, CFNetwork, Dart."""
    HTTP_LIBRARY = "http_library"
    """Generic clients of scripts and servers: curl, python-requests."""
    ROBOT = "robot"
    """Says itself that it is one, or is well known to be one."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class UserAgent:
    family: str | None
    major: str | None
    kind: AgentKind
    pattern: str | None = None
    """The pattern or rule that found a robot; stored with events, so that they can be judged again."""


_Families = tuple[tuple[str, re.Pattern[str]], ...]


def _families(*rows: tuple[str, str]) -> _Families:
    return tuple((family, re.compile(pattern)) for family, pattern in rows)


# First match wins: engines that call themselves by several names come before the name they borrow.
_BROWSERS = _families(
    ("Samsung Internet", r"SamsungBrowser/(\d+)"),
    ("Opera", r"(?:OPR|OPiOS|OPT)/(\d+)"),
    ("Edge", r"(?:Edge|Edg|EdgA|EdgiOS)/(\d+)"),
    ("Yandex", r"YaBrowser/(\d+)"),
    ("UC Browser", r"UC ?Browser/(\d+)"),
    ("Vivaldi", r"Vivaldi/(\d+)"),
    ("DuckDuckGo", r"(?:DuckDuckGo|Ddg)/(\d+)"),
    ("Silk", r"Silk/(\d+)"),
    ("Firefox", r"(?:Firefox|FxiOS)/(\d+)"),
    ("Android WebView", r"; wv\).*Chrome/(\d+)"),
    ("Chrome", r"(?:Chrome|CriOS|Chromium)/(\d+)"),
    ("Internet Explorer", r"(?:MSIE |Trident/.*rv:)(\d+)"),
    ("Safari", r"Version/(\d+)[\d.]*.* Safari/"),
    ("Android Browser", r"Android.*Version/(\d+)"),
    ("iOS WebView", r"\((?:iPhone|iPad|iPod)[^)]*\) AppleWebKit/(\d+)"),
    ("Mac WebView", r"Macintosh[^)]*\) AppleWebKit/(\d+)"),
)
_MOBILE_LIBRARIES = _families(
    ("okhttp", r"okhttp/(\d+)"),
    ("Dart", r"Dart/(\d+)"),
    ("CFNetwork", r"CFNetwork/(\d+)"),
    ("Dalvik", r"Dalvik/(\d+)"),
)
_HTTP_LIBRARIES = _families(
    ("curl", r"^(?:lib)?curl/(\d+)"),
    ("Wget", r"^Wget/(\d+)"),
    ("python-requests", r"python-requests/(\d+)"),
    ("python-httpx", r"python-httpx/(\d+)"),
    ("aiohttp", r"aiohttp/(\d+)"),
    ("urllib", r"(?:Python-urllib|python-urllib3)/(\d+)"),
    ("Go-http-client", r"Go-http-client/(\d+)"),
    ("node", r"^(?:node|undici|node-fetch|axios|got)\b(?:/(\d+))?"),
    ("Java", r"^(?:Java|Java-http-client|Apache-HttpClient|Jetty)/(\d+)"),
    ("libwww-perl", r"libwww-perl/(\d+)"),
    ("PHP", r"^(?:PHP|GuzzleHttp|Guzzle)/(\d+)"),
    ("Ruby", r"^(?:Ruby|Faraday v(\d+))"),
    ("PostmanRuntime", r"PostmanRuntime/(\d+)"),
)

# Besides the public list: names robots give themselves, and tools that drive a browser without a person.
# Cubot is a phone.
_ROBOT = re.compile(
    r"(?<!cu)bot\b|(?<!cu)bot[/_;)-]|crawl|spider|slurp|scrap|mediapartners|adsbot|feedfetcher|facebookexternalhit"
    r"|bingpreview|whatsapp/|telegrambot|preview|monitor|uptime|pingdom|statuscake|lighthouse"
    r"|headless|phantomjs|puppeteer|playwright|selenium|webdriver|electron-fetch|archiver|validator"
    r"|ahrefs|semrush|dataprovider|censys|zgrab|masscan|nmap|nikto|sqlmap|nuclei|httrack|heritrix"
    r"|gptbot|chatgpt|claudebot|perplexity|ccbot|bytespider|petalbot|google-read-aloud|apis-google",
    re.IGNORECASE,
)


@lru_cache(maxsize=_KEPT)
def parse_user_agent(text: str) -> UserAgent:
    """Pure, remembered for the user agents seen last. Longer than `MAX_USER_AGENT_CHARS` is unknown."""
    if len(text) > MAX_USER_AGENT_CHARS:
        return UserAgent(None, None, AgentKind.UNKNOWN)
    if not _ROBOT.search(text):
        if found := _find(text, _HTTP_LIBRARIES):
            return UserAgent(*found, AgentKind.HTTP_LIBRARY)
        if not is_listed_robot(text):
            return _person(text)
    family, major = _find(text, _BROWSERS) or (None, None)
    return UserAgent(family, major, AgentKind.ROBOT)


def _person(text: str) -> UserAgent:
    for kind, families in (
        (AgentKind.MOBILE_LIBRARY, _MOBILE_LIBRARIES),
        (AgentKind.BROWSER, _BROWSERS),
    ):
        if found := _find(text, families):
            return UserAgent(*found, kind)
    return UserAgent(None, None, AgentKind.UNKNOWN)


def _find(text: str, families: _Families) -> tuple[str, str | None] | None:
    for family, pattern in families:
        if found := pattern.search(text):
            return family, found[1]
    return None


def agent_words() -> str:
    """Every rule of this file, for the version of the lists."""
    known = (*_BROWSERS, *_MOBILE_LIBRARIES, *_HTTP_LIBRARIES)
    return "\n".join(
        (_ROBOT.pattern, *(f"{family} {pattern.pattern}" for family, pattern in known))
    )
