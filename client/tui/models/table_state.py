"""The state of one user at one table, without a screen: the ply shown, the picked cells, typed text and the premove."""

from __future__ import annotations

from collections.abc import Iterator

from client.presentation.moves import illegal_text, picked_text, preview_text, refusal_text
from client.sdk.result_text import player_name
from client.sdk.room_view import RoomView
from client.tui.models.cursor import moved
from client.tui.models.motion import Motion, motion_to
from client.tui.models.move_picker import MovePicker, as_if_to_move, changes
from client.tui.models.ply_browser import PlyBrowser
from client.tui.render.board_picture import rotated
from client.tui.render.marks import Marks
from engine.board import Board
from engine.errors import GameError
from engine.game import Move, State


def order(board: Board) -> Iterator[str]:
    """Yield the names of the cells in the order of reading."""
    return (cell.name for cell in board.cells())


class TableState:
    """The state of a table. Call `update` after every event of the room."""

    def __init__(self, table: RoomView) -> None:
        self.table = table
        self.browser = PlyBrowser()
        self.cursor: str | None = None
        self.touched = False  # whether the user has pointed at a cell in this turn: only then there is a preview
        self.typed = ""
        self.premove = ""
        self.turned = False  # whether the user has turned the board round
        self._ended = False
        self.hinted: tuple[str, ...] = ()
        self.suggested = ""  # the move that enter plays, unless the user points at a cell
        self._picker: MovePicker | None = None

    def update(self, table: RoomView) -> None:
        """Adapt to the new state of the room."""
        self.table = table
        state = self._pickable()
        if self._picker is not None and self._picker.state != state:
            self._picker = None
            self.hinted, self.suggested = (), ""
            self.touched = False
        if table.status == "ended" and not self._ended:  # discard what was meant for the game
            self._ended, self.typed, self.premove = True, "", ""

    def due_premove(self) -> tuple[str, str]:
        """Return the premove on our turn, or else a notice that it is not legal. Both are empty if none is due."""
        if not (self.premove and self.table.my_move and self.table.game is not None):
            return "", ""
        text, self.premove = self.premove, ""
        try:
            self.table.game.parse(self.table.state, text)
        except GameError:
            return "", f"Premove {text} is no longer legal"
        return text, ""

    # -- what is shown

    @property
    def ply(self) -> int:
        return self.browser.ply(self.table.ply)

    @property
    def playing(self) -> bool:
        """Whether keys make moves: we have a seat in a running game and look at its latest ply."""
        return self.table.seat is not None and self.table.status == "running" and self.browser.live

    @property
    def below(self) -> int:
        """The side that is shown below the board: our own, unless the user has turned the board round."""
        table = self.table
        near = None if table.game is None else table.game.near
        side = table.seat if table.seat is not None else near or 0
        return 1 - side if self.turned else side

    @property
    def flipped(self) -> bool:
        """Whether the board is drawn from the other side. Discs and marbles have no side: they never turn."""
        near = None if self.table.game is None else self.table.game.near
        return near is not None and near != self.below

    def board(self) -> Board:
        assert self.table.game is not None
        return self.table.game.draw(self.table.states[self.ply])

    def marks(self) -> Marks:
        """Return the marks on the board: the last move, the cursor, the picked cells and what they lead to."""
        game, ply = self.table.game, self.ply
        assert game is not None
        last = frozenset(changes(game.draw(self.table.states[ply - 1]), self.board())) if ply else frozenset()
        picker = self.picker()
        if picker is None:
            return Marks(last=last, decisive=self._decisive())
        move = self.aimed()
        return Marks(
            cursor=self.cursor if self.touched else None,
            picked=self._typed_path(picker) or picker.picked or self.hinted or self._premove_path(picker),
            targets=picker.targets() if picker.picked else frozenset(),
            preview={} if move is None else picker.effect(move),
            end=None if move is None else game.end_of(picker.state, move),
            last=last,
        )

    def aimed(self) -> Move | None:
        """Return the move that is previewed: the typed one, the one that the cursor completes, or the suggested one."""
        picker = self.picker()
        if picker is None:
            return None
        if self.typed:
            return picker.move_of(self.typed)
        if self.touched:
            return None if self.cursor is None else picker.aim(self.cursor)
        return picker.move_of(self.suggested)

    def motion(self) -> Motion:
        """Return the motion of the move that led to the position shown."""
        return motion_to(self.table, self.ply)

    def _decisive(self) -> frozenset[str]:
        """Return the cells that decided the game, at its end."""
        table = self.table
        if table.game is None or table.status != "ended" or self.ply != table.ply:
            return frozenset()
        return frozenset(table.game.decisive(table.state))

    def preview(self) -> str:
        """Return what the move would do that is previewed, or an empty string."""
        picker, move = self.picker(), self.aimed()
        return "" if move is None or picker is None else preview_text(picker.game, picker.state, move, self.names)

    @property
    def names(self) -> tuple[str, str] | None:
        """The names of the players for words that both read; None if only the user does."""
        return None

    def picked_text(self) -> str:
        """Return what is picked and what can be picked next, or an empty string."""
        picker = self._picker
        if picker is None or not picker.picked:
            return ""
        return picked_text(picker.game, picker.state, picker.picked, sorted(picker.targets()))

    def illegal_text(self, text: str) -> str:
        """Return a message for a typed move that is not legal now. It lists the legal moves."""
        picker = self.picker()
        return "" if picker is None else illegal_text(picker.game, picker.state, text)

    def _typed_path(self, picker: MovePicker) -> tuple[str, ...]:
        move = picker.move_of(self.typed)
        return () if move is None else picker.game.path(picker.state, move)

    def _premove_path(self, picker: MovePicker) -> tuple[str, ...]:
        """Return the cells of the premove; none if it would not be legal now."""
        if not self.premove:
            return ()
        try:
            return picker.game.path(picker.state, picker.game.parse(picker.state, self.premove))
        except GameError:
            return ()

    # -- choosing a move

    def _pickable(self) -> State | None:
        """Return the position in which moves are chosen: the current one, as if it were our turn."""
        table = self.table
        if not self.playing or table.game is None or table.seat is None:
            return None
        return as_if_to_move(table.state, table.seat)

    def picker(self) -> MovePicker | None:
        """Return the picker for the current position; None if we are not playing."""
        state = self._pickable()
        if state is None or self.table.game is None:
            return None
        if self._picker is None or self._picker.state != state:
            self._picker = MovePicker(self.table.game, state)
        return self._picker

    def starts_move(self, character: str) -> bool:
        """Return whether the text of a legal move starts with a character."""
        picker = self.picker()
        return picker is not None and any(text.startswith(character) for text in picker.texts)

    def is_move(self, text: str) -> bool:
        picker = self.picker()
        return picker is not None and text in picker.texts

    def move_cursor(self, key: str) -> None:
        """Move the cursor on the board as it is shown. It comes from the first cell where a move can start."""
        board = rotated(self.board()) if self.flipped else self.board()
        picker = self.picker()
        start = self.cursor
        if start is None and picker is not None:
            start = min(picker.targets(), default=None, key=list(order(board)).index)
        self.cursor = moved(board, start, key)
        self.touched = True

    def point(self, cell: str) -> str:
        """Point at a cell. Return the text of the move that this completes, or an empty string."""
        self.cursor, self.touched = cell, True
        picker = self.picker()
        move = None if picker is None else picker.point(cell)
        return "" if move is None or picker is None else picker.game.format(picker.state, move)

    def refusal_at(self, cell: str) -> str:
        """Return a notice if pointing at a cell leads to no move, or an empty string."""
        picker = self.picker()
        if picker is None or picker.accepts(cell):
            return ""
        return refusal_text(picker.game, picker.state, picker.picked, cell, sorted(picker.targets()))

    def hover(self, cell: str) -> None:
        """Move the cursor to the cell under the mouse."""
        self.cursor, self.touched = cell, True

    def choose(self, text: str) -> bool:
        """Choose a move. Return True if it can be sent now; otherwise it becomes the premove."""
        if self.table.my_move:
            return True
        self.premove = text
        return False

    def suggest(self, move: Move) -> str:
        """Mark a recommended move as if it were picked, and let enter play it. Return its text."""
        assert self.table.game is not None
        self.hinted, self.touched = self.table.game.path(self.table.state, move), False
        self.suggested = self.table.game.format(self.table.state, move)
        return self.suggested

    def cancel_latest(self) -> bool:
        """Cancel the typed text, else the hint, the picked cells or the premove. Return whether there was any."""
        if self.typed:
            self.typed = ""
        elif self.hinted:
            self.hinted, self.suggested = (), ""
        elif not (self._picker is not None and self._picker.clear()):
            if not self.premove:
                return self._release()
            self.premove = ""
        self.touched = False
        return True

    def _release(self) -> bool:
        """Hide the cursor and its preview. Return whether it was shown."""
        shown, self.touched = self.touched, False
        return shown

    # -- looking back

    def step(self, plies: int) -> None:
        self.browser.step(plies, self.table.ply, self.table.status == "ended")

    def go_to(self, ply: int) -> None:
        self.browser.go(ply, self.table.ply, self.table.status == "ended")


class HotseatState(TableState):
    """The state of a table at which both players use this terminal: the board does not turn with the turn."""

    @property
    def names(self) -> tuple[str, str]:
        return player_name(self.table, 0), player_name(self.table, 1)

    @property
    def below(self) -> int:
        near = None if self.table.game is None else self.table.game.near
        return 1 - (near or 0) if self.turned else near or 0
