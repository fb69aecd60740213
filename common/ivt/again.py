"""
Judging a kept sight again, by newer lists: what is known of its network only grows, and rules may change.

Of an address its /24 or /56 is kept, so a newer list says something of it only where it covers all of that. Of an agent
its findings are kept and not its words. Under the lists and rules it was judged by, a sight gets the verdict it had.
"""

from dataclasses import replace
from ipaddress import IPv4Network, IPv6Network

from common.ivt import signs
from common.ivt.judge import Sight, Verdict, judge_sight
from common.ivt.judge_lists import JudgeLists
from common.vocabulary import Surface


def as_mail(sight: Sight) -> Sight:
    """
    *sight* of an e-mail ad that was served as something else: the rules of mail were not asked.

    Of its agent only the findings are there. One that is no browser is a proxy's: Apple's, which says no more than
    ``Mozilla/5.0``, is the one that is common in mail.
    """
    found = sight.signs
    if found & signs.UNKNOWN_AGENT:
        found |= signs.MAIL_PROXY
    return replace(sight, surface=Surface.EMAIL, signs=found)


def judge_again(
    sight: Sight, network: IPv4Network | IPv6Network | None, lists: JudgeLists
) -> Verdict:
    """*network*: the cut address; None: not known."""
    found = sight.signs
    if network is not None and not found & signs.SERVER_CALLER:
        if lists.datacenter.covers(network):
            found |= signs.DATACENTER
        if sight.surface is Surface.EMAIL and lists.scanners.covers(network):
            found |= signs.LINK_SCANNER
    return judge_sight(replace(sight, signs=found))
