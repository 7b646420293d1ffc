"""A running program to talk to: it is given lines and answers within a time, or it has failed.

The pipes are read only while an answer is awaited. A program that floods them in between fills a pipe and waits; it
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

from client.programs.failure import Failure
from client.programs.limits import Limits
from client.programs.process import Exit, Process
from client.programs.tail import Tail

CHUNK = 64 * 1024
LONGEST_LINE = 64 * 1024
MEGABYTE = 1 << 20
FLOOD, LISTENING = 64 * 1024, 0.3  # bytes that nobody says by mistake within so many seconds
PATIENCE = 1.0  # seconds for a program to read what needs no answer


class Child(Process):
    def __init__(self, words: Sequence[str], folder: Path, limits: Limits) -> None:
        super().__init__(words, folder, limits)
        self.given, self.said, self.errors = Tail(MEGABYTE), Tail(), Tail()
        self.answers = 0
        self._unread = bytearray()
        self._open: dict[IO[bytes], Tail] = {self.stdout: self.said, self.stderr: self.errors}

    # -- talking

    def ask(self, line: bytes, seconds: float, startup: float = 0.0) -> str:
        """One line in, one line out; what was said before the question is no answer. `startup`: allowed beside it."""
        self._discard()
        late = f"no answer after {startup + seconds:.1f} s"
        if startup:
            late += f" ({startup:.1f} s to come up and {seconds:.1f} s to answer)"
        self._pump(line + b"\n", self._has_line, startup + seconds, late)
        answer = self._take_line()
        self.answers += 1
        return answer

    def floods(self) -> bool:
        """Whether it says more and more; asked of one whose answer made no sense."""
        most = self._heard() + FLOOD
        with suppress(Failure):
            self._pump(b"", lambda: self._heard() > most, LISTENING, "silent")
        return self._heard() > most

    def last_lines(self) -> list[str]:
        """What it says once its input has ended: a silent one may have kept it in a buffer of its own."""
        self._unread.clear()
        self._no_more()
        with suppress(Failure):
            self._pump(b"", lambda: False, LISTENING, "silent")
        return bytes(self._unread[:LONGEST_LINE]).decode("utf-8", "replace").splitlines()

    def listen(self, seconds: float) -> str:
        """The next line it says unasked."""
        self._pump(b"", self._has_line, seconds, f"no line after {seconds:.1f} s")
        return self._take_line()

    def tell(self, line: bytes) -> None:
        """A line that wants no answer."""
        self._discard()
        self._pump(line + b"\n", lambda: True, PATIENCE, f"it does not read after {PATIENCE:.1f} s")

    def finish(self, text: bytes, seconds: float) -> str:
        """Everything it says from here to its end, having been given a text; at most the last 64 KB."""
        deadline = time.monotonic() + seconds
        self._pump(text, self._never, seconds, f"it is not done after {seconds:.1f} s")
        if not self.exited(max(0.0, deadline - time.monotonic())):
            raise Failure("timeout", f"it has closed its output and has not ended after {seconds:.1f} s")
        return self.said.text()

    def _has_line(self) -> bool:
        end = self._unread.find(b"\n")
        if end > LONGEST_LINE or (end < 0 and len(self._unread) > LONGEST_LINE):
            raise Failure("flood", f"a line of more than {LONGEST_LINE // 1024} KB")
        return end >= 0

    def _never(self) -> bool:
        """Hear it to its end: what it is given ends too, and its lines are not waited for."""
        self._unread.clear()
        return False

    def _take_line(self) -> str:
        line, _, rest = bytes(self._unread).partition(b"\n")
        self._unread = bytearray(rest)
        if not line and not rest and self.stdout not in self._open:
            closed = not self.exited(self.limits.grace)  # a program that has ended, too, but not by itself
            end = self.end(self.close())
            raise Failure("exited", f"no answer: {'it has closed its output' if closed else end}")
        return line.decode("utf-8", "replace").rstrip("\r")

    # -- the pipes

    def _discard(self) -> None:
        """Forget what it said unasked; a megabyte of it, with ever more behind, is a flood."""
        most = self._heard() + MEGABYTE
        for stream in list(self._open):
            while stream in self._open and self._read(stream):
                self._unread.clear()
                if self._heard() > most:
                    raise Failure("flood", "it floods its output without having been asked")
        self._unread.clear()

    def _heard(self) -> int:
        return self.said.count + self.errors.count

    def _pump(self, outgoing: bytes, done: Callable[[], bool], seconds: float, late: str) -> None:
        """Write and read until `done`, until it can say no more, or until the time is over: a failure, `late`."""
        self.given.add(outgoing)
        waiting = memoryview(outgoing)
        deadline, most = time.monotonic() + seconds, self._heard() + (self.limits.output or MEGABYTE) * MEGABYTE
        with selectors.DefaultSelector() as selector:
            for pipe in self._open:
                selector.register(pipe, selectors.EVENT_READ)
            if waiting:
                selector.register(self.stdin, selectors.EVENT_WRITE)
            while waiting or (self.stdout in self._open and not done()):
                if not waiting and done == self._never:
                    self._no_more()
                left = deadline - time.monotonic()
                if left <= 0:
                    raise Failure("timeout", late + self._half_line())
                for key, _ in selector.select(left):
                    stream: Any = key.fileobj
                    if stream is self.stdin:
                        waiting = waiting[self._write(waiting) :]
                        finished = not waiting
                    else:
                        finished = not self._read(stream) and stream not in self._open
                    if finished:
                        selector.unregister(stream)
                if self._heard() > most:
                    raise Failure("flood", f"more than {self.limits.output} MB of output")

    def _no_more(self) -> None:
        with suppress(OSError):
            self.stdin.close()

    def _half_line(self) -> str:
        half = bytes(self._unread[:60]).decode("utf-8", "replace")
        return f"; it said {half!r} without ending the line" if half else ""

    def _write(self, data: memoryview) -> int:
        """How many bytes it took; all, if it does not read any more: then it will say or has said what it will."""
        try:
            return os.write(self.stdin.fileno(), data[:CHUNK])
        except BlockingIOError:
            return 0
        except OSError:
            return len(data)

    def _read(self, stream: IO[bytes]) -> bool:
        """Whether there was something to read; a stream at its end is open no more."""
        try:
            data = os.read(stream.fileno(), CHUNK)
        except BlockingIOError:
            return False
        if not data:
            del self._open[stream]
            return False
        self._open[stream].add(data)
        if stream is self.stdout:
            self._unread += data
        return True

    # -- the end

    def end(self, exit: Exit) -> str:
        """How it ended, in its own last words if there are any."""
        last = self.last_error()
        return f"{exit}: {last}" if last else str(exit)

    def last_error(self) -> str:
        lines = self.errors.text().strip().splitlines()
        return lines[-1][:160] if lines else ""

    def close(self) -> Exit:
        """No more questions."""
        return self._last_words(self.leave())

    def stop(self) -> Exit:
        return self._last_words(super().stop())

    def _last_words(self, exit: Exit) -> Exit:
        """What is left in the pipes belongs to the evidence; no more than the pipes can hold."""
        for stream in list(self._open):
            with suppress(ValueError):
                for _ in range(MEGABYTE // CHUNK):
                    if stream not in self._open or not self._read(stream):
                        break
        self._open.clear()
        for pipe in (self.stdin, self.stdout, self.stderr):
            with suppress(OSError):
                pipe.close()
        return exit
