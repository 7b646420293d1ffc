"""A running program: it gets lines and answers within a time, or it has failed.

The pipes are read only while an answer is awaited. A program that floods them in between fills a pipe and blocks. It
costs no memory and no time here.
"""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from client.programs.crash_report import Tail, Transcript
from client.programs.failure import Failure
from client.programs.jail.base import Jail
from client.programs.limits import Limits
from client.programs.process import Exit, Process, without_colours
from client.programs.violation import NETWORK_NOTICE, explain

CHUNK_BYTES = 64 * 1024
MAX_LINE_BYTES = 64 * 1024
MEGABYTE = 1 << 20
FLOOD_BYTES = 64 * 1024  # output within FLOOD_WINDOW_S that counts as a flood
FLOOD_WINDOW_S = 0.3
LAST_LINES_TIMEOUT_S = 0.3
TELL_TIMEOUT_S = 1.0  # for a program to read a line that needs no answer
MAX_ERROR_CHARS = 160
MAX_QUOTED_BYTES = 60
MAX_SCREEN_BYTES = 256 * 1024  # that a program at a terminal prints between two answers
NOTICES = ("Picked up JAVA_TOOL_OPTIONS", NETWORK_NOTICE)  # printed by Java because of our options, and by a jail


class Child(Process):
    """A process with line-based input and output."""

    def __init__(
        self, argv: Sequence[str], folder: Path, limits: Limits, jail: Jail | None = None, terminal: bool = False
    ) -> None:
        """Start the program. Raises Failure if it cannot be started."""
        super().__init__(argv, folder, limits, jail, terminal)
        self._terminal = terminal
        self.given, self.said, self.errors = Tail(MEGABYTE), Tail(), Tail()
        self.answers = 0
        self._unread = bytearray()
        self._open: dict[IO[bytes], Tail] = {self.stdout: self.said, self.stderr: self.errors}

    # -- requests and answers

    def ask(self, line: bytes, seconds: float, startup: float = 0.0) -> str:
        """Send a line and return the next line. Earlier output is not an answer. Raises Failure if there is none.

        `startup`: seconds allowed in addition, for a program that was just started.
        """
        self._discard()
        late = f"no answer after {startup + seconds:.1f} s"
        if startup:
            late += f" ({startup:.1f} s to start and {seconds:.1f} s to answer)"
        self._pump(line + b"\n", self._has_line, startup + seconds, late)
        answer = self._take_line()
        self.answers += 1
        return answer

    def floods(self) -> bool:
        """Listen for a moment and return whether the program floods its output."""
        limit = self._output_bytes() + FLOOD_BYTES
        with suppress(Failure):
            self._pump(b"", lambda: self._output_bytes() > limit, FLOOD_WINDOW_S, "silent")
        return self._output_bytes() > limit

    def last_lines(self) -> list[str]:
        """Close the input and return the lines that follow: they may have been in a buffer of the program."""
        self._unread.clear()
        self._close_stdin()
        with suppress(Failure):
            self._pump(b"", lambda: False, LAST_LINES_TIMEOUT_S, "silent")
        return bytes(self._unread[:MAX_LINE_BYTES]).decode("utf-8", "replace").splitlines()

    def listen(self, seconds: float) -> str:
        """Return the next line without sending one. Raises Failure if there is none."""
        self._pump(b"", self._has_line, seconds, f"no line after {seconds:.1f} s")
        return self._take_line()

    def tell(self, line: bytes) -> None:
        """Send a line that needs no answer. Raises Failure if the program does not read it."""
        self._discard()
        late = f"it did not read its input within {TELL_TIMEOUT_S:.1f} s"
        self._pump(line + b"\n", lambda: True, TELL_TIMEOUT_S, late)

    def finish(self, text: bytes, seconds: float) -> str:
        """Send a text and return the output until the program exits, at most the last 64 KB.

        Raises Failure if it does not exit in time.
        """
        deadline = time.monotonic() + seconds
        self._pump(text, self._never, seconds, f"it did not finish within {seconds:.1f} s")
        if not self.exited(max(0.0, deadline - time.monotonic())):
            raise Failure("timeout", f"it closed its output but did not exit within {seconds:.1f} s")
        return self.said.text()

    def type(self, line: bytes) -> None:
        """Send a line to a program at a terminal. Output before it is kept. Raises Failure if it is not read."""
        late = f"it did not read its input within {TELL_TIMEOUT_S:.1f} s"
        self._pump(line + b"\n", lambda: True, TELL_TIMEOUT_S, late)

    def read_until(self, done: Callable[[str], object], seconds: float, late: str, consume: bool = True) -> None:
        """Read until a text is complete. Raises Failure with the text `late` on a timeout, or if the program exits.

        `consume`: the text is not part of what is read next.
        """

        def complete() -> bool:
            if len(self._unread) > MAX_SCREEN_BYTES:
                raise Failure("flood", f"more than {MAX_SCREEN_BYTES // 1024} KB without an answer")
            return bool(done(self._unread.decode("utf-8", "replace")))

        self._pump(b"", complete, seconds, f"{late} within {seconds:.1f} s")
        if not complete():
            raise Failure("exited", f"{late}: {self.describe_end(self.close())}")
        if consume:
            self._unread.clear()

    def _has_line(self) -> bool:
        end = self._unread.find(b"\n")
        if end > MAX_LINE_BYTES or (end < 0 and len(self._unread) > MAX_LINE_BYTES):
            raise Failure("flood", f"a line of more than {MAX_LINE_BYTES // 1024} KB")
        return end >= 0

    def _never(self) -> bool:
        """Tell `_pump` to read to the end of the output, not to a line, and to close the input."""
        self._unread.clear()
        return False

    def _take_line(self) -> str:
        line, _, rest = bytes(self._unread).partition(b"\n")
        self._unread = bytearray(rest)
        if not line and not rest and self.stdout not in self._open:
            closed = not self.exited(self.limits.grace)  # its exit closes the output too
            end = self.describe_end(self.close())
            raise Failure("exited", f"no answer: {'it has closed its output' if closed else end}")
        return line.decode("utf-8", "replace").rstrip("\r")

    # -- pipes

    def _discard(self) -> None:
        """Drop the output since the last answer. Raises Failure if there is more than a megabyte."""
        limit = self._output_bytes() + MEGABYTE
        for stream in list(self._open):
            while stream in self._open and self._read(stream):
                self._unread.clear()
                if self._output_bytes() > limit:
                    raise Failure("flood", "it floods its output without a request")
        self._unread.clear()

    def _output_bytes(self) -> int:
        return self.said.count + self.errors.count

    def _pump(self, outgoing: bytes, done: Callable[[], bool], seconds: float, late: str) -> None:
        """Write and read until `done` or the end of the output. Raises Failure with the text `late` on a timeout."""
        self.given.add(outgoing)
        unsent = memoryview(outgoing)
        deadline = time.monotonic() + seconds
        limit = self._output_bytes() + (self.limits.output or MEGABYTE) * MEGABYTE
        with selectors.DefaultSelector() as selector:
            for pipe in self._open:
                selector.register(pipe, selectors.EVENT_READ)
            if unsent:
                selector.register(self.stdin, selectors.EVENT_WRITE)
            while unsent or (self.stdout in self._open and not done()):
                if not unsent and done == self._never:
                    self._close_stdin()
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Failure("timeout", late + self._describe_half_line())
                for key, _ in selector.select(left):
                    stream: Any = key.fileobj
                    if stream is self.stdin:
                        unsent = unsent[self._write(unsent) :]
                        finished = not unsent
                    else:
                        finished = not self._read(stream) and stream not in self._open
                    if finished:
                        selector.unregister(stream)
                if self._output_bytes() > limit:
                    raise Failure("flood", f"more than {self.limits.output} MB of output")

    def _close_stdin(self) -> None:
        with suppress(OSError):
            self.stdin.close()

    def _describe_half_line(self) -> str:
        half = bytes(self._unread[:MAX_QUOTED_BYTES]).decode("utf-8", "replace")
        return f"; it printed {half!r} without ending the line" if half else ""

    def _write(self, data: memoryview) -> int:
        """Write and return the number of bytes taken: all if the program has closed its input, but may still answer."""
        try:
            return os.write(self.stdin.fileno(), data[:CHUNK_BYTES])
        except BlockingIOError:
            return 0
        except OSError:
            return len(data)

    def _read(self, stream: IO[bytes]) -> bool:
        """Read and return whether there was data. At its end, remove the stream from the open ones."""
        try:
            data = os.read(stream.fileno(), CHUNK_BYTES)
        except BlockingIOError:
            return False
        except OSError:  # a terminal whose program has gone
            data = b""
        if not data:
            del self._open[stream]
            return False
        self._open[stream].add(data)
        if stream is self.stdout:
            self._unread += data
        return True

    # -- end

    def describe_end(self, exit: Exit) -> str:
        """Return how the program ended, with its last line of error output and the limit that it met."""
        last, limit = self.last_error(), self.limit_met(exit)
        text = f"{exit}: {last}" if last else str(exit)
        return f"{text} ({limit})" if limit else text

    def limit_met(self, exit: Exit) -> str:
        """Return which limit the program met, as far as that is known."""
        errors = self.errors.text() + self.said.text()
        return self.violation or explain(exit.status, errors, self.limits, self.jail.confines)

    def last_error(self) -> str:
        """Return the last line of its error output."""
        text = without_colours(self.said.text()) if self._terminal else self.errors.text()
        lines = [line for line in text.strip().splitlines() if not line.startswith(NOTICES)]
        return lines[-1][:MAX_ERROR_CHARS] if lines else ""

    def transcript(self) -> Transcript:
        """Return the evidence for a crash report."""
        limit = "" if self.exit is None else self.limit_met(self.exit)
        said, errors = self.said.kept(), self.errors.kept()
        return Transcript(self.given.whole_lines(), said, errors, self.exit, self.limits, self.jail, limit)

    def close(self) -> Exit:
        """Close its input and end it, gently at first."""
        return self._drain(self.leave())

    def stop(self) -> Exit:
        """End it with SIGTERM, then SIGKILL."""
        return self._drain(super().stop())

    def _drain(self, exit: Exit) -> Exit:
        """Read the rest of the output, no more than the pipes can hold, and close the pipes."""
        for stream in list(self._open):
            with suppress(ValueError):
                for _ in range(MEGABYTE // CHUNK_BYTES):
                    if stream not in self._open or not self._read(stream):
                        break
        self._open.clear()
        for pipe in (self.stdin, self.stdout, self.stderr):
            with suppress(OSError):
                pipe.close()
        return exit
