"""The throttle draw: whether a campaign that could win takes this opportunity, or waits so that its budget lasts."""

from functools import lru_cache

from common.decision.rules.chance import salt_of, splitmix64

PPM = 1_000_000
salt_of_campaign = lru_cache(maxsize=65_536)(salt_of)
"""Salt of the draw, by the campaign's id."""


def passes_throttle(pass_ppm: int, campaign_id: str, seed: int) -> bool:
    """True for *pass_ppm* of a million seeds; the result is the same on every call."""
    return pass_ppm >= PPM or splitmix64(seed, salt_of_campaign(campaign_id)) % PPM < pass_ppm
