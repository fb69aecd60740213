"""The pass-through coin: whether a campaign that could win takes this opportunity, or waits to last its flight."""

from functools import lru_cache

from common.decision.rules.chance import salt_of, splitmix64

PPM = 1_000_000
salt_of_campaign = lru_cache(maxsize=65_536)(salt_of)
"""Of the coin, by the campaign's id."""


def passes_throttle(pass_ppm: int, campaign_id: str, seed: int) -> bool:
    """True for *pass_ppm* of a million seeds, and for the same ones whenever asked."""
    return pass_ppm >= PPM or splitmix64(seed, salt_of_campaign(campaign_id)) % PPM < pass_ppm
