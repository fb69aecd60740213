"""All lists of the judge, under one version. An event stores the version of the lists that it was judged with."""

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
    """*count_opens*: mail proxies that load images when the user opens the mail count as that user."""

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
    Reads the lists from files, with the data centres of the operator's file, else those of the seed list.

    Raises OSError, `RangesInvalid`, and ValueError for a file that is not UTF-8.
    """
    seed = files("common.ivt") / "data_centers.txt"
    text = seed.read_text("utf-8") if path is None else path.read_text("utf-8")
    return make_lists(text, count_opens=count_opens)
