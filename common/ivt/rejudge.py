"""
Judges stored signals again with newer lists: knowledge about a network only grows, and rules may change.

Only the /24 or /56 of an address is stored, so a newer list applies only where it covers all of that. Of an agent, only
the family is stored, and for a robot the first rule that matched. So the effect of a new rule cannot be known, but that
of a dropped rule can. With the same lists and rules, the signals get the same verdict.
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
    """
    The stored part of an event's agent. ``rule``: the rule that matched the robot; None: none did, or it was not
    stored.
    """

    family: str | None = None
    rule: str | None = None


NOT_KEPT = KeptAgent()


def as_mail(signals: IvtSignals) -> IvtSignals:
    """
    Returns the signals of an e-mail ad that was served under another surface, for which the mail rules were not
    applied.

    Only the findings about its agent are stored. An unknown agent is counted as a proxy: Apple's, which sends only
    ``Mozilla/5.0``, is the common one in mail.
    """
    found = signals.signs
    if found & ivt_flags.UNKNOWN_AGENT:
        found |= ivt_flags.MAIL_PROXY
    return replace(signals, surface=Surface.EMAIL, signs=found)


def judge_again(
    signals: IvtSignals,
    network: IPv4Network | IPv6Network | None,
    lists: JudgeLists,
    agent: KeptAgent = NOT_KEPT,
) -> Verdict:
    """*network*: the truncated address; None: not known."""
    found = _agent_signs(signals.signs, agent)
    if network is not None and not found & ivt_flags.SERVER_CALLER:
        if lists.datacenter.covers(network):
            found |= ivt_flags.DATACENTER
        if signals.surface is Surface.EMAIL and lists.scanners.covers(network):
            found |= ivt_flags.LINK_SCANNER
    return judge_signals(replace(signals, signs=found))


def _agent_signs(found: int, agent: KeptAgent) -> int:
    if found & ivt_flags.ROBOT and agent.rule is not None and not is_in_use(agent.rule):
        found &= ~ivt_flags.ROBOT
        if agent.family is None:
            found |= ivt_flags.UNKNOWN_AGENT
    if agent.family is not None and is_http_library(agent.family):
        found |= ivt_flags.ROBOT
    return found
