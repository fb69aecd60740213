"""Cache entries of the serve fast path: publishable key, client headers, client address, page query."""

from typing import Final, final

from common.decision.rules.opportunity import Opportunity
from common.http.client_address import Client
from common.snapshot.model import Account, Key, Property
from common.snapshot.snapshot import Snapshot
from common.values.enums import Surface
from edge.admission.keys import RouteGroup, bucket_of
from edge.fastpath.serve_cache.native_cache import NativeKey
from edge.fastpath.serve_cache.slot_candidates import SlotCandidates
from edge.ports import GeoLocation
from edge.request.call import Caller
from edge.request.device import Device

_NEVER: Final = 1 << 62
_MAX_CONSECUTIVE_MISSES: Final = 4
_BACKOFF_REQUESTS: Final = 60


@final
class KeyEntry:
    """
    A publishable key that may serve, with its property and account. It ends when a snapshot changes one of them.

    ``generation``: the last snapshot that it was found in, by `SnapshotHandle.generation`. ``segments``: by slot,
    surface, whether the surface was named, the limits of consent (limited, measured), and the block's number.
    """

    def __init__(
        self, number: int, generation: int, text: str, objects: tuple[Key, Property, Account]
    ) -> None:
        """*text*: the key as the client sent it."""
        self.number = number
        self.generation = generation
        self.text = text
        self.objects = objects
        self.key: Key = objects[0]
        self.property: Property = objects[1]
        self.until_ms: int = _NEVER if self.key.expires_at_ms is None else self.key.expires_at_ms
        self.segments: dict[tuple[str, Surface, bool, tuple[bool, bool], int], SlotCandidates] = {}
        self.is_over = False
        self.native = self._make_native()
        """Its counterpart in the native cache."""

    def follow(self, generation: int) -> None:
        """Marks the entry as unchanged in the snapshot of *generation*."""
        self.generation = self.native.generation = generation

    def end(self) -> None:
        self.is_over = True
        self.native.generation = -1
        self.drop_segments()

    def drop_segments(self) -> None:
        for segment in self.segments.values():
            segment.end()
        self.segments = {}

    def _make_native(self) -> NativeKey:
        key, limits = self.key, self.property.rate_limits
        native = NativeKey(
            self.until_ms,
            key.property_id,
            key.id,
            bucket_of(RouteGroup.SERVE, key),
            limits.serve_per_ip_s,
            limits.serve_per_key_s,
        )
        native.generation = self.generation
        return native


@final
class ClientEntry:
    """
    A client, by the stable header lines of its requests.

    ``group``: a number for the key, the consent headers and the surface; within a group a page's query means the same.
    ``kind``: a number for device and languages.
    """

    def __init__(self, key_entry: KeyEntry, caller: Caller, group: int, kind: int) -> None:
        self.key_entry = key_entry
        self.caller = caller
        self.group = group
        self.kind = kind


@final
class AddressEntry:
    """A client address. ``kind``: a number for its place. ``edition``: the geo database that the place is from."""

    def __init__(self, client: Client, place: GeoLocation, kind: int, edition: int) -> None:
        self.client = client
        self.place = place
        self.kind = kind
        self.edition = edition


@final
class SegmentMatch:
    """The ads of a slot in one block. ``mask``: those that a page allows."""

    def __init__(self, segment: SlotCandidates, mask: int) -> None:
        self.segment = segment
        self.mask = mask


@final
class PageEntry:
    """
    A page, by the parsed query parameters of its requests, for clients of one group.

    ``opportunity``: that of any request of the page. ``languages``: those that the query names; they replace the
    client's. ``segments``: the slot's, from the first as far as any request needed.
    """

    def __init__(self, opportunity: Opportunity, languages: tuple[str, ...]) -> None:
        self.opportunity = opportunity
        self.languages = languages
        self.segments: list[SegmentMatch] = []
        self.consecutive_misses: int = 0
        """Consecutive requests that the cache could not answer, for example because the best ad has a cap."""
        self.backoff: int = 0
        """The number of next requests that take the slow path without a lookup."""

    def record_miss(self) -> None:
        self.consecutive_misses += 1
        if self.consecutive_misses >= _MAX_CONSECUTIVE_MISSES:
            self.consecutive_misses, self.backoff = 0, _BACKOFF_REQUESTS


def has_changed(uncacheable: object, snapshot: Snapshot) -> bool:
    """Whether *uncacheable* is a property that *snapshot* replaced: it may no longer allow server rendering."""
    return (
        isinstance(uncacheable, Property)
        and snapshot.properties.get(uncacheable.id) is not uncacheable
    )


def device_parts(device: Device) -> tuple[str | None, str | None, str | None]:
    return (
        None if device.type is None else device.type.value,
        None if device.os is None else device.os.value,
        None if device.browser is None else device.browser.value,
    )


def are_same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return one[0] is other[0] and one[1] is other[1] and one[2] is other[2]
