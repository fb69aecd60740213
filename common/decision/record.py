"""
A decision as it is written down: all that deciding it again takes, and nothing that names a person.

The snapshot is named, not held: property and slot are ids in it. Signals and gates are written as they were seen.
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
from common.decision.rules.chance import splitmix64
from common.decision.rules.opportunity import Opportunity, Signals
from common.decision.rules.outcome import Decision, Fill, NoFillReason
from common.privacy.consent import Consent
from common.snapshot.snapshot import Snapshot
from common.values.enums import Browser, DeviceType, Format, OperatingSystem, Source, Surface

PPM = 1_000_000
_SALT = 0x7265636F7264
"""Of its own, so that being recorded says nothing about how a coin fell."""
_NAMED = frozenset({"environment", "property", "slot"})
"""Parts of an opportunity that the record names by itself."""


class RecordUnusable(ValueError):
    """A record that cannot be decided again: the message says why."""


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """
    ``id``: what the caller was told (`decision_id`), a UUIDv7 of the same instant as ``at_ms``.

    ``opportunity``: the fields of `Opportunity` beyond environment, property and slot; ``gates``: what
    `common.decision.recorded_gates.recorded_lookups` gives; ``consent``: the fields of `Consent`. Either ``ad_id``,
    ``campaign_id``, ``source`` and ``price_micros`` are there, or ``reason`` is.
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
    decision_id: str, question: DecisionInput, decision: Decision, consent: Consent | None = None
) -> DecisionRecord:
    """*question* with watched gates (`common.decision.recorded_gates.recording`), after *decision* was made of it."""
    asked, snapshot = question.opportunity, question.snapshot
    named = (
        decision_id,
        question.now_ms,
        asked.environment.is_test,
        asked.property.account_id,
        asked.property.id,
        asked.slot.id,
        snapshot.epoch,
        snapshot.version,
        question.seed,
        _plain_fields(asked),
        recorded_lookups(question.gates),
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


def question_of(record: DecisionRecord, snapshot: Snapshot) -> DecisionInput:
    """What was decided, in *snapshot*, which is the one the record names. Raises `RecordUnusable`."""
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
    """Whether *decision* is the one that was made: same ad at the same price, or the same reason."""
    if isinstance(decision, Fill):
        return (record.ad_id, record.source, record.price_micros) == (
            decision.ad.id,
            decision.source,
            decision.price_micros,
        )
    return record.reason is decision.reason


def _plain_fields(item: Any) -> dict[str, Any]:
    """A dataclass as JSON may hold it; what is at its default is left out, for most of it is."""
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
"""Most are: a hundredth of all live decisions comes by here."""


def _defaults(kind: type[Any]) -> tuple[tuple[str, Any], ...]:
    """Each field that travels and its default; `MISSING`, which equals nothing, where it has none. Kept by kind."""
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


def _opportunity_of(told: Mapping[str, Any], **held: Any) -> Opportunity:
    """The inverse of `_plain_fields`; *held*: what is an object already."""
    signals = Signals(**_read(_OF_SIGNALS, told.get("signals", {})))
    return Opportunity(**held, signals=signals, **_read(_OF_OPPORTUNITY, told))


def _read(kinds: Mapping[str, TypeAdapter[Any]], told: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: kinds[name].validate_python(value) for name, value in told.items() if name in kinds
    }


# Not read from the classes: compiled ones do not say what their fields are.
_OF_SIGNALS: dict[str, TypeAdapter[Any]] = {
    "country": TypeAdapter(str | None),
    "region": TypeAdapter(str | None),
    "device": TypeAdapter(DeviceType | None),
    "os": TypeAdapter(OperatingSystem | None),
    "browser": TypeAdapter(Browser | None),
    "languages": TypeAdapter(tuple[str, ...]),
    "keywords": TypeAdapter(frozenset[str]),
    "key_values": TypeAdapter(Mapping[str, frozenset[str]]),
    "segments": TypeAdapter(frozenset[str]),
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
}
READ_FIELDS = frozenset(_OF_SIGNALS), frozenset(_OF_OPPORTUNITY)
"""Of `Signals`, and of `Opportunity` beyond its signals and what the record names by itself."""
