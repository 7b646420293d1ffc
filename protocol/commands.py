"""Commands: messages from a client. The server answers each with `ok`, `welcome` or `error`."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from protocol.types import (
    CommandId,
    ExportFormat,
    Message,
    Milliseconds,
    Names,
    Options,
    SeatNumber,
    Status,
    TimeControl,
)


class Command(Message):
    id: CommandId


class RoomCommand(Command):
    room: str


class Hello(Command):
    """The first message. A token gives the name it belongs to; `resume` is the session of an earlier `welcome`.

    `plays`: the games a bot is ready to play when it is invited; it is shown in the lobby then.
    """

    name: str = ""
    token: str = ""
    resume: str = ""
    client: str = ""
    plays: tuple[str, ...] = ()


class List(Command):
    game: str = ""
    status: Status | None = None


class Lobby(Command):
    on: bool


class Create(Command):
    """`seat` null draws lots; `illegal` n loses after n illegal moves, 0 refuses them; `delay` plies for watchers.

    `players`: the seats are for these two; whoever makes the room is its arbiter, watches, and may abort it.
    """

    game: str
    options: Options = {}
    clock: TimeControl = TimeControl()
    seat: SeatNumber | None = None
    private: bool = False
    invite: str = ""
    rated: bool = False
    delay: Annotated[int, Meta(ge=0, le=100)] = 0
    illegal: Annotated[int, Meta(ge=0, le=100)] = 0
    players: Names | None = None


class Pair(Command):
    """Play whoever looks for a game with these very settings and is near in rating, or make a room and wait there.

    The wait ends with the connection. `bot_after`: then a bot of the house may come, too.
    """

    game: str
    options: Options = {}
    clock: TimeControl = TimeControl()
    rated: bool = False
    bot_after: Milliseconds | None = None


class Join(RoomCommand):
    """`seat` null takes a free one; in a room made with `players` everybody gets their own."""

    seat: SeatNumber | None = None
    code: str = ""


class Watch(RoomCommand):
    """With `after`, only the events behind that seq are sent; without, or if there is none yet, a snapshot."""

    after: Annotated[int, Meta(ge=0)] = 0
    code: str = ""


class Leave(RoomCommand):
    pass


class Move(RoomCommand):
    """`ply` is the number of moves the sender knows of: the ply of the position that this move answers.

    A note is made of printable characters.
    """

    ply: Annotated[int, Meta(ge=0)]
    move: str
    note: str = ""


class Resign(RoomCommand):
    pass


class OfferDraw(RoomCommand):
    pass


class AnswerDraw(RoomCommand):
    accept: bool


class Claim(RoomCommand):
    """Win against an opponent who has been gone for longer than the grace."""


class Abort(RoomCommand):
    pass


class Rematch(RoomCommand):
    """Offer another game with the seats swapped, or agree to one; `accept` false declines."""

    accept: bool = True


class Takeback(RoomCommand):
    """Ask to take one's last move back, or agree to it; `accept` false declines.

    `ply` is where the game would go on. Who names it asks for that, or agrees to that, and to nothing else.
    """

    accept: bool = True
    ply: Annotated[int, Meta(ge=0)] | None = None


class Say(RoomCommand):
    """A line of printable characters."""

    text: str


class History(Command):
    """Finished games, the latest first; `before` is the `before` of the last answer."""

    game: str = ""
    player: str = ""
    before: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 50


class Leaderboard(Command):
    """The best at a game with these options; who is provisional comes behind the others."""

    game: str
    options: Options = {}
    limit: Annotated[int, Meta(ge=1, le=100)] = 20


class Ratings(Command):
    """A player's ratings at a game with these options, the latest first; `before` as in `history`."""

    player: str
    game: str
    options: Options = {}
    before: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 50


class Export(RoomCommand):
    format: ExportFormat = "text"


AnyCommand = (
    Hello | List | Lobby | Create | Pair | Join | Watch | Leave | Move | Resign | OfferDraw | AnswerDraw
    | Claim | Abort | Rematch | Takeback | Say | History | Leaderboard | Ratings | Export
)  # fmt: skip
