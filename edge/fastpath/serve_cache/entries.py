"""Who and what calls come from, as far as it was met before: readers, their addresses, and the pages they are on."""

from typing import Final, final

from common.decision.rules.opportunity import Opportunity
from common.snapshot.model import Account, Key, Property
from common.snapshot.snapshot import Snapshot
from common.values.enums import Surface
from edge.admission.client_address import Client
from edge.admission.keys import Door, bucket_of
from edge.fastpath.serve_cache.native_cache import NativeKey
from edge.fastpath.serve_cache.slot_candidates import SlotCandidates
from edge.ports import GeoLocation
from edge.request.call import Caller
from edge.request.device import Device

_FOREVER: Final = 1 << 62
_MAX_IN_VAIN: Final = 4
_REST: Final = 60


@final
class KeyEntry:
    """
    A publishable key that may serve, with its property and account; over when a snapshot changes one of them.
    ``turn``: of the last snapshot it was found in, by `SnapshotHandle.turns`. ``lines``: by slot,
    surface, whether it was named, whether consent is limited, and the block's number.
    """

    def __init__(
        self, number: int, turn: int, text: str, standing: tuple[Key, Property, Account]
    ) -> None:
        """*text*: the key's, as it was shown."""
        self.number = number
        self.turn = turn
        self.text = text
        self.standing = standing
        self.key: Key = standing[0]
        self.property: Property = standing[1]
        self.until_ms: int = _FOREVER if self.key.expires_at_ms is None else self.key.expires_at_ms
        self.lines: dict[tuple[str, Surface, bool, tuple[bool, bool], int], SlotCandidates] = {}
        self.is_over = False
        self.met = self._met()
        """The same, for the doorman."""

    def follow(self, turn: int) -> None:
        """It is the same in the snapshot of *turn*."""
        self.turn = self.met.turn = turn

    def end(self) -> None:
        self.is_over = True
        self.met.turn = -1
        self.forget_lines()

    def forget_lines(self) -> None:
        for line in self.lines.values():
            line.end()
        self.lines = {}

    def _met(self) -> NativeKey:
        key, limits = self.key, self.property.rate_limits
        met = NativeKey(
            self.until_ms,
            key.property_id,
            key.id,
            bucket_of(Door.SERVE, key),
            limits.serve_per_ip_s,
            limits.serve_per_key_s,
        )
        met.turn = self.turn
        return met


@final
class ClientEntry:
    """
    What the steady header lines of a call say. ``group``: a number for the site, the consent headers and the surface,
    among which a page's query means the same. ``kind``: one for device and languages.
    """

    def __init__(self, site: KeyEntry, caller: Caller, group: int, kind: int) -> None:
        self.site = site
        self.caller = caller
        self.group = group
        self.kind = kind


@final
class AddressEntry:
    """An address. ``kind``: a number for its place, found in that ``edition`` of the places."""

    def __init__(self, client: Client, place: GeoLocation, kind: int, edition: int) -> None:
        self.client = client
        self.place = place
        self.kind = kind
        self.edition = edition


@final
class SegmentMatch:
    """A block of a slot's ads in line, and whom of it a page leaves."""

    def __init__(self, line: SlotCandidates, left: int) -> None:
        self.line = line
        self.left = left


@final
class PageEntry:
    """
    What the query of a call says that is read, to readers of one group. ``opportunity``: any one of them.
    ``languages``: where the query names some, which then are the reader's. ``stretches``: the slot's, as many of the
    first as anybody asked.
    """

    def __init__(self, opportunity: Opportunity, languages: tuple[str, ...]) -> None:
        self.opportunity = opportunity
        self.languages = languages
        self.stretches: list[SegmentMatch] = []
        self.in_vain: int = 0
        """Calls in a row that came here and had to be read whole, as where the best ad has a cap."""
        self.rests: int = 0
        """So many of the next calls are read whole at once."""

    def note_in_vain(self) -> None:
        self.in_vain += 1
        if self.in_vain >= _MAX_IN_VAIN:
            self.in_vain, self.rests = 0, _REST


def has_changed(strange: object, snapshot: Snapshot) -> bool:
    """Whether *strange* is a property that is another now: servers may no longer ask with its publishable keys."""
    return isinstance(strange, Property) and snapshot.properties.get(strange.id) is not strange


def parts_of(device: Device) -> tuple[str | None, str | None, str | None]:
    return (
        None if device.type is None else device.type.value,
        None if device.os is None else device.os.value,
        None if device.browser is None else device.browser.value,
    )


def are_same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return one[0] is other[0] and one[1] is other[1] and one[2] is other[2]
