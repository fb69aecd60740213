"""
Counts what was really sent of a session. An ad counts when all its bytes or segments were sent, in any order and by
any worker; a download of the content counts by the IAB's Podcast Measurement 2.2: after one minute of it, in one
response or several, once in 24 hours for an address and user agent.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

from common.tracking.token import TokenInvalid, TokenUse
from common.values.enums import EventKind, QualitySignal
from edge.audio.parts import AudioParts
from edge.audio.sessions import SESSION_LIFE_S, AudioSession, SessionAd
from edge.context import EdgeContext
from edge.ports import AudioSessionStoreUnavailable
from edge.spool.spool import SpoolFull
from edge.tracking.redeem import RequestEvidence, redeem
from edge.tracking.track_token import verify

Span = tuple[int, int]
"""Start and end of what was sent: bytes of a file, or segments."""

DOWNLOAD_MS: Final = 60_000
"""IAB Podcast Measurement 2.2: a download is a minute of content, or all of it where it is shorter."""
_REACHED: Final = (
    (0.25, QualitySignal.FIRST_QUARTILE),
    (0.5, QualitySignal.MIDPOINT),
    (0.75, QualitySignal.THIRD_QUARTILE),
    (1.0, QualitySignal.COMPLETE),
    (1.0, EventKind.IMPRESSION),
)


async def record_ad(  # noqa: PLR0917 - all that an event follows from
    edge: EdgeContext,
    audio: AudioParts,
    key: str,
    session: AudioSession,
    number: int,
    span: Span,
    total: int,
    evidence: RequestEvidence,
) -> None:
    """
    Adds *span* to what was sent of the ad *number* of the session, of *total* bytes or segments, and counts what that
    completes. Without the store, only what one response sent whole counts.
    """
    ad = ads_of(session)[number]
    try:
        before, after = await audio.sessions.add_sent(f"{key}:sent:{number}", span, SESSION_LIFE_S)
    except AudioSessionStoreUnavailable:
        before, after = 0, span[1] - span[0]
    shares = before / total, after / total
    kinds: list[EventKind | QualitySignal] = [QualitySignal.START] if not before else []
    kinds += [kind for share, kind in _REACHED if shares[0] < share <= shares[1]]
    for kind in kinds:
        await _redeem(edge, ad, kind, evidence)


async def record_content(  # noqa: PLR0917 - all that a download follows from
    edge: EdgeContext,
    audio: AudioParts,
    key: str,
    session: AudioSession,
    spans: Sequence[Span],
    minute_bytes: int,
    evidence: RequestEvidence,
) -> None:
    """
    Adds *spans*, in bytes of the content, to what an address and agent received of it in the session. Counts one
    download when that is *minute_bytes*, unless the same address and agent had one in the last 24 hours. Without the
    store nothing counts.
    """
    if not spans:
        return
    named = "\0".join(
        (
            "audio download",
            session.property_id,
            session.content_id or session.content_digest,
            evidence.ip or "",
            evidence.user_agent or "",
        )
    )
    person = hmac.new(audio.secret, named.encode(), hashlib.sha256).hexdigest()[:32]
    received, is_new = 0, False
    try:
        for span in spans:
            _, received = await audio.sessions.add_sent(
                f"{key}:sent:{person}", span, SESSION_LIFE_S
            )
        if received >= minute_bytes:
            is_new = await audio.sessions.claim(f"download:{person}", SESSION_LIFE_S)
    except AudioSessionStoreUnavailable:
        return
    if is_new:
        edge.metrics.audio_downloads[session.property_id] += 1


def ads_of(session: AudioSession) -> list[SessionAd]:
    return [ad for one in session.breaks for ad in one.ads]


async def _redeem(
    edge: EdgeContext,
    ad: SessionAd,
    kind: EventKind | QualitySignal,
    evidence: RequestEvidence,
) -> None:
    now_ms = edge.clock.now_ms()
    try:
        token = verify(edge, edge.snapshots.current(), ad.track_token, TokenUse.TRACK, now_ms)
    except TokenInvalid:  # its secret was revoked
        return
    if token.expired:
        return
    try:
        await redeem(edge, token, kind, evidence, now_ms)
    except SpoolFull:
        return  # counted as lost
