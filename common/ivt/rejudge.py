"""
Judging a kept sight again, by newer lists: what is known of its network only grows, and rules may change.

Of an address its /24 or /56 is kept, so a newer list says something of it only where it covers all of that. Of an agent
its family and, of a robot, the first rule that found it are kept: what a new rule would say of it cannot be known, and
that a rule was dropped can. Under the lists and rules it was judged by, a sight gets the verdict it had.
"""

from dataclasses import dataclass, replace
from ipaddress import IPv4Network, IPv6Network

from common.ivt import ivt_flags
from common.ivt.judge import IvtSignals, Verdict, judge_signals
from common.ivt.judge_lists import JudgeLists
from common.user_agent.robots import is_in_use
from common.user_agent.user_agent import is_http_library
from common.values.enums import Surface


@dataclass(frozen=True, slots=True)
class KeptAgent:
    """What is stored of an event's agent. ``rule``: what found the robot; None: none did, or it was not stored."""

    family: str | None = None
    rule: str | None = None


NOT_KEPT = KeptAgent()


def as_mail(sight: IvtSignals) -> IvtSignals:
    """
    *sight* of an e-mail ad that was served as something else: the rules of mail were not asked.

    Of its agent only the findings are there. One that is no browser is a proxy's: Apple's, which says no more than
    ``Mozilla/5.0``, is the one that is common in mail.
    """
    found = sight.signs
    if found & ivt_flags.UNKNOWN_AGENT:
        found |= ivt_flags.MAIL_PROXY
    return replace(sight, surface=Surface.EMAIL, signs=found)


def judge_again(
    sight: IvtSignals,
    network: IPv4Network | IPv6Network | None,
    lists: JudgeLists,
    agent: KeptAgent = NOT_KEPT,
) -> Verdict:
    """*network*: the cut address; None: not known."""
    found = _agent_signs(sight.signs, agent)
    if network is not None and not found & ivt_flags.SERVER_CALLER:
        if lists.datacenter.covers(network):
            found |= ivt_flags.DATACENTER
        if sight.surface is Surface.EMAIL and lists.scanners.covers(network):
            found |= ivt_flags.LINK_SCANNER
    return judge_signals(replace(sight, signs=found))


def _agent_signs(found: int, agent: KeptAgent) -> int:
    if found & ivt_flags.ROBOT and agent.rule is not None and not is_in_use(agent.rule):
        found &= ~ivt_flags.ROBOT
        if agent.family is None:
            found |= ivt_flags.UNKNOWN_AGENT
    if agent.family is not None and is_http_library(agent.family):
        found |= ivt_flags.ROBOT
    return found
