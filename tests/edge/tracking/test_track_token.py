"""Which tokens an edge accepts, and until when."""

import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from common.tracking.token import TokenInvalid, TokenPayload, TokenUse
from edge.context import EdgeContext
from tests.edge.tracking.track_clients import shown_at
from tests.support.builders import NOW_MS, a_snapshot
from tests.support.tokens import a_payload
from tests.support.worker import an_edge, later


@pytest.fixture
async def edge(tmp_path: Path) -> AsyncIterator[EdgeContext]:
    async with an_edge(tmp_path, a_snapshot()) as opened:
        yield opened


@pytest.mark.parametrize(
    "payload",
    [
        a_payload(is_test=True),
        a_payload(kid=9),
        a_payload(property_id=uuid.UUID(int=1)),
        a_payload(issued_ms=NOW_MS + 30_001),
    ],
    ids=["the other environment's", "unknown secret", "unknown property", "from the future"],
)
async def test_a_token_of_another_property_or_environment_or_the_future_is_invalid(
    edge: EdgeContext, payload: TokenPayload
) -> None:
    with pytest.raises(TokenInvalid):
        shown_at(edge, payload)
    assert edge.redemptions.counts.refused == 1


@pytest.mark.parametrize(
    ("use", "age_s", "expired"),
    [
        (TokenUse.TRACK, 630, False),
        (TokenUse.TRACK, 630.001, True),
        (TokenUse.IMPRESSION, 630.001, True),
        (TokenUse.CLICK, 14_430, False),
        (TokenUse.CLICK, 14_430.001, True),
    ],
)
async def test_a_token_expires_after_its_life_and_leeway(
    edge: EdgeContext, use: TokenUse, age_s: float, *, expired: bool
) -> None:
    later(edge, s=age_s)
    assert shown_at(edge, a_payload(), use).expired is expired
