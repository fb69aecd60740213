"""The ad that a token was signed for, for the doors that show something of it or lead on."""

from common.decision.demo import find_demo_ad
from common.snapshot.model import Ad
from common.snapshot.snapshot import Snapshot
from edge.context import EdgeContext
from edge.tracking.redeem import Verified

STANDS_FOR_MS = 400 * 86_400_000
"""So long after the serve a click still leads somewhere, and a frame shows its ad, whether anything counts or not."""


def find_served_ad(
    edge: EdgeContext, snapshot: Snapshot, token: Verified, now_ms: int
) -> Ad | None:
    """As *snapshot* has it; None where it is gone, or where `STANDS_FOR_MS` is over."""
    if now_ms - token.payload.issued_ms > STANDS_FOR_MS:
        return None
    ad_id = str(token.payload.ad_id)
    ad = snapshot.ads.get(ad_id)
    if ad is None and edge.environment.is_test:
        return find_demo_ad(token.property, ad_id)
    return ad
