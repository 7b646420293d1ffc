"""The board of a game that is watched, in a small space: on the TV and in the lobby."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment

from client.sdk.room_view import RoomView
from client.tui.models.move_picker import changes
from client.tui.render.appearance import Appearance
from client.tui.render.fit import fit_board
from client.tui.render.marks import NO_MARKS, Marks
from client.tui.render.strip import tone
from engine.board import Board
from engine.errors import GameError
from engine.game import Game
from engine.registry import create
from protocol.types import RoomInfo
from runtime.printable import printable

TOO_LARGE = ("This board is too large here.", "Enter opens the game.")


def small_board(
    table: RoomView, width: int, height: int, appearance: Appearance, moving: Board | None = None
) -> list[list[Segment]]:
    """Return the lines of the board of a room without labels. There are `height` of them, the board in the middle.

    `moving`: a board between two positions, which is drawn without marks.
    """
    if table.game is None:
        return text_lines([f"Unknown game: {table.setup.game}"], width, height, appearance)
    if moving is not None:
        return board_lines(table.game, moving, NO_MARKS, width, height, appearance)
    return board_lines(table.game, table.game.draw(table.state), marks_of(table), width, height, appearance)


def start_board(info: RoomInfo, width: int, height: int, appearance: Appearance) -> list[list[Segment]]:
    """Return the board of a room that waits for a player, as it will be at the start."""
    try:
        game = create(info.game, info.options)
    except GameError:
        return text_lines([f"Unknown game: {info.game}"], width, height, appearance)
    return board_lines(game, game.draw(game.start()), NO_MARKS, width, height, appearance)


def board_lines(
    game: Game, board: Board, marks: Marks, width: int, height: int, appearance: Appearance
) -> list[list[Segment]]:
    """Return a board in the middle of a space, or a notice that it does not fit."""
    picture = fit_board(game, board, width, height, appearance, labels=False)
    if picture.columns > width or picture.rows > height:
        return text_lines(TOO_LARGE, width, height, appearance)
    blank = Segment(" " * ((width - picture.columns) // 2), tone(appearance, "text"))
    return centred([[blank, *line] for line in picture.lines(marks)], height)


def marks_of(table: RoomView) -> Marks:
    """Return the marks of the last move and, at the end, of the cells that decided the game."""
    game = table.game
    assert game is not None
    last = changes(game.draw(table.states[-2]), game.draw(table.state)) if table.ply else {}
    decisive = game.decisive(table.state) if table.status == "ended" else ()
    return Marks(last=frozenset(last), decisive=frozenset(decisive))


def text_lines(texts: Sequence[str], width: int, height: int, appearance: Appearance) -> list[list[Segment]]:
    """Return texts in the middle of a space."""
    style = tone(appearance, "muted")
    return centred([[Segment(f"{printable(text):^{width}}"[:width], style)] for text in texts], height)


def centred(lines: list[list[Segment]], height: int) -> list[list[Segment]]:
    above = max(0, height - len(lines)) // 2
    return [*([[]] * above), *lines, *([[]] * (height - above - len(lines)))][:height]
