"""The interface of the application that its screens and dialogs use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from client.presentation.launch_plan import GameRequest
from client.sdk.room_view import RoomView
from client.tui.render.appearance import Appearance
from protocol.commands import Command, Leave
from protocol.replies import Ok
from protocol.types import BotInfo


class Client(Protocol):
    """What screens and dialogs use of the application: one session with a server, and the stack of screens."""

    appearance: Appearance
    connection: str  # what is wrong with the connection; empty if it works
    invitation: str  # the latest invitation, for the lobby; empty if there was none
    bots: tuple[BotInfo, ...] | None  # the bots in the lobby; None until the server has listed them

    @property
    def player(self) -> str:
        """The name of the user on the server; empty until the session is open."""

    @property
    def place(self) -> str:
        """The host of the server."""

    @property
    def bots_only(self) -> bool:
        """Whether all opponents are bots, as on a private server."""

    @property
    def keeps_games(self) -> bool:
        """Whether unfinished games can be resumed later."""

    @property
    def is_first_screen(self) -> bool:
        """Whether leaving this screen ends the program."""

    @property
    def animates(self) -> bool:
        """Whether to animate moves now."""

    def next_id(self) -> int:
        """Return an unused command id."""

    def table(self, room: str) -> RoomView | None:
        """Return the current state of a room, if the server has sent it."""

    def is_bot(self, name: str) -> bool:
        """Return whether a player of this name is a bot."""

    def lag(self) -> str:
        """Return a warning if the server answers slowly, otherwise an empty string."""

    def send(
        self,
        command: Command,
        then: Callable[[Ok], None] | None = None,
        failed: Callable[[str], None] | None = None,
    ) -> None:
        """Send a command. Call `then` with the reply. Call `failed` with an error, or show it on the screen."""

    def follow(self, room: str, refused: Callable[[str, str], None] | None = None) -> None:
        """Watch a room that a part of the screen shows. Call `refused` with the room and the reason if that fails."""

    def unfollow(self, room: str) -> None:
        """Leave a watched room, unless a screen still shows it."""

    def start_game(self, request: GameRequest) -> None:
        """Create a room, or look for an opponent, and open its table."""

    def join(self, room: str) -> None:
        """Take a seat in a room and open its table."""

    def open_table(self, room: str) -> None:
        """Show the table of a room."""

    def watch_rooms(self, rooms: tuple[str, ...]) -> None:
        """Show one room as a table, several on the TV."""

    def watch_live(self, game: str = "") -> None:
        """Show the TV that follows live games."""

    def leave_table(self, room: str) -> None:
        """Close the table of a room, and leave the room if it is shown nowhere else."""

    def leave_screen(self, last_command: Leave | None = None) -> None:
        """Return to the previous screen; exit if there is none. Send `last_command` before."""

    def cycle_theme(self) -> None:
        """Switch to the next theme."""
