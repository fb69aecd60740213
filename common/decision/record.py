"""
The stored form of a decision: everything needed to decide again, and nothing that names a person.

It names the snapshot instead of holding it: property and slot are ids in it. It holds signals and gates as the decision
read them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from types import NoneType
from typing import Any

from pydantic import TypeAdapter

from common.decision.decision_input import DecisionInput
from common.decision.demo_slots import find_demo_slot
from common.decision.recorded_gates import recorded_lookups, replayed
from common.decision.rules.ad_limits import AdLimits
from common.decision.rules.chance import splitmix64
from common.decision.rules.kinds import DIMENSIONS
from common.decision.rules.opportunity import Opportunity, Signals
from common.decision.rules.outcome import Decision, Fill, NoFillReason
from common.privacy.consent import Consent
from common.snapshot.snapshot import Snapshot
from common.values.enums import Format, Source, Surface

PPM = 1_000_000
_SALT = 0x7265636F7264
"""A salt of its own, so that sampling does not correlate with the throttle draws."""
_NAMED = frozenset({"environment", "property", "slot"})
"""Parts of an opportunity that the record holds in fields of its own."""


class RecordUnusable(ValueError):
    """A record that cannot be decided again: the message gives the reason."""


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """
    ``id``: the client's `decision_id`, a UUIDv7 of the same instant as ``at_ms``.

    ``opportunity``: the fields of `Opportunity` beyond environment, property and slot; ``gates``: the result of
    `common.decision.recorded_gates.recorded_lookups`; ``consent``: the fields of `Consent`. A fill has ``ad_id``,
    ``campaign_id``, ``source`` and ``price_micros``; a no fill has ``reason``.
    """

    id: str
    at_ms: int
    is_test: bool
    account_id: str
    property_id: str
    slot_id: str
    epoch: str
    version: int
    seed: int
    opportunity: dict[str, Any]
    gates: dict[str, Any]
    consent: dict[str, Any]
    ad_id: str | None = None
    campaign_id: str | None = None
    source: Source | None = None
    price_micros: int | None = None
    reason: NoFillReason | None = None


def is_sampled(seed: int, sample_ppm: int) -> bool:
    """True for *sample_ppm* of a million seeds, and for the same ones on every machine."""
    return sample_ppm >= PPM or splitmix64(seed, _SALT) % PPM < sample_ppm


def record_of(
    decision_id: str,
    decision_input: DecisionInput,
    decision: Decision,
    consent: Consent | None = None,
) -> DecisionRecord:
    """*decision* was made from *decision_input*, with the gates of `common.decision.recorded_gates.recording`."""
    opportunity, snapshot = decision_input.opportunity, decision_input.snapshot
    named = (
        decision_id,
        decision_input.now_ms,
        opportunity.environment.is_test,
        opportunity.property.account_id,
        opportunity.property.id,
        opportunity.slot.id,
        snapshot.epoch,
        snapshot.version,
        decision_input.seed,
        _plain_fields(opportunity),
        recorded_lookups(decision_input.gates),
        {} if consent is None else _plain_fields(consent),
    )
    if isinstance(decision, Fill):
        return DecisionRecord(
            *named,
            ad_id=decision.ad.id,
            campaign_id=decision.campaign.id,
            source=decision.source,
            price_micros=decision.price_micros,
        )
    return DecisionRecord(*named, reason=decision.reason)


def decision_input_of(record: DecisionRecord, snapshot: Snapshot) -> DecisionInput:
    """
    Returns the decision's input in *snapshot*, which must be the one that the record names.
    Raises `RecordUnusable`.
    """
    prop = snapshot.properties.get(record.property_id)
    slot = snapshot.slots.get(record.slot_id)
    if slot is None and prop is not None and record.is_test:
        slot = find_demo_slot(prop, record.slot_id)
    if prop is None or slot is None:
        raise RecordUnusable("the snapshot holds no such property or slot")
    try:
        return DecisionInput(
            snapshot,
            _opportunity_of(
                record.opportunity, environment=snapshot.environment, property=prop, slot=slot
            ),
            replayed(record.gates),
            record.at_ms,
            record.seed,
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordUnusable(f"the record cannot be read: {error}") from error


def is_same(record: DecisionRecord, decision: Decision) -> bool:
    """Whether *decision* equals the recorded one: same ad at the same price, or the same reason."""
    if isinstance(decision, Fill):
        return (record.ad_id, record.source, record.price_micros) == (
            decision.ad.id,
            decision.source,
            decision.price_micros,
        )
    return record.reason is decision.reason


def _plain_fields(item: Any) -> dict[str, Any]:
    """Returns a dataclass as a JSON-compatible dict. Fields at their default are left out, because most are."""
    found: dict[str, Any] = {}
    for name, default in _defaults(type(item)):
        value = getattr(item, name)
        if value != default:
            found[name] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    if type(value) in _AS_THEY_ARE or isinstance(value, Enum):
        return value
    if isinstance(value, tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    return _plain_fields(value) if is_dataclass(value) else value


_AS_THEY_ARE = frozenset({str, int, float, bool, NoneType})
"""Checked first because most values are of these types, and a hundredth of all live decisions is recorded."""


def _defaults(kind: type[Any]) -> tuple[tuple[str, Any], ...]:
    """
    Returns each stored field and its default (`MISSING`, which equals nothing, where it has none).
    Cached by class.
    """
    known = _DEFAULTS.get(kind)
    if known is None:
        known = _DEFAULTS[kind] = tuple(_travelling(kind))
    return known


_DEFAULTS: dict[type, tuple[tuple[str, Any], ...]] = {}


def _travelling(kind: type[Any]) -> Iterator[tuple[str, Any]]:
    return (
        (
            field.name,
            field.default if field.default_factory is MISSING else field.default_factory(),
        )
        for field in fields(kind)
        if kind is not Opportunity or field.name not in _NAMED
    )


def _opportunity_of(stored: Mapping[str, Any], **held: Any) -> Opportunity:
    """Inverse of `_plain_fields`; *held*: the fields that are objects already."""
    signals = read_signals(stored.get("signals", {}))
    return Opportunity(**held, signals=signals, **_read(_OF_OPPORTUNITY, stored))


def read_signals(stored: Mapping[str, Any]) -> Signals:
    """*stored*: signals by name, as JSON has them. Ignores names that no kind reads; raises `ValueError`."""
    return Signals(**_read(_OF_SIGNALS, stored))


def _read(kinds: Mapping[str, TypeAdapter[Any]], stored: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: kinds[name].validate_python(value) for name, value in stored.items() if name in kinds
    }


# Not read from the classes: compiled classes do not expose their fields.
_OF_SIGNALS: dict[str, TypeAdapter[Any]] = {
    name: TypeAdapter(type_) for each in DIMENSIONS for name, type_ in each.signals.items()
}
_OF_OPPORTUNITY: dict[str, TypeAdapter[Any]] = {
    "format": TypeAdapter(Format | None),
    "width": TypeAdapter(int | None),
    "height": TypeAdapter(int | None),
    "surface": TypeAdapter(Surface),
    "surface_named": TypeAdapter(bool),
    "preview_ad_id": TypeAdapter(str | None),
    "consent_limited": TypeAdapter(bool),
    "child_directed": TypeAdapter(bool),
    "shown_advertisers": TypeAdapter(frozenset[str]),
    "roadblock_id": TypeAdapter(str | None),
    "measured": TypeAdapter(bool),
    "limits": TypeAdapter(AdLimits | None),
}
READ_FIELDS = frozenset(_OF_SIGNALS), frozenset(_OF_OPPORTUNITY)
"""Stored fields of `Signals`, and of `Opportunity` beyond its signals and the parts that the record names itself."""
