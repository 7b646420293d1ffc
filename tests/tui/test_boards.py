"""Pictures of boards: every game, theme, size and orientation; marks; the cell at a position."""

from __future__ import annotations

import random

import pytest

from client.tui.models.move_picker import MovePicker
from client.tui.render.appearance import Appearance
from client.tui.render.board_picture import BoardPicture, rotated
from client.tui.render.fit import fit_board
from client.tui.render.letter_board import LetterBoard
from client.tui.render.marks import Marks, signed
from client.tui.render.pixel_boards import MarbleBoard, PixelBoard, disc_tile, stack_tile
from client.tui.render.terminal_colours import distance
from client.tui.render.tokens import TOKENS, contrast
from engine.board import Board, Cell
from engine.game import Game, State
from engine.registry import GAMES, create

VARIANTS = [*((name, {}) for name in GAMES), ("cohcoh", {"n": 12, "k": 5}), ("mancala", {"pits": 10, "stones": 90})]
THEMES = [Appearance(theme) for theme in ("dark", "light", "safe", "mono")] + [Appearance("mono", ascii_only=True)]
DARK, MONO = THEMES[0], THEMES[3]


def text_of(picture: BoardPicture, marks: Marks | None = None) -> list[str]:
    return ["".join(segment.text for segment in line) for line in picture.lines(marks or Marks())]


def middle_of(game: Game, plies: int = 9) -> State:
    """Return a position of a random game."""
    state, rng = game.start(), random.Random(7)
    for _ in range(plies):
        state = game.play(state, rng.choice(game.moves(state)))
    return state


def preview_of(game: Game, state: State, number: int = 0) -> Marks:
    """Return the marks of a move that is chosen but not played."""
    picker = MovePicker(game, state)
    move = game.moves(state)[number]
    *first, last = game.path(state, move)
    for cell in first:
        picker.point(cell)
    return Marks(cursor=last, picked=picker.picked, targets=picker.targets(), preview=picker.effect(move))


@pytest.mark.parametrize(("name", "options"), VARIANTS)
@pytest.mark.parametrize("appearance", THEMES)
@pytest.mark.parametrize("space", [(50, 21), (75, 37), (200, 60), (10, 3)])
@pytest.mark.parametrize("labels", [True, False])
def test_picture_has_the_stated_size(
    name: str, options: dict[str, int], appearance: Appearance, space: tuple[int, int], labels: bool
) -> None:
    game = create(name, options)
    state = middle_of(game)
    for marks in (Marks(), preview_of(game, state)):
        picture = fit_board(game, game.draw(state), *space, appearance, labels=labels)
        lines = text_of(picture, marks)
        assert {len(line) for line in lines} == {picture.columns}
        assert len(lines) == picture.rows
        if space[0] >= 75:
            assert picture.columns <= space[0]
            assert picture.rows <= space[1]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("appearance", [DARK, MONO])
@pytest.mark.parametrize("flipped", [False, True])
def test_cell_at_finds_every_cell(name: str, appearance: Appearance, flipped: bool) -> None:
    game = create(name)
    board = game.draw(game.start())
    picture = fit_board(game, board, 92, 28, appearance, flipped=flipped)
    found = {cell.name for x in range(picture.columns) for y in range(picture.rows) if (cell := picture.cell_at(x, y))}
    assert found == {cell.name for row in board.rows for cell in row if cell is not None}
    first = next(cell for cell in (rotated(board) if flipped else board).rows[0] if cell is not None)
    at = [(x, y) for y in range(picture.rows) for x in range(picture.columns) if picture.cell_at(x, y) == first]
    assert min(at)[0] <= picture.columns // 3
    assert picture.cell_at(-1, 0) is picture.cell_at(0, -1) is picture.cell_at(picture.columns, 0) is None


def test_numbers_are_in_their_cells() -> None:
    game = create("conga")
    picture = fit_board(game, game.draw(game.start()), 92, 28, DARK)
    lines = text_of(picture)
    rows = [y for y, line in enumerate(lines) if "10" in line]
    assert len(rows) == 2
    first, second = (picture.cell_at(lines[y].index("10"), y) for y in rows)
    assert first is not None
    assert second is not None
    assert (first.name, second.name) == ("a4", "d1")


@pytest.mark.parametrize("appearance", THEMES)
@pytest.mark.parametrize("name", GAMES)
def test_preview_adds_and_never_changes_a_number(name: str, appearance: Appearance) -> None:
    game = create(name)
    state = middle_of(game)
    board = game.draw(state)
    plain = fit_board(game, board, 120, 38, appearance)
    for number in range(len(game.moves(state))):
        marks = preview_of(game, state, number)
        shown = fit_board(game, board, 120, 38, appearance)
        assert shown.lines(marks) != plain.lines(Marks())
        if board.counted:
            counts = [signed(marks.change(cell)) for cell in cells_of(board) if marks.change(cell) > 0]
            text = "\n".join(text_of(shown, marks))
            assert all(count in text for count in counts)
            assert sum(map(int, numbers_in(text))) == sum(cell.count for cell in cells_of(board))


def cells_of(board: Board) -> list[Cell]:
    return [cell for row in board.rows for cell in row if cell is not None]


def numbers_in(text: str) -> list[str]:
    """Return the numbers of a picture that stand for the position: not those of labels and of the preview."""
    body = "\n".join(line[2:] for line in text.splitlines()[:-1])
    kept = "".join(char if char.isdigit() or char in "+−-" else " " for char in body)
    for sign in "+−":
        kept = kept.replace(sign, f" {sign}")
    return [word for word in kept.split() if word.isdigit()]


def test_marks_are_characters_without_colours() -> None:
    game = create("conga")
    board = game.draw(game.start())
    marks = Marks(cursor="b4", picked=("a4",), targets=frozenset({"b3"}), last=frozenset({"d1"}))
    text = "\n".join(text_of(fit_board(game, board, 50, 21, MONO), marks))
    for shown in ("{●10}", "[·]", "(·)", "'○10'"):
        assert shown in text
    decided = "\n".join(text_of(fit_board(game, board, 50, 21, MONO), Marks(decisive=frozenset({"d1"}))))
    assert "*○10*" in decided


UNUSED = {("mancala", "targets"), ("maxconnect4", "picked"), ("maxconnect4", "targets")}  # moves of one cell
MARKED = [
    (name, mark)
    for name in GAMES
    for mark in ("cursor", "picked", "targets", "last", "decisive")
    if (name, mark) not in UNUSED
]


@pytest.mark.parametrize(("name", "mark"), MARKED)
@pytest.mark.parametrize("appearance", [DARK, MONO])
def test_every_mark_can_be_seen(name: str, mark: str, appearance: Appearance) -> None:
    game = create(name)
    board = game.draw(middle_of(game))
    cell = next(cell for cell in cells_of(board)[1:] if (cell.owner is None) == (mark == "targets")).name
    if (name, mark) == ("mancala", "decisive"):
        cell = "store 1"
    value = {"cursor": cell, "picked": (cell,)}.get(mark, frozenset({cell}))
    picture = fit_board(game, board, 92, 28, appearance)
    assert picture.lines(Marks(**{mark: value})) != picture.lines()  # type: ignore[arg-type]


def test_ascii_pictures_are_ascii() -> None:
    for name in GAMES:
        game = create(name)
        picture = fit_board(game, game.draw(game.start()), 80, 24, THEMES[-1])
        assert all(line.isascii() for line in text_of(picture))


def test_pixels_need_colours_and_space() -> None:
    game = create("conga")
    board = game.draw(game.start())
    assert isinstance(fit_board(game, board, 50, 21, DARK), PixelBoard)
    assert isinstance(fit_board(game, board, 16, 5, DARK), LetterBoard)
    assert isinstance(fit_board(game, board, 50, 21, MONO), LetterBoard)
    assert isinstance(fit_board(game, board, 50, 21, Appearance("dark", colours=16)), LetterBoard)


def test_lines_are_drawn_only_around_cells() -> None:
    game = create("mancala")
    top, *_, bottom, _ = text_of(fit_board(game, game.draw(game.start()), 60, 10, MONO))
    assert top.rstrip().endswith("┐")
    assert bottom.strip().startswith("└")


@pytest.mark.parametrize("theme", ["dark", "light", "safe"])
def test_fours_of_both_sides_keep_their_colours_and_the_last_disc_is_stronger(theme: str) -> None:
    for side in (0, 1):
        plain = disc_tile(theme, 7, side)
        four = disc_tile(theme, 7, side, decisive=True)
        last = disc_tile(theme, 7, side, decisive=True, last=True)
        faded = disc_tile(theme, 7, side, faded=True)
        middle = four.height // 2
        ring = [tile.rows[0][middle] for tile in (faded, plain, four, last)]
        assert len(set(ring)) == 4
        text = TOKENS[theme].text
        assert distance(ring[3], text) < distance(ring[2], text)
    first, second = (disc_tile(theme, 7, side, decisive=True).rows[0][3] for side in (0, 1))
    assert distance(first, second) > 0.05


def test_smallest_marble_board_has_grid_lines() -> None:
    pixels = MarbleBoard(create("cohcoh").draw(create("cohcoh").start()), 3, "dark", labels=False).paint(Marks())[0]
    assert pixels.rows[0][0] != pixels.rows[1][1]


def test_numbers_of_picked_and_previewed_small_stacks_can_be_read() -> None:
    for theme in ("dark", "light", "safe"):
        tokens = TOKENS[theme]
        picked = stack_tile(theme, 4, 0, 9, hollow=True).rows[1][1]
        target = stack_tile(theme, 4, None, 0, preview=0).rows[1][1]
        assert min(contrast(tokens.text, ground) for ground in (picked, target)) >= 4.5
