"""A terminal in full-screen mode: single keys, the alternate screen, and the old settings restored at the end.

However the program ends (a key, Ctrl-C, an error, SIGTERM, a closed window), `leave` restores the terminal.
"""

from __future__ import annotations

import codecs
import os
import re
import select
import shutil
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import suppress
from types import FrameType
from typing import TextIO

ENTER, LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"  # the alternate screen without a cursor, and back
HOME, REST_OF_LINE, REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"
SEQUENCE = re.compile(r"\x1b(?:\[|O)([0-9;]*[A-Za-z~])")
UNFINISHED = re.compile(r"\x1b(?:\[[0-9;]*|O)?")
ESCAPE_TIMEOUT_S = 0.05  # after this, a lone escape is the key and not the start of a sequence
ARROWS = {
    "A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end",
    "1~": "home", "7~": "home", "4~": "end", "8~": "end", "5~": "page up", "6~": "page down",
}  # fmt: skip
CONTROLS = {
    "\r": "enter", "\n": "enter", "\x7f": "backspace", "\x08": "backspace", "\x03": "interrupt", "\x1a": "suspend",
}  # fmt: skip


class Keys:
    """Converts bytes from a terminal to names of keys. An escape sequence may arrive in pieces."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("ignore")
        self.pending = ""

    def feed(self, data: bytes) -> Iterator[str]:
        self.pending += self._decoder.decode(data)
        while self.pending and not UNFINISHED.fullmatch(self.pending):
            sequence = SEQUENCE.match(self.pending)
            taken = sequence.group() if sequence else self.pending[0]
            self.pending = self.pending[len(taken) :]
            yield ARROWS.get(sequence.group(1), "unknown") if sequence else CONTROLS.get(taken, taken)

    def flush(self) -> Iterator[str]:
        """Return an escape that is not followed by more bytes."""
        if self.pending:
            self.pending = ""
            yield "escape"


class Terminal:
    """A context manager that switches the terminal to full-screen mode and back."""

    def __init__(self, keyboard: int, screen: TextIO) -> None:
        self._keyboard, self._screen = keyboard, screen
        self._keys = Keys()
        self._before = termios.tcgetattr(keyboard)
        self._bell, self._ring = os.pipe()  # signals write here, which ends waiting for a key
        self._handlers: list[tuple[int, object]] = []
        self._old_ring = -1

    def __enter__(self) -> Terminal:
        os.set_blocking(self._ring, False)
        os.set_blocking(self._bell, False)
        self._old_ring = signal.set_wakeup_fd(self._ring, warn_on_full_buffer=False)
        for number, handler in ((signal.SIGWINCH, ignore), (signal.SIGTERM, stop), (signal.SIGHUP, stop)):
            self._handlers.append((number, signal.signal(number, handler)))
        try:
            self.enter()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()
        for number, handler in self._handlers:
            signal.signal(number, handler)  # type: ignore[arg-type]
        signal.set_wakeup_fd(self._old_ring)
        os.close(self._bell)
        os.close(self._ring)

    def enter(self) -> None:
        mode = termios.tcgetattr(self._keyboard)
        mode[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN)
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._keyboard, termios.TCSADRAIN, mode)
        self._write(ENTER)

    def leave(self) -> None:
        with suppress(OSError):  # the window is closed
            self._write(LEAVE)
        with suppress(termios.error):
            termios.tcsetattr(self._keyboard, termios.TCSADRAIN, self._before)

    def _write(self, text: str) -> None:
        self._screen.write(text)
        self._screen.flush()

    def size(self) -> tuple[int, int]:
        """Return the columns and rows of the window. COLUMNS and LINES may be out of date."""
        try:
            return os.get_terminal_size(self._screen.fileno())
        except OSError:
            return shutil.get_terminal_size()

    def show(self, lines: list[str]) -> None:
        self._write(HOME + "\r\n".join(line + REST_OF_LINE for line in lines) + REST_OF_SCREEN)

    def pressed(self) -> Iterator[str]:
        """Return the names of keys as they are pressed, and "resize" when the window has changed."""
        while True:
            for key in self._wait():
                if key == "interrupt":
                    raise KeyboardInterrupt
                if key == "suspend":
                    self.suspend()
                    key = "resize"
                yield key
                if key == "end of input":
                    return

    def _wait(self) -> Iterator[str]:
        ready, _, _ = select.select(
            [self._keyboard, self._bell], [], [], ESCAPE_TIMEOUT_S if self._keys.pending else None
        )
        if self._bell in ready:
            os.read(self._bell, 1024)
            yield "resize"
        if self._keyboard in ready:
            data = os.read(self._keyboard, 1024)
            yield from self._keys.feed(data) if data else ("end of input",)
        if not ready:
            yield from self._keys.flush()

    def suspend(self) -> None:
        """Suspend the program for Ctrl-Z, with the terminal restored until it continues."""
        self.leave()
        os.kill(0, signal.SIGTSTP)
        self.enter()


def ignore(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the byte in the pipe is enough."""


def stop(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)
