"""The end of something long: what a program said lately, within bounds."""

from __future__ import annotations


class Tail:
    """The last `most` bytes of what was added, and how many there were in all."""

    def __init__(self, most: int = 64 * 1024) -> None:
        self._most = most
        self._bytes = bytearray()
        self.count = 0

    def add(self, data: bytes) -> None:
        self.count += len(data)
        self._bytes += data
        if len(self._bytes) > 2 * self._most:  # trimmed seldom, so that many small additions stay cheap
            del self._bytes[: -self._most]

    def kept(self) -> bytes:
        return bytes(self._bytes[-self._most :])

    def text(self) -> str:
        return self.kept().decode("utf-8", "replace")

    def whole_lines(self) -> bytes:
        """The same without a first line that is not whole."""
        kept = self.kept()
        return kept if len(kept) == self.count else kept[kept.find(b"\n") + 1 :]
