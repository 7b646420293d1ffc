"""A sequence that only grows at its end, and whose every earlier version stays what it was.

All versions share one list, of which each sees so many entries from the start. To add one costs the same however long
the sequence is, where a tuple would be copied: it would touch every entry of a long game with every move.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Generic, TypeVar

T = TypeVar("T")
new = object.__new__


class Trail(Generic[T]):
    __slots__ = ("_items", "length")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items = list(items)
        self.length = len(self._items)

    def plus(self, item: T) -> Trail[T]:
        """One more at the end. Where another version has gone on already, this one goes on with a list of its own."""
        items = self._items
        if len(items) != self.length:
            items = items[: self.length]
        items.append(item)
        longer: Trail[T] = new(Trail)
        longer._items = items
        longer.length = self.length + 1
        return longer

    def first(self, count: int) -> Trail[T]:
        """The beginning of it."""
        return Trail(self._items[: min(count, self.length)])

    @property
    def last(self) -> T:
        return self._items[self.length - 1]

    def tail(self, count: int) -> list[T]:
        """The last ones, at most so many."""
        return self._items[max(0, self.length - count) : self.length]

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> T:
        if not -self.length <= index < self.length:
            raise IndexError(index)
        return self._items[index if index >= 0 else index + self.length]

    def __iter__(self) -> Iterator[T]:
        return islice(self._items, self.length)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trail) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # long, and compared only in tests
