"""
Parses a user agent into family and major version:
the only parts that are stored, and the kind for the traffic filter.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from common.user_agent.browsers import (
    MAX_USER_AGENT_CHARS,
    browser_words,
    families,
    find_browser,
    find_family,
)
from common.user_agent.robots import RuleKind, find_robot_rule

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
        if found := find_family(text, _HTTP_LIBRARIES):
            return UserAgent(*found, AgentKind.HTTP_LIBRARY)
        if rule is None:
            return _person(text)
    family, major = find_browser(text) or (None, None)
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
    own = (f"{family} {pattern.pattern}" for family, pattern in _MOBILE_LIBRARIES + _HTTP_LIBRARIES)
    return "\n".join((browser_words(), *own))
