"""Every property's two slots in test."""

from dataclasses import replace

import pytest

from common.decision.decide import decide
from common.decision.demo_slots import (
    DEMO_ALWAYS_FILL,
    DEMO_NEVER_FILL,
    find_demo_ad,
    find_demo_slot,
)
from common.decision.explain import explain
from common.decision.rules.gates import OPEN
from common.decision.rules.outcome import Decision, Fill, NoFill, NoFillReason
from common.values.enums import Format, Source
from common.values.environment import Environment
from common.values.ids import is_uuid
from tests.support.builders import NOW_MS, a_property, a_snapshot, a_stock, an_opportunity


def test_one_slot_always_fills_at_no_price() -> None:
    decision = _decide(DEMO_ALWAYS_FILL)
    assert isinstance(decision, Fill)
    assert (decision.source, decision.price_micros) == (Source.HOUSE, 0)


def test_one_slot_never_fills() -> None:
    assert _decide(DEMO_NEVER_FILL) == NoFill(NoFillReason.DEMO_NEVER_FILLS)


@pytest.mark.parametrize("ad_format", Format)
def test_the_demo_ad_has_the_requested_format(ad_format: Format) -> None:
    decision = _decide(DEMO_ALWAYS_FILL, ad_format)
    assert isinstance(decision, Fill)
    assert decision.ad.format == ad_format
    assert find_demo_ad(a_property(), decision.ad.id) == decision.ad


def test_demo_ids_are_real_and_differ_between_properties() -> None:
    ours, theirs = a_property(), a_property(id="01900000-0000-7000-8000-000000000009")
    slots = [find_demo_slot(prop, DEMO_ALWAYS_FILL) for prop in (ours, theirs)]
    ids = {slot.id for slot in slots if slot is not None}
    assert len(ids) == 2
    assert all(is_uuid(found) for found in ids)


def test_a_demo_id_is_the_same_on_every_edge_and_in_every_release() -> None:
    """Tokens and stored events name it."""
    slot = find_demo_slot(a_property(), DEMO_ALWAYS_FILL)
    assert slot is not None
    assert slot.id == "00000000-0000-8b9e-b132-45603367cdfc"


def test_a_demo_slot_is_found_by_its_id_too() -> None:
    slot = find_demo_slot(a_property(), DEMO_NEVER_FILL)
    assert slot is not None
    assert find_demo_slot(a_property(), slot.id) == slot


def test_a_foreign_ad_id_is_no_demo_ad() -> None:
    assert find_demo_ad(a_property(), "01900000-0000-7000-8000-00000000000a") is None


def test_a_real_slot_that_is_named_alike_is_an_ordinary_slot() -> None:
    stock = a_stock()
    slot = replace(stock.slot, key=DEMO_NEVER_FILL)
    snapshot = a_snapshot(slot, stock.campaign, stock.ad)
    assert isinstance(decide(snapshot, an_opportunity(slot), OPEN, NOW_MS, 0), Fill)


def test_a_demo_slot_explains_without_candidates() -> None:
    slot = find_demo_slot(a_property(), DEMO_ALWAYS_FILL)
    assert slot is not None
    snapshot = a_snapshot(environment=Environment.TEST)
    explanation = explain(snapshot, an_opportunity(slot), OPEN, NOW_MS, 0)
    assert explanation.considered == ()


def _decide(key: str, ad_format: Format | None = None) -> Decision:
    slot = find_demo_slot(a_property(), key)
    assert slot is not None
    opportunity = an_opportunity(slot, environment=Environment.TEST, format=ad_format)
    return decide(a_snapshot(environment=Environment.TEST), opportunity, OPEN, NOW_MS, 0)
