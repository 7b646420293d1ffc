"""How a bot judges a position, as a sentence for people."""

from __future__ import annotations

from math import tanh

from client.sdk.note import Note, parse_note
from client.sdk.result_text import seat_name
from client.sdk.room_view import RoomView

EVEN, LITTLE, CLEAR = 0.15, 0.4, 0.8  # bounds of the share in favour of a side, from 0 (even) to 1 (decided)
LINE_MOVES_SHOWN = 3
SCALE = 4.0  # the value at which a side is clearly better


def share_of(value: float) -> float:
    """Return the share of the first side, from 0 to 1. 0.5 means that the position is even."""
    return (tanh(value / SCALE) + 1) / 2


def balance_text(value: float, names: tuple[str, str]) -> str:
    """Return which player is better: `bob is better`."""
    lead = abs(2 * share_of(value) - 1)
    if lead < EVEN:
        return "About even."
    name = names[0 if value > 0 else 1]
    return f"{name} is {'a little better' if lead < LITTLE else 'better' if lead < CLEAR else 'winning'}."


def advice_text(move: str, note: Note) -> str:
    """Return what an engine expects after a move, its numbers with labels: `Best move 5: value +3 for you, …`."""
    parts = []
    if note.value is not None:
        parts.append(f"value {note.value:+.3g} for you{', proved' if note.proved else ''}")
    if note.depth is not None:
        parts.append(f"{note.depth} moves ahead")
    if note.line[1:]:
        parts.append(f"then {' '.join(note.line[1 : 1 + LINE_MOVES_SHOWN])}")
    return f"Best move {move}: {', '.join(parts)}." if parts else f"Best move {move}."


def numbers_text(table: RoomView, ply: int) -> str:
    """Return the latest note up to a ply with the numbers of the engine: value, depth and expected line."""
    for played in reversed(table.moves[:ply]):
        note, words = parse_note(played.note), list[str]()
        if note.value is not None:
            words.append(f"{note.value:+.3g}{' proved' if note.proved else ''}")
        if note.depth is not None:
            words.append(f"depth {note.depth}")
        if note.line:
            words.append(f"line {' '.join(note.line)}")
        if words or note.text:
            return f"{seat_name(table.seats[played.side])} {played.move}: {' '.join([*words, note.text]).strip()}"
    return ""
