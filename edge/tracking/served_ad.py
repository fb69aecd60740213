"""The ad that a token was signed for, for endpoints that show part of it or redirect to its destination."""

from common.decision.demo_slots import find_demo_ad
from common.snapshot.model import Ad
from common.snapshot.snapshot import Snapshot
from common.tracking.token import TokenInvalid, TokenUse
from edge.context import EdgeContext
from edge.tracking.track_token import Verified, verify

STANDS_FOR_MS = 400 * 86_400_000
"""For so long after the serve, a click still redirects and a frame shows its ad, whether or not events count."""


def verify_served_ad(
    edge: EdgeContext, snapshot: Snapshot, token: str, now_ms: int
) -> tuple[Verified, Ad] | None:
    """
    The verified click token, and its ad in *snapshot*. None if the token is not ours, the ad is gone, or
    `STANDS_FOR_MS` has passed.
    """
    try:
        verified = verify(edge, snapshot, token, TokenUse.CLICK, now_ms)
    except TokenInvalid:
        return None
    if now_ms - verified.payload.issued_ms > STANDS_FOR_MS:
        return None
    ad_id = str(verified.payload.ad_id)
    ad = snapshot.ads.get(ad_id)
    if ad is None and edge.environment.is_test:
        ad = find_demo_ad(verified.property, ad_id)
    return None if ad is None else (verified, ad)
