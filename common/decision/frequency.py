"""Frequency caps: how a count is named, and whether a candidate is capped by the counts at hand."""

import base64
from functools import lru_cache
from hashlib import blake2b

from common.decision.rules.gates import Lookup
from common.decision.rules.outcome import NoFillReason
from common.snapshot.model import Ad, Campaign, FrequencyCap
from common.values.enums import EventKind

_NAME_BYTES = 6


def cap_key(cap: FrequencyCap, campaign: Campaign, ad: Ad) -> str:
    """Names what is counted for one cap: the campaign's or ad's id, the kind of event and the window in seconds."""
    scope = ad.id if cap.scope == "ad" else campaign.id
    return f"{scope}:{cap.event.value}:{cap.window_s}"


def cap_keys(campaign: Campaign, ad: Ad, event: EventKind) -> list[str]:
    """What one event of *ad* counts for; a count that several caps share is named once."""
    found = (cap_key(cap, campaign, ad) for cap in campaign.frequency_caps if cap.event is event)
    return list(dict.fromkeys(found))


def window_of(key: str) -> int:
    """Seconds, of a `cap_key`."""
    return int(key.rpartition(":")[2])


@lru_cache(maxsize=16_384)
def cap_name(key: str) -> str:
    """Eight characters that stand for a `cap_key` where it must be short: in the web library's own counter."""
    digest = blake2b(key.encode(), digest_size=_NAME_BYTES).digest()
    return base64.urlsafe_b64encode(digest).decode()


def capped(campaign: Campaign, ad: Ad, counts: Lookup | None) -> NoFillReason | None:
    """*counts* None: nobody knows what this person saw, and a capped ad does not serve."""
    if counts is None:
        return NoFillReason.CAP_NOT_KNOWN
    for cap in campaign.frequency_caps:
        if counts.get(cap_key(cap, campaign, ad), 0) >= cap.limit:
            return NoFillReason.FREQUENCY_CAPPED
    return None
