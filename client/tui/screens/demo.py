"""The table of two bots that the user has started to watch them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from client.tui.models.client import Client
from client.tui.render.bars import Keys
from client.tui.screens.table import TableScreen

NEXT_GAME = Keys("m", "next game")


class DemoClient(Client, Protocol):
    """The application that runs the bots."""

    def next_game(self) -> None:
        """Start another game, with sides changed."""


class DemoScreen(TableScreen):
    """One game of two bots. After its end, a key starts the next one."""

    has_reviewer = False

    def change_room(self, room: str) -> None:
        """Show the next game."""
        self._change_room(room)
        self.refresh_view()

    @property
    def _may_rematch(self) -> bool:
        return self.table is not None and self.table.status == "ended"

    def _result_keys(self) -> tuple[Keys, ...]:
        return tuple(NEXT_GAME if key.key == NEXT_GAME.key else key for key in super()._result_keys())

    def _keys(self) -> Sequence[Keys]:
        return [NEXT_GAME if key.key == NEXT_GAME.key else key for key in super()._keys()]

    def do_rematch(self) -> None:
        if self._may_rematch:
            cast(DemoClient, self.app).next_game()
        else:
            self.show_notice("The next game can start when this one is over.")
