"""Text from others on a terminal."""

from __future__ import annotations

import json
import sys

import pytest

from runtime.printable import print_error, print_line, print_lines, printable, printable_lines

HOSTILE = {
    "a\x1b[2Jb": r"a\u001b[2Jb",
    "\x9b31mred": r"\u009b31mred",
    "a\0b\x7f": r"a\u0000b\u007f",
    "a\nforged\r\tb": r"a\nforged\r\tb",
    "a\u2028b\u2029c\x85": r"a\u2028b\u2029c\u0085",
    "\u202eecila\u2066\u2069": r"\u202eecila\u2066\u2069",
    "al\u200bi\u200dce\u2060\ufeff": r"al\u200bi\u200dce\u2060\ufeff",
    "\U000e0041tag": r"\udb40\udc41tag",
    "\udcff": r"\udcff",
    "plain — bøb 5–3 ● [b]x[/b] \\": "plain — bøb 5–3 ● [b]x[/b] \\",
}


@pytest.mark.parametrize("text", HOSTILE)
def test_unprintable_characters_are_escaped(text: str) -> None:
    assert printable(text) == HOSTILE[text]
    assert printable(text).isprintable()


@pytest.mark.parametrize("text", HOSTILE)
def test_json_keeps_its_meaning(text: str) -> None:
    assert json.loads(printable(json.dumps({"name": text}, ensure_ascii=False))) == {"name": text}


def test_texts_of_several_lines_keep_breaks_and_tabs() -> None:
    assert printable_lines("a\tb\nc\r\x1b") == "a\tb\nc\\r\\u001b"
    assert printable_lines("plain") == "plain"


def test_printed_lines_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    print_line("a\nb")
    print_line("c\x1b", file=sys.stderr, flush=True)
    print_lines("d\ne\x1b", flush=True)
    print_error("f\n")
    assert capsys.readouterr() == ("a\\nb\nd\ne\\u001b\n", "c\\u001b\nparlour: f\\n\n")
