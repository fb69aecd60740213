"""
The rules that recognise a robot's user agent: the public list `crawler-user-agents` (MIT), and words of our own.

One automaton matches all of them. The list is pinned by the lock file; a newer list comes with a newer lock file.
Patterns are compiled once in each process, at the first look-up or by `prepare_robots`. A look-up then takes a
microsecond or two, whatever the number of patterns.
"""

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import orjson
import re2


class RuleKind(StrEnum):
    WORD = "word"
    """One of our own words."""
    LISTED = "list"
    """A pattern of the public list."""


@dataclass(frozen=True, slots=True)
class RobotRule:
    kind: RuleKind
    pattern: str

    def __str__(self) -> str:
        """The form stored with an event: ``word:crawl``, ``list:Sogou``."""
        return f"{self.kind}:{self.pattern}"


_WORDS: Final = (
    # Names that robots use for themselves. A Cubot is a phone.
    *(r"(?:^|[^u]|[^c]u)bot\b", r"(?:^|[^u]|[^c]u)bot[/_;)-]", "crawl", "spider", "slurp", "scrap"),
    *(
        "mediapartners",
        "adsbot",
        "feedfetcher",
        "facebookexternalhit",
        "bingpreview",
        r"^whatsapp\b",
    ),
    *("telegrambot", "preview", "monitor", "uptime", "pingdom", "statuscake", "lighthouse"),
    *("archiver", "validator", "ahrefs", "semrush", "dataprovider", "censys", "zgrab", "masscan"),
    *("nmap", "nikto", "sqlmap", "nuclei", "httrack", "heritrix", "gptbot", "chatgpt", "claudebot"),
    *("perplexity", "ccbot", "bytespider", "petalbot", "google-read-aloud", "apis-google"),
    # Tools that drive a browser without a person.
    *(
        "headless",
        "phantomjs",
        "puppeteer",
        "playwright",
        "selenium",
        "webdriver",
        "electron-fetch",
    ),
    *("catchpoint", "dejaclick", "evaliant", r"\bptst[ /]"),
    # A contact address, and programs of Google that fetch pages.
    *(r"[+](?:https?:|mailto:|www\.)", "compatible; google-", "gecko; google", "duplexweb-google"),
)
"""In any case."""

_REPLACED: Final[dict[str, str | None]] = {
    # The HTTP clients of apps: `common.user_agent.user_agent` recognises them, and the rules for surfaces judge them.
    "okhttp": None,
    # A build of Android 15 on phones of OPPO, OnePlus and realme.
    r"AP3A\.240617\.008": None,
    # Browsers in apps that people use: Facebook's and Instagram's, Viber's, Blackboard's, VS Code's, and those that
    # Fluid makes of a site.
    "MetaIAB Facebook": None,
    "Viber": "^Viber$",
    "Blackboard": "^Blackboard ",
    r"Code\/1\.": None,
    r"Freespoke\/": "compatible; Freespoke/",
    "Fluid": None,
    # Sogou's browser and search app contain its name; its crawlers call themselves spiders.
    "Sogou": None,
    # WhatsApp's previews begin with its name; its desktop app is a browser that a person uses.
    "WhatsApp": None,
    # These occur within other words: `Opera Mini/4.4.39008/`, `SynapseWorkstation`, `ViewSonic`.
    r"008\/": r"\b008/",
    "Synapse": r"\bSynapse[/ ]",
    "Sonic": r"\bSonic/",
    # Also names of phones; Fever is a feed reader, Butterfly was Topsy's crawler.
    "Fever": r"^Fever/",
    "Butterfly": r"Butterfly/",
}
"""Patterns of the list that match people's agents, and their replacements; None: removed."""

_ANDROID_DEVICE = re.compile(r"(\(Linux;(?>[^()]*?Android)[^;()]*+)((?:[^()]++|\([^()]*+\))*+)\)")
"""Without backtracking: where the bracket is not closed, no other split of the text closes it."""
_LANGUAGE = re.compile(r" ?[a-z]{2,3}(?:[-_][A-Za-z]{2})?")
_NO_MODEL = re.compile(r"/(?<!Build/)|@|compatible", re.IGNORECASE)
"""Text that a robot has in place of a device: a product with its version, an address."""


def find_robot_rule(user_agent: str) -> RobotRule | None:
    """Returns the first rule that *user_agent* matches, words before the list; None: it is not a known robot's."""
    found = _automaton().Match(user_agent)
    return _rules()[min(found)] if found else None


def find_robot_rules(user_agent: str) -> tuple[RobotRule | None, ...]:
    """
    Returns the rule that *user_agent* matches, then the one that it matches without the model of an Android device,
    which may be None; empty: it matches none.
    """
    rule = find_robot_rule(user_agent)
    return () if rule is None else (rule, find_robot_rule(_without_model(user_agent)))


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


def prepare_robots() -> None:
    """Compiles the rules before the first request instead of during it: some 20 ms."""
    _automaton().Match("Mozilla/5.0")


@lru_cache(maxsize=1)
def robots_digest() -> bytes:
    """Returns a digest of the rules in use."""
    return hashlib.sha256("\n".join(map(str, _rules())).encode()).digest()


def listed_examples() -> list[str]:
    """Returns the list's own example agents, for patterns that are used without replacement."""
    return [
        example
        for entry in _entries()
        if entry["pattern"] not in _REPLACED
        for example in entry.get("instances", ())
    ]


@lru_cache(maxsize=1)
def rules_in_use() -> frozenset[str]:
    """Returns the rules in the form stored with events."""
    return frozenset(map(str, _rules()))


def stale_replacements() -> frozenset[str]:
    """Returns replaced patterns that the list no longer has; each needs a review."""
    return frozenset(_REPLACED) - {entry["pattern"] for entry in _entries()}


def is_in_use(rule: str) -> bool:
    """Whether *rule*, in the form stored with an event, is one of the current rules."""
    return rule in rules_in_use()


@lru_cache(maxsize=1)
def _automaton() -> Any:
    found = re2.Set.SearchSet()
    for rule in _rules():
        found.Add(f"(?i){rule.pattern}" if rule.kind is RuleKind.WORD else rule.pattern)
    found.Compile()
    return found


@lru_cache(maxsize=1)
def _rules() -> tuple[RobotRule, ...]:
    listed = (_REPLACED.get(entry["pattern"], entry["pattern"]) for entry in _entries())
    return (
        *(RobotRule(RuleKind.WORD, word) for word in _WORDS),
        *(RobotRule(RuleKind.LISTED, pattern) for pattern in listed if pattern is not None),
    )


def _entries() -> list[dict[str, Any]]:
    source = files("crawleruseragents") / "crawler-user-agents.json"
    found: list[dict[str, Any]] = orjson.loads(source.read_bytes())
    return found
