"""
Parses a user agent into family and major version:
the only parts that are stored, and the kind for the traffic filter.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from common.user_agent.robots import RuleKind, find_robot_rule

MAX_USER_AGENT_CHARS = 1024
_KEPT = 16_384


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


_Families = tuple[tuple[str, re.Pattern[str]], ...]


def _families(*rows: tuple[str, str]) -> _Families:
    return tuple((family, re.compile(pattern)) for family, pattern in rows)


# The first match wins. Engines that send several names come before the name that they borrow. Names of one browser come
# before the engines and the kinds of device that many share.
_BROWSERS = _families(
    ("Samsung Internet", r"SamsungBrowser/(\d+)"),
    ("Opera", r"O(?:PR|PiOS|PT|pera Mini|pera Mobi|pera GX)/(\d+)|Opera/9\.80.*Version/(\d+)"),
    ("Edge", r"(?:Edge|Edg|EdgA|EdgiOS)/(\d+)"),
    ("Yandex", r"YaBrowser/(\d+)"),
    ("UC Browser", r"UC ?Browser/(\d+)|UCWEB/?(\d+)"),
    ("Vivaldi", r"Vivaldi/(\d+)"),
    ("DuckDuckGo", r"(?:DuckDuckGo|Ddg)/(\d+)"),
    ("Silk", r"Silk/(\d+)"),
    ("SeaMonkey", r"SeaMonkey/(\d+)"),
    ("Firefox", r"(?:Firefox|FxiOS)/(\d+)"),
    ("Android WebView", r"; wv\).*Chrome/(\d+)"),
    ("LG Browser", r"LG Browser/(\d+)"),
    ("Chrome", r"(?:Chrome|CriOS|Chromium)/(\d+)"),
    ("Internet Explorer", r"(?:MSIE |Trident/.*rv:)(\d+)"),
    ("Safari", r"Version/(\d+)[\d.]*.* Safari/"),
    ("Opera", r"Opera[/ ](\d+)"),
    ("Android Browser", r"Android.*Version/(\d+)"),
    ("iOS WebView", r"\((?:iPhone|iPad|iPod)[^)]*\) (?:Apple)?WebKit/(\d+)"),
    ("Mac WebView", r"Macintosh[^)]*\) AppleWebKit/(\d+)"),
    ("Thunderbird", r"Thunderbird/(\d+)"),
    ("Konqueror", r"Konqueror/(\d+)"),
    ("Nokia Browser", r"(?:NokiaBrowser|BrowserNG|SymbianOS|Series60|Nokia\w+)/(\d+)"),
    ("BlackBerry", r"BlackBerry ?\d+i?/(\d+)|BB10.*Version/(\d+)"),
    ("Openwave", r"UP\.Browser/(\d+)"),
    ("NetFront", r"NetFront(?: \w+)?/(\d+)"),
    ("Obigo", r"(?:Obigo|Teleca|ObigoInternet)[ -]?Browser/\D{0,2}(\d+)"),
    ("Dolfin", r"(?:Dolfin|Jasmine)/(\d+)"),
    ("PlayStation", r"(?i:PlayStation )(?:Vita |Portable|3|4|5)"),
    ("Nintendo Browser", r"\(Nintendo |NintendoBrowser/(\d+)"),
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
_MOBILE_LIBRARIES = _families(
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
    ("PowerShell", r"PowerShell/(\d+)"),
)

_ANDROID_DEVICE = re.compile(r"(\(Linux;[^()]*?Android[^;()]*)((?:[^()]|\([^()]*\))*)\)")
_LANGUAGE = re.compile(r" ?[a-z]{2,3}(?:[-_][A-Za-z]{2})?")
_NO_MODEL = re.compile(r"/(?<!Build/)|@|compatible", re.IGNORECASE)
"""Text that a robot has in place of a device: a product with its version, an address."""


@lru_cache(maxsize=_KEPT)
def parse_user_agent(text: str) -> UserAgent:
    """Pure, with a cache for recent user agents. Text longer than `MAX_USER_AGENT_CHARS` is unknown."""
    if len(text) > MAX_USER_AGENT_CHARS:
        return UserAgent(None, None, AgentKind.UNKNOWN)
    rule = find_robot_rule(text)
    if rule is not None:
        rule = find_robot_rule(_without_model(text))
    if rule is None or rule.kind is RuleKind.LISTED:
        if found := _find(text, _HTTP_LIBRARIES):
            return UserAgent(*found, AgentKind.HTTP_LIBRARY)
        if rule is None:
            return _person(text)
    family, major = _find(text, _BROWSERS) or (None, None)
    return UserAgent(family, major, AgentKind.ROBOT, str(rule))


def _without_model(text: str) -> str:
    """Returns *text* without the model of an Android device: one is called ``VR BOT 552``, one ``HTC Butterfly``."""
    return _ANDROID_DEVICE.sub(_leave_out_model, text, count=1)


def _leave_out_model(device: re.Match[str]) -> str:
    parts = device[2].split(";")
    for place, part in enumerate(parts):
        if part and not _LANGUAGE.fullmatch(part):
            if not _NO_MODEL.search(part):
                del parts[place]
            break
    return device[1] + ";".join(parts) + ")"


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
            return family, found[found.lastindex] if found.lastindex else None
    return None


def is_http_library(family: str) -> bool:
    """Whether *family*, as stored with an event, is currently a generic client of scripts and servers."""
    return any(family == library for library, _ in _HTTP_LIBRARIES)


def agent_words() -> str:
    """Returns every family in this file, for the version of the lists."""
    known = (*_BROWSERS, *_MOBILE_LIBRARIES, *_HTTP_LIBRARIES)
    return "\n".join(f"{family} {pattern.pattern}" for family, pattern in known)
