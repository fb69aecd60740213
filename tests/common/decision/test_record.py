"""A decision written down, read again and made again: in generated worlds, the same to the last candidate."""

from collections import Counter
from dataclasses import fields, replace
from random import Random
from typing import Any

import pytest

from common.decision.decide import decide
from common.decision.decision_input import DecisionInput
from common.decision.explain import explain
from common.decision.record import (
    PPM,
    READ_FIELDS,
    DecisionRecord,
    RecordUnusable,
    decision_input_of,
    is_same,
    is_sampled,
    record_of,
)
from common.decision.recorded_gates import NotRecorded, recording
from common.decision.rules.gates import Gates, Ranking
from common.decision.rules.opportunity import Opportunity, Signals
from common.decision.rules.outcome import Explanation, Fill
from common.privacy.consent import ConsentSignals, decide_consent
from common.snapshot.model import Budget, FrequencyCap, Goal, Pace
from common.snapshot.snapshot import Snapshot
from common.tracking.event import LogRecord, WriterId
from common.tracking.record import encode_record, parse_record
from common.values.enums import (
    EventKind,
    Format,
    PricingModel,
    Priority,
)
from common.values.ids import new_id
from tests.common.decision.worlds import Worlds
from tests.support.builders import (
    NOW_MS,
    a_campaign,
    a_property,
    a_slot,
    a_snapshot,
    an_ad,
    an_opportunity,
)

WRITER = WriterId("edge", "0" * 32)


def a_world(rng: Random) -> Snapshot:
    """Two slots, up to a dozen campaigns with everything a campaign can ask for."""
    objects: list[Any] = [a_property(), a_slot(), a_slot(key="other", floor_micros=2_000_000)]
    worlds = Worlds(rng.getrandbits(64))
    for _ in range(rng.randrange(12)):
        campaign = a_campaign(
            priority=rng.choice([*Priority]),
            pricing_model=rng.choice([PricingModel.CPM, PricingModel.CPC, PricingModel.CPA]),
            bid_cents=rng.choice([100, 100, 250, 400]),
            targeting=worlds.targeting(),
            budget=rng.choice([None, Budget(10_000_000, None)]),
            goal=rng.choice([None, None, Goal(EventKind.CLICK, 10)]),
            frequency_caps=rng.choice(
                [(), (), (FrequencyCap("campaign", EventKind.IMPRESSION, 3, 3600),)]
            ),
            share_of_voice_percent=rng.choice([None, 40]),
        )
        objects += [campaign, *(an_ad(campaign, weight=rng.randint(1, 9)) for _ in range(2))]
        objects.append(
            Pace(campaign.id, counted=rng.choice([0, 20]), pass_ppm=rng.choice([PPM, PPM // 2]))
        )
    return a_snapshot(*objects)


def a_serve_request(rng: Random, snapshot: Snapshot) -> Opportunity:
    slot = rng.choice([*snapshot.slots.values()])
    return replace(
        an_opportunity(slot),
        property=snapshot.properties[slot.property_id],
        format=rng.choice([None, Format.BANNER]),
        width=rng.choice([None, 300]),
        child_directed=rng.random() < 0.1,
        signals=Worlds(rng.getrandbits(64)).signals(),
        shown_advertisers=frozenset(rng.choice([(), ("brand.example",)])),
    )


def some_gates(rng: Random, snapshot: Snapshot) -> Gates:
    counts = {f"{name}:impression:3600": rng.choice([0, 5]) for name in snapshot.campaigns}
    return Gates(
        stale=rng.random() < 0.02,
        spool_full=rng.random() < 0.05,
        available_micros={name: rng.choice([0, 10_000_000]) for name in snapshot.campaigns},
        counts=rng.choice([None, counts]),
        ranking=rng.choice([*Ranking]),
    )


def replayed(raw: bytes, snapshot: Snapshot) -> tuple[DecisionRecord, DecisionInput]:
    """From what travelled alone."""
    body = parse_record(raw).body
    assert isinstance(body, DecisionRecord)
    return body, decision_input_of(body, snapshot)


def explained(decision_input: DecisionInput) -> Explanation:
    return explain(
        decision_input.snapshot,
        decision_input.opportunity,
        decision_input.gates,
        decision_input.now_ms,
        decision_input.seed,
    )


def lines_of(explanation: Explanation) -> list[Any]:
    """The considered ads without the gate that dropped each: no gate runs for those behind the winner."""
    return [replace(line, dropped_by=None) for line in explanation.considered]


def check(number: int, *, debug: bool) -> str:
    """One decision of one world, written, read and made again; gives its outcome."""
    rng = Random(number)
    snapshot = a_world(rng)
    requested = a_serve_request(rng, snapshot)
    gates, seed = recording(some_gates(rng, snapshot)), rng.getrandbits(64)
    decision_input = DecisionInput(snapshot, requested, gates, NOW_MS, seed)
    consent = decide_consent(ConsentSignals(npa="1"), presumed=False, vendor_id=None)
    first = explained(decision_input) if debug else None
    decision = first.decision if first else decide(snapshot, requested, gates, NOW_MS, seed)
    raw = encode_record(
        LogRecord(WRITER, 1, b"", record_of(new_id(), decision_input, decision, consent))
    )

    record, again = replayed(raw, snapshot)
    reported = explained(again)

    assert (again.opportunity, again.seed, again.now_ms) == (requested, seed, NOW_MS)
    assert reported.decision == decision
    assert is_same(record, reported.decision)
    assert record.consent["why"] == ["npa"]
    if first is not None:
        assert reported == first
    else:
        assert lines_of(reported) == lines_of(explained(decision_input))
    return "fill" if isinstance(decision, Fill) else decision.reason


@pytest.mark.parametrize("debug", [False, True])
def test_a_decision_repeated_from_its_record_is_the_same(debug: bool) -> None:  # noqa: FBT001 - a parameter of pytest
    outcomes = Counter(check(number, debug=debug) for number in range(300))

    assert outcomes["fill"] > 50
    assert len(outcomes) >= 4


@pytest.mark.long
def test_ten_thousand_repeated_decisions_are_the_same() -> None:
    outcomes = Counter(check(number, debug=number % 2 == 0) for number in range(10_000))

    assert outcomes["fill"] > 2_000


def test_a_sampled_share_is_recorded_and_it_is_the_same_everywhere() -> None:
    seeds = [Random(number).getrandbits(64) for number in range(20_000)]

    sampled = [seed for seed in seeds if is_sampled(seed, 10_000)]

    assert 120 <= len(sampled) <= 280
    assert [seed for seed in sampled if is_sampled(seed, 20_000)] == sampled
    assert not any(is_sampled(seed, 0) for seed in seeds)
    assert all(is_sampled(seed, PPM) for seed in seeds)


def test_a_record_of_a_slot_missing_from_the_snapshot_cannot_be_repeated() -> None:
    snapshot = a_snapshot(a_property(), slot := a_slot())
    decision_input = DecisionInput(snapshot, an_opportunity(slot), recording(Gates()), NOW_MS, 1)
    record = record_of(
        new_id(), decision_input, decide(snapshot, decision_input.opportunity, Gates(), NOW_MS, 1)
    )

    with pytest.raises(RecordUnusable):
        decision_input_of(record, a_snapshot(a_property()))


def test_a_lookup_that_was_not_recorded_raises_not_recorded() -> None:
    campaign = a_campaign(budget=Budget(10_000_000, None))
    snapshot = a_snapshot(a_property(), slot := a_slot(), campaign, an_ad(campaign))
    decision_input = DecisionInput(snapshot, an_opportunity(slot), recording(Gates()), NOW_MS, 1)
    record = record_of(
        new_id(), decision_input, decide(snapshot, decision_input.opportunity, Gates(), NOW_MS, 1)
    )
    again = decision_input_of(record, snapshot)

    with pytest.raises(NotRecorded):
        decide(snapshot, again.opportunity, again.gates, again.now_ms, again.seed)


def test_every_recorded_field_is_read_back() -> None:
    of_signals, of_opportunity = READ_FIELDS
    assert {field.name for field in fields(Signals)} == of_signals
    held = {"environment", "property", "slot", "signals"}
    assert {field.name for field in fields(Opportunity)} == of_opportunity | held
