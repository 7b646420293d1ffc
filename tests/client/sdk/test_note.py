from __future__ import annotations

import pytest

from client.sdk.note import Note, clean, parse_note


@pytest.mark.parametrize(
    "note",
    [
        Note(),
        Note(value=3.5, depth=9, nodes=1200, line=("a4b3", "d1c2")),
        Note(value=-1.0, proved=True),
        Note(wall=0.25, cpu=0.125),
        Note(text="good luck"),
        Note(depth=3, text="a | b"),
    ],
)
def test_note_survives_formatting_and_parsing(note: Note) -> None:
    assert parse_note(str(note)) == note


def test_note_is_written_with_all_its_fields() -> None:
    note = Note(value=3.5, depth=9, nodes=1200, wall=0.25, line=("a4b3", "d1c2"), text="sure")
    assert str(note) == "depth 9 value +3.5 nodes 1200 wall 0.250 line a4b3 d1c2 | sure"


@pytest.mark.parametrize("text", ["thinking", "value high", "depth 3 depth 4", "value nan", "depth inf", "value"])
def test_other_formats_become_text(text: str) -> None:
    assert parse_note(text) == Note(text=text)


def test_clean_returns_one_short_printable_line() -> None:
    assert clean("a\n\tb\x00 c  ") == "a b c"
    assert clean("x" * 20, 10) == "x" * 9 + "…"
    assert len(str(Note(text="x" * 5000))) == 400
