"""Targets the property's own key-values, which the request names as ``kv.NAME=VALUE``."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

from common.decision.rules.kinds.kind import Condition, Dimension, Parameter, TargetingKind
from common.decision.rules.opportunity import Signals
from common.decision.rules.outcome import NoFillReason
from common.values.messages import Message

_NONE: frozenset[str] = frozenset()
_NO_PAIRS: frozenset[tuple[str, str]] = frozenset()


class TargetedPairs:
    """``by_key`` has each pair by its key and value, so that a decision makes and hashes no pair."""

    def __init__(self) -> None:
        self.by_key: dict[str, dict[str, tuple[str, str]]] = {}

    def update(self, pairs: Iterable[tuple[str, str]]) -> None:
        for pair in pairs:
            self.by_key.setdefault(pair[0], {})[pair[1]] = pair


class KeyValues(Dimension):
    """A conjunction: each condition names a key and some values."""

    is_conjunction = True

    def parse(self, stored: Any) -> Condition:
        return Condition(
            tuple([(one["key"], frozenset(one["values"])) for one in stored if one["op"] == "in"]),
            frozenset(
                [
                    (one["key"], value)
                    for one in stored
                    if one["op"] != "in"
                    for value in one["values"]
                ]
            ),
        )

    def matches(self, condition: Condition, signals: Signals) -> bool:
        sent = signals.key_values
        if any(value in sent.get(key, _NONE) for key, value in condition.excluded):
            return False
        return all(
            not values.isdisjoint(sent.get(key, _NONE)) for key, values in condition.included
        )

    def targeted(self, condition: Condition) -> Collection[Hashable]:
        pairs = [(key, value) for key, values in condition.included for value in values]
        return (*pairs, *condition.excluded)

    def new_targets(self) -> Any:
        return TargetedPairs()

    def project(self, signals: Signals, targeted: Any) -> Collection[Any]:
        by_key: dict[str, dict[str, tuple[str, str]]] = targeted.by_key
        found = []
        for key, values in signals.key_values.items():
            pairs = by_key.get(key)
            if pairs is not None:
                for value in values:
                    pair = pairs.get(value)
                    if pair is not None:
                        found.append(pair)
        return frozenset(found) if found else _NO_PAIRS


KEY_VALUES = TargetingKind(
    "key_values",
    NoFillReason.KEY_VALUES_NOT_TARGETED,
    Message("The request's key-values do not meet the conditions of the campaign or ad."),
    Message("Change `targeting.key_values`, or send `kv.<name>`."),
    (KeyValues({"key_values": Mapping[str, frozenset[str]]}, of_client=False),),
    parameter=Parameter(
        "kv",
        "key_values",
        description=(
            "Your own key-value pairs, matched against `key_values` in a campaign's targeting. Send each as a "
            "parameter `kv.NAME=VALUE`; a name may be repeated. At most 50, case-insensitive."
        ),
        example={"kv.section": "sports"},
        is_key_values=True,
    ),
)
