"""
Agents that the public list of crawlers names (`crawler-user-agents`, MIT), found by one automaton for all its patterns.

The list is pinned by the lock; a newer one comes with a newer lock. Patterns are compiled once a process, at the first
look-up or by `prepare_robots`; a look-up then takes a microsecond or two, whatever the number of patterns.
"""

import hashlib
from functools import lru_cache
from importlib.resources import files
from typing import Any

import orjson
import re2

_NOT_ROBOTS = frozenset({"okhttp"})
"""What apps send their own requests with: `common.privacy.user_agent` knows it, and surfaces judge it."""


def is_listed_robot(user_agent: str) -> bool:
    return bool(_automaton().Match(user_agent))


def prepare_robots() -> None:
    """Before the first request, not in it: some 20 ms."""
    _automaton().Match("Mozilla/5.0")


@lru_cache(maxsize=1)
def robots_digest() -> bytes:
    """Of the patterns in use."""
    return hashlib.sha256("\n".join(_patterns()).encode()).digest()


def listed_examples() -> list[str]:
    """Agents that the list itself gives as examples of its patterns, those it is not asked about left out."""
    return [
        example
        for entry in _entries()
        if entry["pattern"] not in _NOT_ROBOTS
        for example in entry.get("instances", ())
    ]


@lru_cache(maxsize=1)
def _automaton() -> Any:
    found = re2.Set.SearchSet()
    for pattern in _patterns():
        found.Add(pattern)
    found.Compile()
    return found


@lru_cache(maxsize=1)
def _patterns() -> tuple[str, ...]:
    return tuple(entry["pattern"] for entry in _entries() if entry["pattern"] not in _NOT_ROBOTS)


def _entries() -> list[dict[str, Any]]:
    source = files("crawleruseragents") / "crawler-user-agents.json"
    found: list[dict[str, Any]] = orjson.loads(source.read_bytes())
    return found
