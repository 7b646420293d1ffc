"""The latest note of a bot: the value, the depth and the line that it expects."""

from __future__ import annotations

from client.presentation.texts import seat_name
from client.sdk.note import parse_note
from client.sdk.room_view import RoomView
from client.tui.widgets.plain import PlainText


class NoteView(PlainText):
    """Shows the latest note up to the current ply."""

    def show(self, table: RoomView, ply: int) -> None:
        self.update(note_text(table, ply))


def note_text(table: RoomView, ply: int) -> str:
    """Return the latest note up to a ply that contains more than times and counts."""
    for played in reversed(table.moves[:ply]):
        if text := describe(played.note):
            return f"{seat_name(table.seats[played.side])} {played.move}: {text}"
    return ""


def describe(text: str) -> str:
    """Return the value, the depth, the line and the free text of a note."""
    note, words = parse_note(text), list[str]()
    if note.value is not None:
        words.append(f"{note.value:+.3g}{' proved' if note.proved else ''}")
    if note.depth is not None:
        words.append(f"depth {note.depth}")
    if note.line:
        words.append(f"line {' '.join(note.line)}")
    return " ".join([*words, note.text]).strip()
