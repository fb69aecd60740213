"""
Agents of real people and of crawlers against the rules: who is counted, who is not, and on what device.

Rules are written on two thirds of the corpus, and the third is only counted (``agents/SOURCES.md``). `pytest -s` prints
the shares of both.
"""

import hashlib
import lzma
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from common.user_agent.robots import listed_examples
from common.user_agent.user_agent import AgentKind, parse_user_agent, targeted_browser
from common.values.enums import Browser
from edge.request.device import device_of

_FOLDER = Path(__file__).parent / "agents"
_PARTS = ("written_on", "only_counted")
_ONE_IN = {"mobile": 32, "tablet": 8, "tv": 4}
_NOT_COUNTED = {AgentKind.ROBOT, AgentKind.HTTP_LIBRARY, AgentKind.UNKNOWN}

_SAYS_TABLET = re.compile(r"ipad|tablet(?! pc)|\btab\b|kindle", re.IGNORECASE)
_SAYS_TV = re.compile(
    r"tv(?![a-z0-9])|smart-?tv|bravia|roku|crkey|web0s|netcast|viera|; aft[a-z]|set-?top|\bstb|bdplayer|aquos",
    re.IGNORECASE,
)


class Person(NamedTuple):
    source: str
    device: str
    agent: str


def _part(agent: str) -> str:
    return _PARTS[hashlib.sha256(agent.encode()).digest()[0] % 3 == 2]


@cache
def _people() -> tuple[Person, ...]:
    text = lzma.decompress((_FOLDER / "people.tsv.xz").read_bytes()).decode()
    return tuple(Person(*line.split("\t")) for line in text.splitlines())


@cache
def _crawlers() -> frozenset[str]:
    text = lzma.decompress((_FOLDER / "crawlers.txt.xz").read_bytes()).decode()
    return frozenset((*text.splitlines(), *listed_examples()))


def _print_shares(title: str, kinds: Iterable[str]) -> Counter[str]:
    counted = Counter(kinds)
    whole = counted.total()
    shares = ", ".join(f"{kind} {n} ({n / whole:.2%})" for kind, n in counted.most_common())
    print(f"{title}: {whole} agents: {shares}")
    return counted


@pytest.mark.parametrize("part", _PARTS)
def test_no_person_is_taken_for_a_robot_and_few_are_unknown(part: str) -> None:
    people = [person for person in _people() if _part(person.agent) == part]
    kinds = {person: parse_user_agent(person.agent).kind for person in people}
    _print_shares(f"people, {part}", kinds.values())
    not_people = {AgentKind.ROBOT, AgentKind.HTTP_LIBRARY}
    assert [person.agent for person, kind in kinds.items() if kind in not_people] == []
    for source in ("matomo", "user-agents", "random-user-agent"):
        own = [kind for person, kind in kinds.items() if person.source == source]
        assert own.count(AgentKind.UNKNOWN) <= 0.005 * len(own), source


@pytest.mark.parametrize("part", _PARTS)
def test_hardly_any_crawler_is_counted(part: str) -> None:
    crawlers = [agent for agent in _crawlers() if _part(agent) == part]
    kinds = _print_shares(f"crawlers, {part}", (parse_user_agent(agent).kind for agent in crawlers))
    assert sum(kinds[kind] for kind in _NOT_COUNTED) >= 0.97 * len(crawlers)


@pytest.mark.parametrize("part", _PARTS)
@pytest.mark.parametrize("device", ["tablet", "tv"])
def test_tablets_and_televisions_that_say_so_are_known(part: str, device: str) -> None:
    """
    A tablet says so by its name (``iPad``, ``Tablet``, ``Tab``, ``Kindle``), or as a browser of Android that does not
    say ``Mobile``; a television by the word ``TV`` at the end of a name, or by a name that only televisions have.
    """
    of_kind = _agents_on(device, part)
    says = _says_tablet if device == "tablet" else _says_tv
    telling = [agent for agent in of_kind if says(agent)]
    silent = [agent for agent in of_kind if not says(agent)]
    known = _print_shares(f"{device} that says so, {part}", map(_device, telling))
    _print_shares(f"{device} that does not, {part}", map(_device, silent))
    assert known[device] >= 0.95 * len(telling)


def test_events_and_targeting_name_one_browser() -> None:
    for person in _people()[::64]:
        family, browser = parse_user_agent(person.agent).family, device_of(person.agent).browser
        named = Browser.OTHER if family is None else targeted_browser(family)
        assert browser in {named, None}, person.agent


@pytest.mark.parametrize("part", _PARTS)
def test_phones_are_phones(part: str) -> None:
    phones = _agents_on("mobile", part)
    known = _print_shares(f"phones, {part}", map(_device, phones))
    assert known["mobile"] >= 0.97 * len(phones)


def _agents_on(device: str, part: str) -> list[str]:
    """One in `_ONE_IN` of them: reading the device takes half a millisecond."""
    found = [p.agent for p in _people() if p.device == device and _part(p.agent) == part]
    return found[:: _ONE_IN[device]]


def _device(agent: str) -> str:
    return str(device_of(agent).type)


def _says_tablet(agent: str) -> bool:
    by_rule = "Android" in agent and agent.startswith("Mozilla/") and "Mobile" not in agent
    return by_rule or _SAYS_TABLET.search(agent) is not None


def _says_tv(agent: str) -> bool:
    return _SAYS_TV.search(agent) is not None
