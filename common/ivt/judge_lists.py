"""All lists that the judge looks into, under one version: which of them an event was judged by stands on the event."""

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from common.ivt.lists import NO_RANGES, AddressRanges, parse_ranges
from common.ivt.mail import mail_words, scanner_networks
from common.user_agent.robots import robots_digest
from common.user_agent.user_agent import agent_words

_VERSION_CHARS = 12


@dataclass(frozen=True, slots=True)
class JudgeLists:
    """*count_opens*: mail proxies that load images as the reader opens the mail count as that reader."""

    datacenter: AddressRanges = NO_RANGES
    scanners: AddressRanges = NO_RANGES
    count_opens: bool = False
    version: str = ""


def make_lists(datacenter: str, *, count_opens: bool = False) -> JudgeLists:
    """*datacenter*: CIDR ranges as text. Raises `RangesInvalid`."""
    digest = hashlib.sha256(robots_digest())
    for part in (agent_words(), mail_words(), datacenter, str(count_opens)):
        digest.update(hashlib.sha256(part.encode()).digest())
    return JudgeLists(
        parse_ranges(datacenter),
        scanner_networks(),
        count_opens,
        digest.hexdigest()[:_VERSION_CHARS],
    )


def read_lists(path: Path | None, *, count_opens: bool = False) -> JudgeLists:
    """
    With the data centres of the operator's file, else those of the seed list. Reads files.

    Raises OSError, `RangesInvalid`, and ValueError for a file that is no UTF-8.
    """
    seed = files("common.ivt") / "data_centers.txt"
    text = seed.read_text("utf-8") if path is None else path.read_text("utf-8")
    return make_lists(text, count_opens=count_opens)
