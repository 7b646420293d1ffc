"""How many connections each address has, from the first byte on."""

from __future__ import annotations

from collections import Counter

SPARE = 8  # connections of an address that has too many, which may still ask for a page and hear why


class Addresses:
    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: Counter[str] = Counter()

    def arrive(self, address: str) -> bool:
        """Counts; False if there are so many that nobody wants to hear of another."""
        self._counts[address] += 1
        return self._counts[address] <= self._most + SPARE

    def too_many(self, address: str) -> bool:
        return self._counts[address] > self._most

    def release(self, address: str) -> None:
        if address:
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]
