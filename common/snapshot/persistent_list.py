"""A persistent sorted list: a change copies only a small part, whatever the length, and leaves the old list intact."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Generic, Protocol, TypeVar

_CHUNK = 256
_id_of = attrgetter("id")


class HasId(Protocol):
    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=HasId)


class ChunkedSortedList(Generic[T]):
    """Items by id, each id once. A change costs the square root of the length, and returns a new list."""

    __slots__ = ("_chunks", "_firsts")

    def __init__(self, items: Iterable[T] = ()) -> None:
        ordered = sorted(items, key=_id_of)
        self._chunks = [ordered[at : at + _CHUNK] for at in range(0, len(ordered), _CHUNK)]
        self._firsts = [chunk[0].id for chunk in self._chunks]

    def __iter__(self) -> Iterator[T]:
        for chunk in self._chunks:
            yield from chunk

    def __len__(self) -> int:
        return sum(map(len, self._chunks))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ChunkedSortedList) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # like a list

    def __repr__(self) -> str:
        return f"ChunkedSortedList({list(self)!r})"

    def joined(self, item: T) -> "ChunkedSortedList[T]":
        """Returns the list with *item*, in place of an item with the same id."""
        if not self._chunks:
            return ChunkedSortedList((item,))
        number = max(0, bisect_right(self._firsts, item.id) - 1)
        chunk = list(self._chunks[number])
        place = bisect_left(chunk, item.id, key=_id_of)
        same = place < len(chunk) and chunk[place].id == item.id
        chunk[place : place + same] = [item]
        if len(chunk) <= 2 * _CHUNK:
            return self._with(number, [chunk])
        return self._with(number, [chunk[:_CHUNK], chunk[_CHUNK:]])

    def left(self, item_id: str) -> "ChunkedSortedList[T]":
        """Returns the list without the item of that id, if there is one."""
        number = max(0, bisect_right(self._firsts, item_id) - 1)
        rest = [item for item in self._chunks[number] if item.id != item_id] if self._chunks else []
        return self._with(number, [rest] if rest else [])

    def _with(self, number: int, chunks: list[list[T]]) -> "ChunkedSortedList[T]":
        changed: ChunkedSortedList[T] = ChunkedSortedList.__new__(ChunkedSortedList)
        changed._chunks = [*self._chunks[:number], *chunks, *self._chunks[number + 1 :]]
        changed._firsts = [
            *self._firsts[:number],
            *(chunk[0].id for chunk in chunks),
            *self._firsts[number + 1 :],
        ]
        return changed
