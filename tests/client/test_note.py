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
def test_a_note_can_be_read_back(note: Note) -> None:
    assert parse_note(str(note)) == note


@pytest.mark.parametrize("text", ["thinking", "value high", "depth 3 depth 4", "value nan", "depth inf", "value"])
def test_other_texts_are_texts(text: str) -> None:
    assert parse_note(text) == Note(text=text)


def test_any_text_becomes_one_short_line() -> None:
    assert clean("a\n\tb\x00 c  ") == "a b c"
    assert len(str(Note(text="x" * 5000))) == 400
