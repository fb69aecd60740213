"""
The values that any of a property's campaigns target:
other signals of an opportunity make no difference to matching.
"""

from typing import Any, final

from common.decision.index.targeting_bitmaps import MatchKey, SignalKey, TargetingBitmaps
from common.decision.rules.kinds import DIMENSIONS, OF_CLIENT
from common.decision.rules.kinds.kind import Dimension
from common.decision.rules.opportunity import Opportunity, Signals
from common.decision.rules.targeting import Targeting
from common.snapshot.model import Ad
from common.values.generation_cache import GenerationCache

Size = tuple[int | None, int | None]

_CLIENT = DIMENSIONS[:OF_CLIENT]
_PAGE = DIMENSIONS[OF_CLIENT:]
_MAX_REMEMBERED = 10_000
_new_tuple = tuple.__new__
"""The constructor of a NamedTuple takes six times as long."""


@final
class _PageTargets:
    """The targeted values of one dimension of the query."""

    def __init__(self, dimension: Dimension) -> None:
        self.dimension = dimension
        self.values: Any = dimension.new_targets()


class TargetedValues:
    """A value stays after its last campaign is gone: removing it would cost more than it saves."""

    __slots__ = ("_client", "_page", "_signal_key_by_client", "_signal_keys", "_sizes")

    def __init__(self) -> None:
        self._client: list[Any] = [one.new_targets() for one in _CLIENT]
        """By the numbers of `DIMENSIONS`."""
        self._page: tuple[_PageTargets, ...] = tuple([_PageTargets(one) for one in _PAGE])
        self._sizes: set[Size] = set()
        self._signal_keys = GenerationCache(_MAX_REMEMBERED)
        self._signal_key_by_client = GenerationCache(_MAX_REMEMBERED)
        """Cache by the client's signals; cleared when a new value is targeted."""

    def add(self, targeting: Targeting) -> None:
        for number, condition in enumerate(targeting.conditions):
            if condition is not None:
                self._add_values(number, DIMENSIONS[number].targeted(condition))

    def add_layer(self, layer: TargetingBitmaps) -> None:
        """Adds everything that is targeted in *layer*."""
        for number, bitmaps in enumerate(layer.dimensions):
            self._add_values(number, bitmaps.targeted())

    def add_size(self, ad: Ad) -> None:
        self._sizes.add((ad.width, ad.height))

    def project(self, opportunity: Opportunity) -> MatchKey:
        """Returns the opportunity reduced to the values that are targeted."""
        signals = opportunity.signals
        of_client = signals.of_client()
        signal_key: SignalKey | None = self._signal_key_by_client.get(of_client)
        wide, high = opportunity.width, opportunity.height
        return _new_tuple(
            MatchKey,
            (
                opportunity.slot.id,
                opportunity.format,
                () if wide is None and high is None else self._too_large(wide, high),
                opportunity.child_directed,
                self._find_signal_key(of_client, signals) if signal_key is None else signal_key,
                tuple(one.dimension.project(signals, one.values) for one in self._page),
                False,
            ),
        )

    def _add_values(self, number: int, values: Any) -> None:
        if number >= OF_CLIENT:
            self._page[number - OF_CLIENT].values.update(values)
            return
        known = self._client[number]
        count = len(known)
        known.update(values)
        if count != len(known):
            self._signal_key_by_client.clear()

    def _find_signal_key(self, of_client: object, signals: Signals) -> SignalKey:
        values = tuple(
            [one.project(signals, self._client[number]) for number, one in enumerate(_CLIENT)]
        )
        signal_key: SignalKey | None = self._signal_keys.get(values)
        if signal_key is None:
            signal_key = SignalKey(values)
            self._signal_keys.put(values, signal_key)
        self._signal_key_by_client.put(of_client, signal_key)
        return signal_key

    def _too_large(self, width: int | None, height: int | None) -> tuple[Size, ...]:
        return tuple(
            [
                (wide, high)
                for wide, high in self._sizes
                if (width is not None and wide is not None and wide > width)
                or (height is not None and high is not None and high > height)
            ]
        )
