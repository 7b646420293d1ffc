"""The board of a game that is watched, in a small space: on the wall and in the lobby."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment

from client.sdk.room_view import RoomView
from client.tui.models.move_picker import changes
from client.tui.render.appearance import Appearance
from client.tui.render.fit import fit_board
from client.tui.render.marks import Marks
from client.tui.render.strip import tone
from runtime.printable import printable

TOO_LARGE = ("This board is too large here.", "Enter opens the game.")


def small_board(table: RoomView, width: int, height: int, appearance: Appearance) -> list[list[Segment]]:
    """Return the lines of the board of a room without labels. There are `height` of them, the board in the middle."""
    if table.game is None:
        return text_lines([f"Unknown game: {table.setup.game}"], width, height, appearance)
    board = table.game.draw(table.state)
    picture = fit_board(table.game, board, width, height, appearance, labels=False)
    if picture.columns > width or picture.rows > height:
        return text_lines(TOO_LARGE, width, height, appearance)
    blank = Segment(" " * ((width - picture.columns) // 2), tone(appearance, "text"))
    return centred([[blank, *line] for line in picture.lines(marks_of(table))], height)


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
