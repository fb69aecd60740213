"""
Parses a user agent into family and major version, the only parts that are stored, and the kind for the traffic filter.

Targeting and events take the browser from one table. ua-parser recognises the browsers, and the table gives its many
spellings of one browser one name. Patterns of our own recognise old phones, televisions and bare engines, which
ua-parser does not.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from importlib.metadata import version

from ua_parser import Domain
from ua_parser.loaders import load_builtins
from ua_parser.regex import Resolver

from common.user_agent.robots import RuleKind, find_robot_rules
from common.values.enums import Browser

MAX_USER_AGENT_CHARS = 1024
_KEPT = 16_384

Families = tuple[tuple[str, re.Pattern[str]], ...]


def families(*rows: tuple[str, str]) -> Families:
    """Names with their patterns, of which the first match wins. A pattern's last group is the major version."""
    return tuple((family, re.compile(pattern)) for family, pattern in rows)


_TARGETED = {
    "Chrome": Browser.CHROME,
    "Safari": Browser.SAFARI,
    "Firefox": Browser.FIREFOX,
    "Edge": Browser.EDGE,
    "Opera": Browser.OPERA,
    "Samsung Internet": Browser.SAMSUNG,
}
_NAMES = (
    dict.fromkeys(("Chrome Mobile", "Chrome Mobile iOS", "Chromium"), "Chrome")
    | dict.fromkeys(("Firefox Mobile", "Firefox iOS"), "Firefox")
    | dict.fromkeys(("Opera Mobile", "Opera Mini", "Opera Touch", "Opera GX"), "Opera")
    | dict.fromkeys(("IE", "IE Mobile", "IE Large Screen"), "Internet Explorer")
    | {
        "Mobile Safari": "Safari",
        "Mobile Safari UI/WKWebView": "iOS WebView",
        "Edge Mobile": "Edge",
        "Chrome Mobile WebView": "Android WebView",
        "Android": "Android Browser",
        "Yandex Browser": "Yandex",
        "Amazon Silk": "Silk",
        "DuckDuckGo Mobile": "DuckDuckGo",
        "UP.Browser": "Openwave",
        "Teleca Browser": "Obigo",
    }
)
"""Names of ua-parser that stand for a browser with another name here. All others keep ua-parser's name."""
_NAMES_BROWSER = ("Mozilla/", "Opera/")
"""All browsers of today send one of them. An agent without either is a program, whatever ua-parser calls it."""

_OTHERS = families(
    ("UC Browser", r"UC ?Browser/(\d+)|UCWEB/?(\d+)"),
    ("Openwave", r"UP\.Browser/(\d+)"),
    ("NetFront", r"NetFront(?: \w+)?/(\d+)"),
    ("Obigo", r"(?:Obigo|Teleca|ObigoInternet)[ -]?Browser/\D{0,2}(\d+)"),
    ("Nintendo Browser", r"\(Nintendo |NintendoBrowser/(\d+)"),
    ("PlayStation", r"(?i:PlayStation )(?:Vita |Portable|3|4|5)"),
    ("Chrome", r"(?:Chrome|CriOS|Chromium)/(\d+)"),
    ("Nokia Browser", r"(?:NokiaBrowser|BrowserNG|SymbianOS|Series60|Nokia\w+)/(\d+)"),
    ("BlackBerry", r"BlackBerry ?\d+i?/(\d+)|BB10.*Version/(\d+)"),
    ("Dolfin", r"(?:Dolfin|Jasmine)/(\d+)"),
    ("HbbTV", r"HbbTV/(\d+)"),
    ("Smart TV", r"(?i:smart-?tv|web0s|netcast|\bDTV\b|olleh tv|\bMAG\d{3} stbapp|IPTV/)"),
    ("Facebook", r"\[FB(?:AN|_IAB).*FBAV/(\d+)"),
    ("Gecko", r"\) G(?:ecko|oanna)/\d{4,8}(?: [A-Z]\w+/(\d+))?"),
    ("Text browser", r"^(?:Lynx|Links|ELinks|w3m|Dillo|NetSurf|amaya)[ /](?:\()?(\d+)"),
    # Phones that send a browser's profile and no browser, and WebKit where nothing names its application.
    ("Feature phone", r"MIDP-\d|CLDC-\d|DoCoMo/|KDDI-|(?i:MAUI[ /-]|WAP[ -]Browser)"),
    (
        "WebKit",
        r"(?i:(?:linux|android|windows|mac|iphone|ipad|symbian|samsung|tizen|bada).*webkit) ?/? ?(\d{3})",
    ),
    # Some proxies and set-top boxes send it in lower case, or disguised.
    ("Chrome", r"(?i:chr[o0]me ?/ ?)(\d+)"),
)


@lru_cache(maxsize=_KEPT)
def find_browser(text: str) -> tuple[str, str | None] | None:
    """Returns family and major version; None where *text*, of at most `MAX_USER_AGENT_CHARS`, names no browser."""
    if any(name in text for name in _NAMES_BROWSER):
        try:
            found = _resolver()(text, Domain.USER_AGENT).user_agent
        except UnicodeEncodeError:  # surrogates, from bytes that are not UTF-8
            found = None
        if found is not None:
            return _NAMES.get(found.family, found.family), found.major
    return find_family(text, _OTHERS)


def find_family(text: str, rows: Families) -> tuple[str, str | None] | None:
    for family, pattern in rows:
        if found := pattern.search(text):
            return family, found[found.lastindex] if found.lastindex else None
    return None


def targeted_browser(family: str) -> Browser:
    """Returns the value by which campaigns target *family*."""
    return _TARGETED.get(family, Browser.OTHER)


def prepare_browsers() -> None:
    """Builds the parser before the first request instead of during it: some 200 ms."""
    for text in ("Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0", "-"):
        find_browser(text)


def browser_words() -> str:
    """Returns everything that a family depends on, for the version of the lists."""
    rows = (f"{family} {pattern.pattern}" for family, pattern in _OTHERS)
    return "\n".join((version("ua-parser-builtins"), *map(str, _NAMES.items()), *rows))


@cache
def _resolver() -> Resolver:
    browsers, _systems, _models = load_builtins()
    return Resolver((browsers, [], []))


class AgentKind(StrEnum):
    BROWSER = "browser"
    MOBILE_LIBRARY = "mobile_library"
    """HTTP stacks that apps use: okhttp, CFNetwork, Dart."""
    HTTP_LIBRARY = "http_library"
    """Generic clients of scripts and servers: curl, python-requests."""
    ROBOT = "robot"
    """Identifies itself as one, or is well known to be one."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class UserAgent:
    family: str | None
    major: str | None
    kind: AgentKind
    pattern: str | None = None
    """
    For a robot, the rule that matched, as text of `common.user_agent.robots.RobotRule`; stored with events, so that
    they can be judged again.
    """


_MOBILE_LIBRARIES = families(
    ("okhttp", r"okhttp/(\d+)"),
    ("Dart", r"Dart/(\d+)"),
    ("CFNetwork", r"CFNetwork/(\d+)"),
    ("Dalvik", r"Dalvik/(\d+)"),
    ("Cronet", r"Cronet/(\d+)"),
    ("Spotify", r"^Spotify/(\d+)"),
    (
        "iOS app",
        r"\((?:iPhone|iPad|iPod touch|Apple Watch); (?:iOS|iPadOS|watchOS) (\d+)[^)]*Scale/",
    ),
)
_PODCAST_APPS = families(
    ("Overcast", r"^Overcast/(\d+)\S* \([^)]*podcast app\)"),
    ("Podcast Addict", r"^PodcastAddict/v?(\d+)\S* \([^)]*podcast app\)"),
)
"""Those whose players state an address, as robots do. The programs that read feeds for them do not say podcast app."""
_HTTP_LIBRARIES = families(
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
    ("PowerShell", r"PowerShell/(\d+)"),
)


@lru_cache(maxsize=_KEPT)
def parse_user_agent(text: str) -> UserAgent:
    """Pure, with a cache for recent user agents. Text longer than `MAX_USER_AGENT_CHARS` is unknown."""
    if len(text) > MAX_USER_AGENT_CHARS:
        return UserAgent(None, None, AgentKind.UNKNOWN)
    rules = find_robot_rules(text)
    if rules and (found := find_family(text, _PODCAST_APPS)):
        return UserAgent(*found, AgentKind.MOBILE_LIBRARY)
    rule = rules[-1] if rules else None
    if rule is None or rule.kind is RuleKind.LISTED:
        if found := find_family(text, _HTTP_LIBRARIES):
            return UserAgent(*found, AgentKind.HTTP_LIBRARY)
        if rule is None:
            return _person(text)
    family, major = find_browser(text) or (None, None)
    return UserAgent(family, major, AgentKind.ROBOT, str(rule))


def _person(text: str) -> UserAgent:
    if found := find_family(text, _MOBILE_LIBRARIES):
        return UserAgent(*found, AgentKind.MOBILE_LIBRARY)
    if found := find_browser(text):
        return UserAgent(*found, AgentKind.BROWSER)
    return UserAgent(None, None, AgentKind.UNKNOWN)


def is_http_library(family: str) -> bool:
    """Whether *family*, as stored with an event, is currently a generic client of scripts and servers."""
    return any(family == library for library, _ in _HTTP_LIBRARIES)


def agent_words() -> str:
    """Returns everything that a family depends on, for the version of the lists."""
    own = (
        f"{family} {pattern.pattern}"
        for family, pattern in _PODCAST_APPS + _MOBILE_LIBRARIES + _HTTP_LIBRARIES
    )
    return "\n".join((browser_words(), *own))
