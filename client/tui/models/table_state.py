"""One person at one table, without a screen: what is looked at, pointed at, typed, and choose_opening in advance."""

from __future__ import annotations

from client.sdk.room_view import RoomView
from client.tui.models.cursor import moved
from client.tui.models.move_picker import MovePicker, as_if_to_move, changes
from client.tui.models.ply_browser import PlyBrowser
from client.tui.render.picture import Marks, rotated
from engine.board import Board
from engine.errors import GameError
from engine.game import Move, State


class TableState:
    """`table` is the room as it is now; `fresh` has to be called whenever something has happened in it."""

    def __init__(self, table: RoomView) -> None:
        self.table = table
        self.browser = PlyBrowser()
        self.cursor: str | None = None
        self.typed = ""
        self.premove = ""
        self.flipped = False
        self._over = False
        self.hinted: tuple[str, ...] = ()
        self._picking: MovePicker | None = None

    def fresh(self, table: RoomView) -> None:
        """Take note of what has happened."""
        self.table = table
        state = self._pickable()
        if self._picking is not None and self._picking.state != state:
            self._picking = None
            self.hinted = ()
        if table.status == "ended" and not self._over:  # what was begun for the game
            self._over, self.typed, self.premove = True, "", ""

    def due_premove(self) -> tuple[str, str]:
        """When our turn has come: the move to be sent, or else what is wrong with it."""
        if not (self.premove and self.table.my_move and self.table.game is not None):
            return "", ""
        text, self.premove = self.premove, ""
        try:
            self.table.game.parse(self.table.state, text)
        except GameError:
            return "", f"{text}, chosen in advance, cannot be played now"
        return text, ""

    # -- what is shown

    @property
    def ply(self) -> int:
        return self.browser.ply(self.table.ply)

    @property
    def playing(self) -> bool:
        """Whether keys are for moves: we have a seat in a game that goes on, and look at its newest move."""
        return self.table.seat is not None and self.table.status == "running" and self.browser.live

    def board(self) -> Board:
        assert self.table.game is not None
        return self.table.game.draw(self.table.states[self.ply])

    def marks(self) -> Marks:
        game, ply = self.table.game, self.ply
        assert game is not None
        last = frozenset(changes(game.draw(self.table.states[ply - 1]), self.board())) if ply else frozenset()
        picking = self.picking()
        if picking is None:
            return Marks(last=last)
        picked = picking.picked or self.hinted or self._planned(picking)
        preview = picking.preview(self.cursor) if self.cursor is not None else {}
        return Marks(
            cursor=self.cursor,
            picked=picked,
            targets=picking.targets() if picking.picked else frozenset(),
            preview=preview,
            end=picking.end_of(self.cursor) if preview and self.cursor is not None else None,
            last=last,
        )

    def _planned(self, picking: MovePicker) -> tuple[str, ...]:
        """The cells of the move in advance; none if it could not even be made now."""
        if not self.premove:
            return ()
        try:
            return picking.game.path(picking.state, picking.game.parse(picking.state, self.premove))
        except GameError:
            return ()

    # -- pointing

    def _pickable(self) -> State | None:
        """The position that moves are chosen in: now, or as if it were our turn."""
        table = self.table
        if not self.playing or table.game is None or table.seat is None:
            return None
        return as_if_to_move(table.state, table.seat)

    def picking(self) -> MovePicker | None:
        state = self._pickable()
        if state is None or self.table.game is None:
            return None
        if self._picking is None or self._picking.state != state:
            self._picking = MovePicker(self.table.game, state)
        return self._picking

    def begins(self, character: str) -> bool:
        """Whether a move that we could choose begins with this character."""
        picking = self.picking()
        return picking is not None and any(text.startswith(character) for text in picking.texts)

    def writes(self, text: str) -> bool:
        picking = self.picking()
        return picking is not None and text in picking.texts

    def arrow(self, key: str) -> None:
        board = self.board()
        self.cursor = moved(rotated(board) if self.flipped else board, self.cursor, key)

    def point(self, cell: str) -> str:
        """A cell is chosen; the text of the move that is complete with it."""
        self.cursor = cell
        picking = self.picking()
        move = None if picking is None else picking.point(cell)
        return "" if move is None or picking is None else picking.game.format(picking.state, move)

    def refusal_at(self, cell: str) -> str:
        """That pointing at a cell leads to no move; nothing if it does lead to one."""
        picking = self.picking()
        if picking is None or picking.leads(cell):
            return ""
        return f"no move goes from {picking.picked[-1]} to {cell}" if picking.picked else f"no move begins at {cell}"

    def want(self, text: str) -> bool:
        """A move was chosen: True if it can be sent now; otherwise it waits for its turn."""
        if self.table.my_move:
            return True
        self.premove = text
        return False

    def hint(self, move: Move) -> str:
        """Show a move that somebody recommends, as if it were picked; its text."""
        assert self.table.game is not None
        self.hinted = self.table.game.path(self.table.state, move)
        return self.table.game.format(self.table.state, move)

    def cancel_latest(self) -> bool:
        """Forget whatever was begun, the latest first; whether there was anything."""
        if self.typed:
            self.typed = ""
        elif self.hinted:
            self.hinted = ()
        elif not (self._picking is not None and self._picking.drop()):
            if not self.premove:
                return False
            self.premove = ""
        return True

    # -- looking back

    def step(self, plies: int) -> None:
        self.browser.step(plies, self.table.ply, self.table.status == "ended")

    def go_to(self, ply: int) -> None:
        self.browser.go(ply, self.table.ply, self.table.status == "ended")
