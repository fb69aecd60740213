"""Limits on the ads of a request beyond those of its slot: what its output can carry, and what its break has left."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import orjson

from common.decision.rules.outcome import NoFillReason
from common.service.asset_folder import find_object_name
from common.snapshot.model import Ad, AudioLimits, Campaign
from common.values.enums import Format

VAST_WRAPPER: Final = "vast_wrapper"
"""In ``Ad.requires``: the ad is the ad tag of another server."""
FULL_LENGTH_MS: Final = 500
"""An ad fills a time if it ends at most this long before it, because encoders round to whole frames."""
MAX_POD_ADS: Final = 20
MAX_STITCHED_MS: Final = 120_000
"""Longer uploads get no renditions. Two minutes take about 15 s of processor and 30 MB."""
_NOTHING: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class AdLimits:
    """
    ``formats``: those that the output can carry; None: any. ``max_duration_ms``: the time that is left in the break;
    ads of unknown length do not fit. ``fills_break``: only ads that fill that time. ``campaign_ids``, ``categories``:
    what the break shows already; categories without their subcategories. ``accepts_wrappers``: the output can refer to
    the ad tag of another server. ``is_uploaded``: only ads with one of `uploaded_urls`. ``excluded_ad_ids``: ads that
    the output cannot show. ``only_ad_id``: no other ad. ``size``: width and height that an ad has, if it has any.
    """

    formats: frozenset[Format] | None = None
    max_duration_ms: int | None = None
    fills_break: bool = False
    campaign_ids: frozenset[str] = _NOTHING
    categories: frozenset[str] = _NOTHING
    accepts_wrappers: bool = False
    is_uploaded: bool = False
    excluded_ad_ids: frozenset[str] = _NOTHING
    only_ad_id: str | None = None
    size: tuple[int, int] | None = None

    def drop(self, campaign: Campaign, ad: Ad) -> NoFillReason | None:
        """Returns the reason for which they exclude the ad; None where they do not."""
        if not self._carries(ad):
            return NoFillReason.FORMAT_MISMATCH
        if self.size is not None and not self._has_size(ad, self.size):
            return NoFillReason.SIZE_MISMATCH
        if self.max_duration_ms is not None and not self._fits(ad, self.max_duration_ms):
            return NoFillReason.DURATION_MISMATCH
        if campaign.id in self.campaign_ids:
            return NoFillReason.ADVERTISER_ALREADY_SHOWN
        if self.categories and not self.categories.isdisjoint(main_categories(ad)):
            return NoFillReason.CATEGORY_ALREADY_SHOWN
        return None

    def _carries(self, ad: Ad) -> bool:
        if self.formats is not None and ad.format not in self.formats:
            return False
        if ad.id in self.excluded_ad_ids:
            return False
        if self.only_ad_id is not None and ad.id != self.only_ad_id:
            return False
        if self.is_uploaded and not uploaded_urls(ad.content):
            return False
        return self.accepts_wrappers or not is_wrapper(ad)

    def _has_size(self, ad: Ad, size: tuple[int, int]) -> bool:
        return ad.width is None or ad.height is None or (ad.width, ad.height) == size

    def _fits(self, ad: Ad, left_ms: int) -> bool:
        length_ms = duration_ms(ad)
        if length_ms is None or length_ms > left_ms:
            return False
        return not self.fills_break or left_ms - length_ms <= FULL_LENGTH_MS


@dataclass(frozen=True, slots=True)
class PodSize:
    """The most that one ad break takes. ``max_duration_ms``: of all its ads together; None: no limit."""

    max_ads: int = 1
    max_duration_ms: int | None = None

    def within(self, limits: AudioLimits | None) -> "PodSize":
        """Returns the smaller of this size and the *limits* of a slot."""
        if limits is None:
            return self
        longest_ms = limits.max_duration_ms
        if self.max_duration_ms is not None:
            longest_ms = min(longest_ms, self.max_duration_ms)
        return PodSize(min(self.max_ads, limits.max_ads), longest_ms)


def is_wrapper(ad: Ad) -> bool:
    """Whether the ad is the ad tag of another server, which only a VAST document can refer to."""
    return VAST_WRAPPER in ad.requires


def main_categories(ad: Ad) -> frozenset[str]:
    """The ad's categories without their subcategories: `7` for `7-3`."""
    return frozenset([category.partition("-")[0] for category in ad.categories])


def duration_ms(ad: Ad) -> int | None:
    """Returns the length of a video or audio ad, that of its longest rendition; None for other formats."""
    if ad.format is not Format.VIDEO and ad.format is not Format.AUDIO:
        return None
    return _content_duration_ms(ad.content)


@lru_cache(maxsize=16_384)
def uploaded_urls(content: str) -> tuple[str, ...]:
    """
    URLs of those of its recordings that were uploaded, by the name that an asset store gives to files, and are short
    enough to have renditions.
    """
    media = orjson.loads(content).get("media") or ()
    return tuple(
        [
            one["url"]
            for one in media
            if one.get("duration_ms", 0) <= MAX_STITCHED_MS
            and find_object_name(one["url"]) is not None
        ]
    )


@lru_cache(maxsize=16_384)
def _content_duration_ms(content: str) -> int | None:
    values = orjson.loads(content)
    lengths = [one["duration_ms"] for one in values.get("media") or () if "duration_ms" in one]
    wrapper = values.get("wrapper")
    if not lengths and wrapper:
        lengths = [wrapper["duration_ms"]]
    return max(lengths, default=None)
