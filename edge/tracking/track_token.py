"""Verifies the text of a token: its signature, its use, its environment and its time."""

from dataclasses import dataclass

from common.snapshot.model import Property
from common.snapshot.snapshot import Snapshot
from common.tracking.token import (
    TokenInvalid,
    TokenPayload,
    TokenUse,
    campaign_id_of,
    leeway_ms,
    parse_token,
    property_id_of,
    verify_tag,
)
from common.values.errors import ErrorCode, Refused
from common.values.messages import Message
from edge.admission.keys import Admission
from edge.context import EdgeContext


@dataclass(slots=True, init=False)
class Verified:
    """A token of ours with a valid tag for its use. It may have expired."""

    payload: TokenPayload
    campaign_id: str
    property: Property
    use: TokenUse
    expired: bool

    def __init__(
        self,
        payload: TokenPayload,
        campaign_id: str,
        prop: Property,
        use: TokenUse,
        *,
        expired: bool,
    ) -> None:
        self.payload = payload
        self.campaign_id = campaign_id
        self.property = prop
        self.use = use
        self.expired = expired


def get_track_token(edge: EdgeContext, admission: Admission, text: str, now_ms: int) -> Verified:
    """A valid, unexpired track token of the property whose key was sent. Raises `Refused`."""
    try:
        token = verify(edge, admission.snapshot, text, TokenUse.TRACK, now_ms)
    except TokenInvalid:
        raise Refused(
            ErrorCode.TOKEN_INVALID,
            Message(
                "This is not a track token of this edge. Send the serve response's track_token "
                "unchanged."
            ),
            param="token",
        ) from None
    if token.property.id != admission.property.id:
        raise Refused(
            ErrorCode.TOKEN_MISMATCH,
            Message(
                "The token and the key belong to different properties. Use the key of the serve "
                "request."
            ),
            param="token",
        )
    if token.expired:
        raise token_expired(token)
    return token


def token_expired(token: Verified) -> Refused:
    """The error of an expired track token."""
    return Refused(
        ErrorCode.TOKEN_EXPIRED,
        Message(
            "The token has expired after {life_s} s. Request a new ad.", life_s=token.payload.life_s
        ),
        param="token",
    )


def verify(
    edge: EdgeContext, snapshot: Snapshot, text: str, use: TokenUse, now_ms: int
) -> Verified:
    """
    Raises `TokenInvalid` for a token that is not ours, of another environment, for another use, or
    from the future.
    """
    try:
        payload, campaign_id, prop = _verify_signature(edge, snapshot, text, use)
        _check_meant_for(edge, payload, now_ms)
    except TokenInvalid:
        edge.redemptions.counts.refused += 1
        raise
    expired = now_ms > payload.expires_ms(use)
    edge.redemptions.counts.expired += expired
    return Verified(payload, campaign_id, prop, use, expired=expired)


def _verify_signature(
    edge: EdgeContext, snapshot: Snapshot, text: str, use: TokenUse
) -> tuple[TokenPayload, str, Property]:
    payload, raw, tag = parse_token(text)
    prop = snapshot.properties.get(property_id_of(raw))
    secret = None if prop is None else edge.secrets.find(prop, payload.kid)
    if prop is None or secret is None or not verify_tag(raw, tag, use, secret):
        raise TokenInvalid("no property's secret signed this for this use")
    return payload, campaign_id_of(raw), prop


def _check_meant_for(edge: EdgeContext, payload: TokenPayload, now_ms: int) -> None:
    if payload.is_test is not edge.environment.is_test:
        raise TokenInvalid("of the other environment")
    if payload.issued_ms > now_ms + leeway_ms(payload.life_s):
        raise TokenInvalid("issued in the future")
