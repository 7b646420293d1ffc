"""A record as text: the players, the moves with their times, every board."""

from __future__ import annotations

from collections.abc import Iterator

from client.presentation.recorded_room import view_of
from client.presentation.texts import recorded_clock_text, situation
from client.sdk.sides import legend, side_names
from engine.record import Record, fault, play_through
from engine.record_move import TIME_FIELDS
from runtime.printable import printable


class Transcript:
    """A record played through: a board and a text for every ply. Ply 0 is the start."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.through = play_through(record)
        self.game = self.through.game
        self.sides = side_names(type(self.game))  # as the terminal calls its colours
        self.last = len(self.through.states) - 1
        self.fault = fault(record)
        self.boards = [self.game.draw(state) for state in self.through.states]

    def title(self) -> str:
        names = [printable(name) or "unnamed" for name in self.record.seats]
        first, second = (f"{name} ({side})" for name, side in zip(names, self.sides, strict=True))
        return f"{self.game.title}: {first} against {second}"

    def facts(self) -> str:
        """Return the options and the headers that are not empty."""
        shown = {name: str(value) for name, value in self.record.options.items()}
        shown |= {"clock": recorded_clock_text(self.record.clock), "date": self.record.date}
        if self.record.seed is not None:
            shown["seed"] = str(self.record.seed)
        return ", ".join(f"{name} {printable(value)}" for name, value in shown.items() if value)

    def side(self, ply: int) -> str:
        """Return the side that plays a ply."""
        state = self.through.states[ply - 1]
        return self.sides[self.game.turn(state)]

    def move(self, ply: int) -> str:
        """Return the move of a ply, with its number and side."""
        return f"{ply}. {self.side(ply)} {self.record.moves[ply - 1].move}" if ply else "start"

    def times(self, ply: int) -> str:
        """Return the times of a ply."""
        if ply == 0:
            return ""
        played = self.record.moves[ply - 1]
        times = [f"{name} {ms / 1000:.3f} s" for name in TIME_FIELDS if (ms := getattr(played, name)) is not None]
        return ", ".join(times)

    def details(self, ply: int) -> list[str]:
        """Return the times and the note of a ply, one per line."""
        return [text for text in (self.times(ply), self.note(ply)) if text]

    def note(self, ply: int) -> str:
        return printable(self.record.moves[ply - 1].note) if ply else ""

    def status(self, ply: int) -> str:
        """Return the side to move after a ply, or the result after the last one."""
        state = self.through.states[ply]
        if ply < self.last:
            return f"{self.sides[self.game.turn(state)]} to move"
        if self.fault:
            return f"WRONG: {printable(self.fault)}"
        if self.record.result == "*":
            why = f" ({printable(self.record.reason)})" if self.record.reason else ""
            return f"{self.sides[self.game.turn(state)]} to move; the record ends here{why}"
        return situation(view_of(self.record))

    def lines(self) -> Iterator[str]:
        """Return the whole record as lines of text."""
        yield self.title()
        if facts := self.facts():
            yield facts
        if letters := legend(self.boards[0].marks, self.sides):
            yield letters
        for ply, board in enumerate(self.boards):
            yield ""
            times, note = self.times(ply), self.note(ply)
            yield self.move(ply) + (f"  ({times})" if times else "") + (f"  ; {note}" if note else "")
            yield board.text()
        yield ""
        yield self.status(self.last)
