"""The rules for people: one source for docs/rules.md, the browser and the terminal, with figures of the engine."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from client.presentation.rules import chapter
from client.presentation.rules.chapter import (
    Bullets,
    Example,
    Figure,
    Heading,
    Paragraph,
    Table,
    block_tree,
    board_tree,
    chapter_text,
    has_chapter,
    layout_tree,
    load_chapter,
    parse,
    spans,
    terminal_chapter,
)
from client.presentation.rules.wrapping import length, plain_lines, text_lines, wrapped
from engine.game import InvalidOption
from engine.registry import GAMES, create
from server.domain.boards import Position, layout
from tests.scripts import ROOT, load_script

NAMES = sorted(name for name in GAMES if has_chapter(name))


def figures(name: str) -> list[Figure]:
    return [block for block in load_chapter(name).blocks if isinstance(block, Figure)]


def test_document_contains_the_same_texts() -> None:
    document = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert load_script("rules").updated(document) == document, "run scripts/rules"
    assert all(chapter_text(name) in document for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_chapter_has_a_goal_sections_and_figures(name: str) -> None:
    rules = load_chapter(name)
    assert rules.lead.endswith(".")
    headings = [block.text for block in rules.blocks if isinstance(block, Heading)]
    assert {"A move", "The end", "Notation"} <= set(headings)
    assert len(figures(name)) >= 3


@pytest.mark.parametrize("name", NAMES)
def test_chapter_has_no_words_for_programs(name: str) -> None:
    text = "\n".join(plain_lines(terminal_chapter(name), 80))
    for word in ("perft", "hfunc", "Side 0", "side 0", "Evaluation", "Internally", "Position text"):
        assert word not in text
    assert "### For programs" in chapter_text(name)


def test_terminal_has_one_name_for_each_colour() -> None:
    text = " ".join(" ".join(plain_lines(terminal_chapter("conga"), 80)).split())
    assert "Blue, b in notation, starts with ten stones on a4" in text
    assert text.count("black") == text.count("white") == 1
    assert "Records, bots and browsers call blue black and red white." in text
    assert "Black, b in notation" in " ".join(plain_lines(load_chapter("conga"), 400))


@pytest.mark.parametrize("name", NAMES)
def test_figures_show_what_the_engine_computes(name: str) -> None:
    for figure in figures(name):
        kind, _ = figure.word
        shown = {
            "pick": figure.legal and figure.picked,
            "legal": figure.legal,
            "preview": figure.after is not None and figure.after != figure.board,
            "played": figure.last,
            "decisive": figure.decisive,
        }
        assert shown[kind], figure.what


@pytest.mark.parametrize("name", GAMES)
def test_layout_and_board_have_the_form_of_the_protocol(name: str) -> None:
    game = create(name)
    assert json.loads(json.dumps(layout_tree(game))) == json.loads(msgspec.json.encode(layout(game)))
    board = board_tree(game.draw(game.start()))
    assert json.loads(json.dumps(board)) == json.loads(msgspec.json.encode(Position(game, game.start()).board))


def test_game_without_a_text_describes_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chapter, "has_chapter", lambda name: False)
    blocks = load_chapter("cohcoh").blocks
    assert isinstance(blocks[0], Figure)
    assert any(isinstance(block, Example) for block in blocks)
    assert all(block_tree(block)["kind"] for block in blocks)


def test_unknown_game_is_an_error() -> None:
    with pytest.raises(InvalidOption):
        load_chapter("nothing")


def test_blocks_of_markdown_are_parsed() -> None:
    text = "## T: `t`\n\nOne\ntwo.\n\n- a\n  b\n- c\n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\n    code\n"
    paragraph, bullets, table, example = parse(text, create("conga"))
    assert paragraph == Paragraph((("", "One two."),))
    assert bullets == Bullets(((("", "a b"),), (("", "c"),)))
    assert table == Table((((("", "x"),), (("", "y"),)), ((("", "1"),), (("", "2"),))))
    assert example == Example("code")


def test_spans_of_a_text() -> None:
    parts = spans("a **b** *c* `d` [e](f.md)")
    assert parts == (("", "a "), ("b", "b"), ("", " "), ("i", "c"), ("", " "), ("code", "d"), ("", " "), ("", "e"))
    assert Path(ROOT / "scripts" / "rules").stat().st_mode & 0o100


@pytest.mark.parametrize("width", [40, 44, 80, 132])
@pytest.mark.parametrize("name", GAMES)
def test_texts_are_wrapped_without_losing_a_word(name: str, width: int) -> None:
    for block in load_chapter(name).blocks:
        if isinstance(block, Paragraph | Bullets | Table):
            lines = text_lines(block, width)
            assert max(map(length, lines)) <= width
        if isinstance(block, Paragraph):
            text = " ".join("".join(part for _, part in line) for line in lines)
            assert text.split() == "".join(part for _, part in block.spans).split()


def test_code_keeps_the_punctuation_that_follows_it() -> None:
    assert wrapped(spans("It is `abcd`, yes."), 8) == [
        (("", "It"), ("", " "), ("", "is")),
        (("code", "abcd"), ("", ",")),
        (("", "yes."),),
    ]


def test_long_words_are_broken() -> None:
    assert wrapped(spans("abcdefgh"), 3) == [(("", "abc"),), (("", "def"),), (("", "gh"),)]


def test_wide_columns_of_a_table_are_wrapped() -> None:
    (table,) = parse("## T\n\n| a | b |\n| --- | --- |\n| 1 | one two three |\n", create("conga"))
    assert isinstance(table, Table)
    lines = ["".join(part for _, part in line) for line in text_lines(table, 12)]
    assert lines == ["a  b", "1  one two", "   three"]


def test_plain_text_shows_boards_before_and_after_a_move() -> None:
    lines = list(plain_lines(load_chapter("conga"), 80))
    assert lines[:5] == ["Conga", "", "GOAL", "", load_chapter("conga").lead]
    at = lines.index("The preview of a4b4: 1, 2 and the rest, 7.")
    assert lines[at + 1] == "    4  b10   .   .   .      4    .  b1  b2  b7"
    assert "  ->  " in lines[at + 3]
