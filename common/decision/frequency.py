"""Frequency caps: how a count is named, and whether a candidate is capped by the counts at hand."""

from common.decision.gates import Lookup
from common.decision.outcome import NoFillReason
from common.snapshot.model import Ad, Campaign, FrequencyCap


def cap_key(cap: FrequencyCap, campaign: Campaign, ad: Ad) -> str:
    """Names what is counted for one cap: the campaign's or ad's id, the kind of event and the window in seconds."""
    scope = ad.id if cap.scope == "ad" else campaign.id
    return f"{scope}:{cap.event.value}:{cap.window_s}"


def capped(campaign: Campaign, ad: Ad, counts: Lookup | None) -> NoFillReason | None:
    """*counts* None: nobody knows what this person saw, and a capped ad does not serve."""
    if counts is None:
        return NoFillReason.CAP_NOT_KNOWN
    for cap in campaign.frequency_caps:
        if counts.get(cap_key(cap, campaign, ad), 0) >= cap.limit:
            return NoFillReason.FREQUENCY_CAPPED
    return None
