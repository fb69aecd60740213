"""
Who was met before, in front of `edge.fastpath.serve_cache.cached_serve`: from source nobody is; compiled
(``native_cache.c``), a call all of whose parts were met is answered without an object made for it, in the same bytes
and with the same counts.

What is told here follows from what was worked out there, and is told again where it changes: a site, a line and an ad
name the ``generation`` of the snapshot they are right in (`SnapshotHandle.generation`), and are asked about no other.
"""

from collections.abc import Callable
from typing import Any, Final, NoReturn, final

MISS_NONE: Final = 0
MISS_CLIENT: Final = 1
MISS_PAGE: Final = 2
MISS_ADDRESS: Final = 3
MISS_MASK: Final = 4
MISS_AD: Final = 5
MISS_NEXT_SEGMENT: Final = 6
MISS_UNCACHEABLE: Final = 7
"""What a call was left alone for: a part that is not known here or not right any more, or something else."""


@final
class NativeKey:
    """Its publishable key, with the limits of its property."""

    generation: int = 0

    def __init__(  # noqa: PLR0917 - as the C takes them
        self,
        until_ms: int,
        property_id: str,
        key_id: str,
        bucket: tuple[str, ...],
        per_ip_s: int,
        per_key_s: int,
    ) -> None:
        """*bucket*: the key's of the limiter."""


@final
class NativeAd:
    """
    *salt*: of the campaign's coin. *row*: property, slot, campaign, ad, surface and format as counted. *parts*: the
    answer around its holes, as `edge.fastpath.serve_cache.prepared_ad` numbers them.
    """

    def __init__(
        self,
        campaign: object,
        campaign_id: str,
        salt: int,
        row: tuple[str, ...],
        parts: tuple[bytes | int, ...],
    ) -> None: ...

    def update(  # noqa: PLR0917 - as the C takes them
        self,
        generation: int,
        closed: bool,  # noqa: FBT001 - as above
        spends: bool,  # noqa: FBT001 - as above
        commits: bool,  # noqa: FBT001 - as above
        expected_micros: int,
        pass_ppm: int,
        key: Any,
        payload: bytes,
        /,
    ) -> None:
        """What it is in the snapshot of *generation*. *payload*: a token's without id, instant and person."""

    def fall_back(self, generation: int, /) -> None:
        """Whether it shows takes more than is told here, as of *generation*."""


@final
class NativeSlotSegment:
    """
    A slot's ads, those of a block. *words*: of 64 positions each. It is right while ``versions[number]`` is *version*,
    and from *since_ms* until *until_ms*. ``missing_run``, ``missing_position``: what it lacked last; -1 for nothing.
    """

    generation: int = 0
    missing_run: int = -1
    missing_position: int = -1

    def __init__(  # noqa: PLR0917 - as the C takes them
        self,
        words: int,
        since_ms: int,
        until_ms: int,
        version: int,
        number: int,
        versions: list[int],
        starts: list[Any],
    ) -> None:
        """*starts*: of the index's blocks, of which it is that of *number*."""

    def put_run(
        self,
        number: int,
        run: list[tuple[int, int]],
        is_last: bool,  # noqa: FBT001 - as the C takes it
        order: object,
        /,
    ) -> None:
        """
        Positions in rank order, and a number for the order of each: those of a group have the same. *order*: the last
        one's itself.
        """

    def put_ad(
        self, position: int, ad: NativeAd, campaign: int, weight: int, objective_ppb: int, /
    ) -> None:
        """*campaign*: a number for it."""

    def put_next(self, segment: "NativeSlotSegment", /) -> None:
        """Of the block after this one."""

    def end(self) -> None:
        """It is over, for good."""


@final
class NativeServeCache:
    """One live edge's. Belongs to one event loop."""

    miss_reason: int = MISS_UNCACHEABLE
    at: int = 0
    """Of the line that an ad or more is lacked of, which of its slot's."""

    def __init__(
        self,
        edge: Any,
        refuse: Callable[[int], NoReturn],
        machine_clock: type,
        new_id_at: Callable[[int], Any],
        behind_proxies: bool,  # noqa: FBT001 - as the C takes it
    ) -> None:
        """
        *refuse*: raises that a call is one too many, given for how many seconds. *machine_clock*, *new_id_at*: the
        clock and the making of ids that are not asked where the edge has just these, but done here.
        """

    def answer(self, data: bytes, start: int, end: int, peer: str, /) -> bytes | None:
        """As `CachedServe.find_answer`; None too where anything of the call was not met: ``miss_reason`` says what."""
        del data, start, end, peer
        return None

    def put_client(
        self, text: bytes, key_entry: NativeKey, device: str | None, group: int, kind: int, /
    ) -> None: ...

    def put_address(  # noqa: PLR0917 - as the C takes them
        self,
        peer: str,
        forwarded_for: bytes,
        network: str,
        country: str | None,
        kind: int,
        edition: int,
        /,
    ) -> None: ...

    def put_page(self, group: int, text: bytes, segment: NativeSlotSegment, mask: bytes, /) -> None:
        """*mask*: whom of *segment* it leaves, a bit a position, the first one least, in whole words."""

    def put_mask(
        self, segment: NativeSlotSegment, client_kind: int, address_kind: int, mask: bytes, /
    ) -> None:
        """Whom of *segment* a reader of that kind leaves at a source of that kind."""

    def put_next_segment(  # noqa: PLR0917 - as the C takes them
        self,
        group: int,
        text: bytes,
        segment: NativeSlotSegment,
        mask_for_page: bytes,
        client_kind: int,
        address_kind: int,
        mask: bytes,
        /,
    ) -> None:
        """The same of a line further on, and whom of it the page leaves."""
