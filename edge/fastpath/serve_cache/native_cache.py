"""
The serve cache: the interface of ``native_cache.c``. From source there is no cache, and every call takes the slow path.

It answers a request whose parts are all cached. It creates no Python object for the request, and its bytes and counts
equal those of `edge.serving.serve_flow`.

`cache_filler` makes the entries and inserts them here, again after each change. A key, a segment and an ad carry the
``generation`` of the snapshot that they are valid in (`SnapshotHandle.generation`), and are used in no other.
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
"""
Why the native cache did not answer a request: which part is missing or no longer valid. A page is missing also where
its consent is. `MISS_UNCACHEABLE` is any other reason: nothing that could be inserted would change it.
"""


@final
class NativeKey:
    """A publishable key, with the rate limits of its property."""

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
        """*bucket*: the key's bucket in the rate limiter. *per_ip_s*, *per_key_s*: requests a second."""


@final
class NativeAd:
    """
    An ad prepared for one slot.

    *salt*: the campaign's salt for throttle draws. *row*: property, slot, campaign, ad, surface and format, as they
    are counted. *parts*: the response as pieces of bytes and placeholders; `edge.fastpath.serve_cache.prepared_ad`
    numbers the placeholders.
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
        """
        Sets the ad's state in the snapshot of *generation*.

        *payload*: a track token's payload without id, time and person.
        """

    def fall_back(self, generation: int, /) -> None:
        """From *generation* on, only the slow path can decide whether the ad is shown."""


@final
class NativeSlotSegment:
    """
    The ads of one slot in one block of the index.

    *words*: length of its bitmaps, in words of 64 positions. The segment is valid while ``versions[number]`` is
    *version*, and from *since_ms* until *until_ms*. ``missing_run``, ``missing_position``: what the last lookup
    lacked; -1 for nothing.
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
        """*number*: the segment's block. *starts*: the start of each block of the index."""

    def put_run(
        self,
        number: int,
        run: list[tuple[int, int]],
        is_last: bool,  # noqa: FBT001 - as the C takes it
        order: object,
        /,
    ) -> None:
        """
        Appends a run: positions in rank order, each with a number for its order. Ads of one tie group share a number.

        *order*: the order of the last position itself.
        """

    def put_ad(
        self, position: int, ad: NativeAd, campaign: int, weight: int, objective_ppb: int, /
    ) -> None:
        """*campaign*: a number that stands for the campaign."""

    def put_next(self, segment: "NativeSlotSegment", /) -> None:
        """Links the segment of the next block."""

    def end(self) -> None:
        """Invalidates the segment permanently."""


@final
class NativeServeCache:
    """Native cache of one live edge. Belongs to one event loop."""

    miss_reason: int = MISS_UNCACHEABLE
    at: int = 0
    """Index, within its slot, of the segment that lacks an ad or more."""
    effect: int = -1
    """
    The last lookup's effect of consent; 0 where the query has no consent signal, -1 where the effect is unknown.
    """

    def __init__(
        self,
        edge: Any,
        refuse: Callable[[int], NoReturn],
        machine_clock: type,
        new_id_at: Callable[[int], Any],
        behind_proxies: bool,  # noqa: FBT001 - as the C takes it
    ) -> None:
        """
        *refuse*: raises the rate limit error; takes the seconds to wait. *machine_clock*, *new_id_at*: where the edge
        uses exactly this clock class and this id function, the cache does their work itself instead of calling them.
        """

    def answer(self, data: bytes, start: int, end: int, peer: str, /) -> bytes | None:
        """
        *data* from *start* to *end*: a head without its empty line, which begins with `head_parts.START`.

        Returns None, with nothing changed, where the cache cannot answer: ``miss_reason`` is what it lacks. Raises
        `Refused` where the request exceeds its rate limit.
        """
        raise NotImplementedError

    def put_client(  # noqa: PLR0917 - as the C takes them
        self,
        text: bytes,
        key_entry: NativeKey,
        device: str | None,
        group: int,
        kind: int,
        device_kind: int,
        /,
    ) -> None:
        """*kind*: a number for device and languages. *device_kind*: one for the device alone."""

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

    def put_consent(self, group: int, text: bytes, effect: int, /) -> None:
        """*effect*: a number for what the consent parameters *text* allow in a client of *group*."""

    def put_page(  # noqa: PLR0917 - as the C takes them
        self,
        group: int,
        effect: int,
        text: bytes,
        languages_kind: int,
        segment: NativeSlotSegment,
        mask: bytes,
        /,
    ) -> None:
        """
        *effect*: of the consent; 0 for none. *languages_kind*: a number for the languages that the query names; 0 for
        none.

        *mask*: the ads of *segment* that the page allows, one bit a position, in whole words; the first position is
        the least significant bit.
        """

    def put_mask(
        self,
        segment: NativeSlotSegment,
        client_kind: int,
        languages_kind: int,
        address_kind: int,
        mask: bytes,
        /,
    ) -> None:
        """
        *mask*: the ads of *segment* that are allowed for this kind of client at this kind of address.

        Where the page names languages, *client_kind* is a ``device_kind``.
        """

    def put_page_mask(
        self,
        group: int,
        effect: int,
        text: bytes,
        segment: NativeSlotSegment,
        mask: bytes,
        /,
    ) -> None:
        """*mask*: the ads of a later segment of the same slot that the page allows."""
