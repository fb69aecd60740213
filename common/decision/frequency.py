"""Frequency caps: the key of a count, and whether given counts cap a candidate."""

import base64
from functools import lru_cache
from hashlib import blake2b

from common.decision.rules.gates import Lookup
from common.decision.rules.outcome import NoFillReason
from common.snapshot.model import Ad, Campaign, FrequencyCap
from common.values.enums import EventKind

_NAME_BYTES = 6


def cap_key(cap: FrequencyCap, campaign: Campaign, ad: Ad) -> str:
    """Returns the key of one cap's count: the campaign's or ad's id, the kind of event and the window in seconds."""
    scope = ad.id if cap.scope == "ad" else campaign.id
    return f"{scope}:{cap.event.value}:{cap.window_s}"


def cap_keys(campaign: Campaign, ad: Ad, event: EventKind) -> list[str]:
    """Returns the counts that one event of *ad* increments. A count that several caps share is listed once."""
    found = (cap_key(cap, campaign, ad) for cap in campaign.frequency_caps if cap.event is event)
    return list(dict.fromkeys(found))


def window_of(key: str) -> int:
    """Returns the window of a `cap_key` in seconds."""
    return int(key.rpartition(":")[2])


@lru_cache(maxsize=16_384)
def cap_name(key: str) -> str:
    """Returns eight characters that stand for a `cap_key` where it must be short: in the web library's own counter."""
    digest = blake2b(key.encode(), digest_size=_NAME_BYTES).digest()
    return base64.urlsafe_b64encode(digest).decode()


def capped(campaign: Campaign, ad: Ad, counts: Lookup | None) -> NoFillReason | None:
    """
    Returns why a cap drops the ad, or None. *counts* is None where they are unknown:
    then a capped ad does not serve.
    """
    if counts is None:
        return NoFillReason.CAP_NOT_KNOWN
    for cap in campaign.frequency_caps:
        if counts.get(cap_key(cap, campaign, ad), 0) >= cap.limit:
            return NoFillReason.FREQUENCY_CAPPED
    return None
