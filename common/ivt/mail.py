"""
Machines of mail: proxies that load a mail's images in place of the user, and scanners that follow its links.

They are recognised by the name that they send, or by networks that their operators publish. Evidence, by entry:

- ``GoogleImageProxy``: Gmail's image proxy names itself. Google: images are loaded through its proxy servers.
- ``YahooMailProxy``: the proxy of Yahoo and AOL names itself, with the address of its own help page.
- ``Mozilla/5.0`` and nothing else: Apple Mail Privacy Protection, which loads every image of a mail soon after it was
  delivered, read or not. A browser sends more than that.
- ``Edge/12.246 Mozilla/5.0`` at the end: Gmail's prefetch of images ahead of the user; no browser's agent ends so.
- ``Microsoft Office Existence Discovery``, ``BingPreview``: Microsoft's previews of link targets.
- ``Barracuda``, ``Mimecast``, ``Proofpoint``, ``CiscoSecureEmail``, ``TMES``: gateways that name themselves. Most do
  not: they send a browser's agent, and are found by network, or by their behaviour (`common.ivt.windows`).
- networks: Barracuda's Email Gateway Defense, Mimecast, Proofpoint, and Microsoft's Exchange Online Protection, as each
  one asks its customers to allow them.
"""

import re

from common.ivt.lists import AddressRanges, parse_ranges

_UNREAD = re.compile(r"^Mozilla/5\.0$|Edge/12\.246 Mozilla/5\.0$")
_OPENING = re.compile(r"GoogleImageProxy|YahooMailProxy")
_SCANNER = re.compile(
    r"Microsoft Office Existence Discovery|BingPreview|Barracuda|Mimecast|Proofpoint|CiscoSecureEmail|\bTMES\b",
    re.IGNORECASE,
)
_SCANNER_NETWORKS = """
40.92.0.0/15 52.100.0.0/14 104.47.0.0/17 2a01:111:f400::/48 2a01:111:f403::/48
64.235.144.0/20 209.222.80.0/21
67.231.144.0/20 148.163.128.0/19 185.132.180.0/22 205.220.160.0/20
91.220.42.0/24 103.13.69.0/24 146.101.78.0/24 195.130.217.0/24 205.139.110.0/23 207.211.30.0/23 216.205.24.0/24
"""


def loads_unread(user_agent: str) -> bool:
    """Whether it is a proxy that loads images whether or not the mail is opened."""
    return _UNREAD.search(user_agent) is not None


def loads_when_opened(user_agent: str) -> bool:
    """
    Whether it is a proxy that loads images when the user opens the mail, and caches them: it hides who, where and how
    often.
    """
    return _OPENING.search(user_agent) is not None


def fetches_for_many(user_agent: str) -> bool:
    """Whether it is a proxy whose few addresses load the images of many users."""
    return loads_unread(user_agent) or loads_when_opened(user_agent)


def follows_links(user_agent: str) -> bool:
    """Whether it is a scanner that names itself."""
    return _SCANNER.search(user_agent) is not None


def scanner_networks() -> AddressRanges:
    return parse_ranges("\n".join(_SCANNER_NETWORKS.split()))


def mail_words() -> str:
    """Returns all patterns and networks of this file, for the version of the lists."""
    patterns = (_UNREAD, _OPENING, _SCANNER)
    return "\n".join([*(one.pattern for one in patterns), _SCANNER_NETWORKS])
