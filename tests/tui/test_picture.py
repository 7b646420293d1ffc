"""Pictures of boards: sizes, marks, orientations, and the cell at a position."""

from __future__ import annotations

import pytest

from client.tui.render.picture import Marks, Picture, Size, fit_size
from engine.registry import GAMES, create

VARIANTS = [*((name, {}) for name in GAMES), ("cohcoh", {"n": 12, "k": 5}), ("mancala", {"pits": 10, "stones": 90})]


def text_of(picture: Picture, marks: Marks | None = None) -> list[str]:
    return ["".join(span.text for span in line) for line in picture.lines(marks or Marks())]


@pytest.mark.parametrize(("name", "options"), VARIANTS)
@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("space", [(50, 21), (75, 37), (200, 60), (10, 3)])
def test_picture_has_the_stated_size(name: str, options: dict[str, int], flipped: bool, space: tuple[int, int]) -> None:
    game = create(name, options)
    board = game.draw(game.start())
    picture = Picture(board, fit_size(board, *space), flipped=flipped)
    lines = text_of(picture)
    assert {len(line) for line in lines} == {picture.columns}
    assert len(lines) == picture.rows
    if space == (50, 21):
        assert picture.columns <= space[0]
        assert picture.rows <= space[1]


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("size", [Size(7, 3, True), Size(5, 1, True), Size(5, 1, False)])
def test_cell_at_finds_every_cell(size: Size, flipped: bool) -> None:
    board = create("conga").draw(create("conga").start())
    picture = Picture(board, size, flipped=flipped)
    found = {cell.name for x in range(picture.columns) for y in range(picture.rows) if (cell := picture.cell_at(x, y))}
    assert found == {cell.name for row in board.rows for cell in row if cell is not None}
    lines = text_of(picture)
    y = next(number for number, line in enumerate(lines) if "b10" in line)
    cell = picture.cell_at(lines[y].index("b10"), y)
    assert cell is not None
    assert cell.name == "a4"


def test_lines_between_cells_belong_to_a_cell() -> None:
    board = create("maxconnect4").draw(create("maxconnect4").start())
    picture = Picture(board, Size(5, 1, True))
    across, down = range(1, picture.columns), range(1, picture.rows - 1)
    assert all(picture.cell_at(x, y) is not None for x in across for y in down)
    assert picture.cell_at(0, 5) is picture.cell_at(5, 0) is None
    assert picture.cell_at(5, picture.rows - 1) is None


def test_marks_are_characters() -> None:
    board = create("conga").draw(create("conga").start())
    marks = Marks(cursor="b4", picked=("a4",), targets=frozenset({"b3"}), last=frozenset({"d1"}), end="c4")
    text = "\n".join(text_of(Picture(board, Size(7, 3, True)), marks))
    for shown in ("{b10}", "[·]", "(·)", "'w10'", ">·<"):
        assert shown in text


def test_ascii_pictures_are_ascii() -> None:
    for name in GAMES:
        board = create(name).draw(create(name).start())
        assert all(line.isascii() for line in text_of(Picture(board, Size(7, 3, True), ascii_only=True)))


def test_lines_are_drawn_only_around_cells() -> None:
    board = create("mancala").draw(create("mancala").start())
    top, *_, bottom, _ = text_of(Picture(board, Size(5, 1, True)))
    assert top.endswith("┐      ")
    assert bottom.startswith("        └")
