"""Boards as text: sizes, marks, both ways round, and back from a place to its cell."""

from __future__ import annotations

import pytest
from rich.color import Color

from client.tui.render.palette import luminance, style
from client.tui.render.picture import Ink, Marks, Picture, Size, fit_size
from engine.registry import GAMES, create

VARIANTS = [*((name, {}) for name in GAMES), ("cohcoh", {"n": 12, "k": 5}), ("mancala", {"pits": 10, "stones": 90})]


def text_of(picture: Picture, marks: Marks | None = None) -> list[str]:
    return ["".join(span.text for span in line) for line in picture.lines(marks or Marks())]


@pytest.mark.parametrize(("name", "options"), VARIANTS)
@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("space", [(50, 21), (75, 37), (200, 60), (10, 3)])
def test_a_picture_has_the_size_it_says(
    name: str, options: dict[str, int], flipped: bool, space: tuple[int, int]
) -> None:
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
def test_every_cell_is_found_where_it_is_drawn(size: Size, flipped: bool) -> None:
    board = create("conga").draw(create("conga").start())
    picture = Picture(board, size, flipped=flipped)
    found = {cell.name for x in range(picture.columns) for y in range(picture.rows) if (cell := picture.cell_at(x, y))}
    assert found == {cell.name for row in board.rows for cell in row if cell is not None}
    lines = text_of(picture)
    y = next(number for number, line in enumerate(lines) if "b10" in line)
    cell = picture.cell_at(lines[y].index("b10"), y)
    assert cell is not None
    assert cell.name == "a4"


def test_no_place_on_a_board_is_between_its_cells() -> None:
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


def test_only_the_face_of_a_cell_is_underlined() -> None:
    board = create("conga").draw(create("conga").start())
    lines = Picture(board, Size(7, 3, True)).lines(Marks(last=frozenset({"d1"})))
    for theme in ("classic", "mono"):
        under = [span.text for line in lines for span in line if style(theme, "conga", span.ink).underline]
        assert under == ["w10"]


def test_ascii_pictures_have_nothing_else() -> None:
    for name in GAMES:
        board = create(name).draw(create(name).start())
        assert all(line.isascii() for line in text_of(Picture(board, Size(7, 3, True), ascii_only=True)))


def test_lines_go_only_around_cells() -> None:
    board = create("mancala").draw(create("mancala").start())
    top, *_, bottom, _ = text_of(Picture(board, Size(5, 1, True)))
    assert top.endswith("┐      ")
    assert bottom.startswith("        └")


def test_conga_is_blue_and_red_on_yellow() -> None:
    blue, red, yellow = (ground("conga", kind) for kind in ("0", "1", "empty"))
    assert blue[2] > max(blue[0], blue[1])
    assert red[0] > max(red[1], red[2])
    assert min(yellow[0], yellow[1]) > yellow[2]


def ground(game: str, kind: str) -> tuple[int, int, int]:
    colour = style("classic", game, Ink(kind)).bgcolor
    assert colour is not None
    red, green, blue = colour.get_truecolor()
    return red, green, blue


def contrast(first: Color | None, second: Color | None) -> float:
    assert first is not None
    assert second is not None
    is_dark, bright = sorted((luminance(first.name), luminance(second.name)))
    return (bright + 0.05) / (is_dark + 0.05)


@pytest.mark.parametrize("game", GAMES)
def test_safe_colours_differ_in_light_and_not_in_colour_alone(game: str) -> None:
    first, second, empty = (style("safe", game, Ink(kind)).bgcolor for kind in ("0", "1", "empty"))
    assert min(contrast(first, second), contrast(first, empty), contrast(second, empty)) > 2


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("theme", ["classic", "safe"])
@pytest.mark.parametrize(
    "ink", [Ink(k, m, s) for k in ("0", "1", "empty") for m in ("", "picked", "target") for s in (False, True)]
)
def test_what_stands_in_a_cell_can_be_read(game: str, theme: str, ink: Ink) -> None:
    drawn = style(theme, game, ink)
    assert contrast(drawn.color, drawn.bgcolor) > 4.5


@pytest.mark.parametrize("kind", ["0", "1", "empty", "line", "label"])
@pytest.mark.parametrize("mark", ["", "picked", "target", "preview", "end", "last"])
def test_mono_has_no_colours(kind: str, mark: str) -> None:
    ink = style("mono", "conga", Ink(kind, mark))
    assert ink.color is None
    assert ink.bgcolor is None
