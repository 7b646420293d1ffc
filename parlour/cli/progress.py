"""Show the progress of a command on a terminal."""

from __future__ import annotations

import sys
from time import monotonic

REDRAW_INTERVAL_S = 0.2


class ProgressLine:
    """A line on standard error that is overwritten. Prints nothing if that is not a terminal."""

    def __init__(self) -> None:
        self._shown_at = 0.0
        self._width = 0

    def show(self, what: str, count: int, total: int = 0) -> None:
        now = monotonic()
        if sys.stderr is not None and sys.stderr.isatty() and now - self._shown_at >= REDRAW_INTERVAL_S:
            self._shown_at = now
            self._write(f"{what}: {count:,} of {total:,}" if total else f"{what}: {count:,}")

    def clear(self) -> None:
        if self._width:
            self._write("")
            sys.stderr.write("\r")
            self._width = 0

    def _write(self, text: str) -> None:
        sys.stderr.write(f"\r{text.ljust(self._width)}")
        sys.stderr.flush()
        self._width = len(text)
