"""What the native cache is filled from: publishable keys, clients and pages as they were parsed, addresses."""

from typing import Final, final

from common.decision.rules.opportunity import Opportunity
from common.snapshot.model import Account, Key, Property
from common.snapshot.snapshot import Snapshot
from common.values.enums import Surface
from edge.admission.keys import RouteGroup, bucket_of
from edge.fastpath.serve_cache.native_cache import NativeKey
from edge.fastpath.serve_cache.slot_candidates import SlotCandidates
from edge.ports import GeoLocation
from edge.request.call import Caller

_NEVER: Final = 1 << 62


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
    ``kind``: a number for the signals of its headers. ``device_kind``: a number for those without the languages, for
    pages whose query names them.
    """

    def __init__(
        self, key_entry: KeyEntry, caller: Caller, group: int, kind: int, device_kind: int
    ) -> None:
        self.key_entry = key_entry
        self.caller = caller
        self.group = group
        self.kind = kind
        self.device_kind = device_kind


@final
class AddressEntry:
    """
    A client address. ``network``: what rate limits count. ``kind``: a number for its place. ``edition``: the geo
    database that the place is from.
    """

    def __init__(self, network: str, place: GeoLocation, kind: int, edition: int) -> None:
        self.network = network
        self.place = place
        self.kind = kind
        self.edition = edition


@final
class SegmentMatch:
    """The ads of a slot in one block. ``mask``: those that a page allows."""

    def __init__(self, segment: SlotCandidates, mask: bytes) -> None:
        self.segment = segment
        self.mask = mask


@final
class PageEntry:
    """
    A page, by the parsed query parameters of its requests, for clients of one group and one effect of consent.

    ``effect``: a number for what the consent allows; 0 where the query has no parameter of it. ``opportunity``: that of
    any request of the page. ``languages``: those that the query names; they replace the client's. ``languages_kind``: a
    number for them; 0 for none. ``segments``: the slot's, from the first as far as any request needed.
    """

    def __init__(
        self, effect: int, opportunity: Opportunity, languages: tuple[str, ...], languages_kind: int
    ) -> None:
        self.effect = effect
        self.opportunity = opportunity
        self.languages = languages
        self.languages_kind = languages_kind
        self.segments: list[SegmentMatch] = []


def has_changed(uncacheable: object, snapshot: Snapshot) -> bool:
    """Whether *uncacheable* is a property that *snapshot* replaced: it may no longer allow server rendering."""
    return (
        isinstance(uncacheable, Property)
        and snapshot.properties.get(uncacheable.id) is not uncacheable
    )


def are_same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return one[0] is other[0] and one[1] is other[1] and one[2] is other[2]
