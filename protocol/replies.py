"""Replies: messages from the server other than events."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from protocol.events import PublicEvent, Said
from protocol.types import (
    BotInfo,
    EndReason,
    ErrorCode,
    GameInfo,
    Leader,
    Limits,
    Message,
    Names,
    Offers,
    Options,
    PlayedMove,
    Player,
    RatedGame,
    RatingChange,
    Result,
    RoomInfo,
    Seat,
    Status,
    TimeControl,
    TimesLeft,
)


class Snapshot(Message):
    """A whole room as its receiver may see it: enough to play on without having seen anything before.

    `running`: whose clock runs; `elapsed`: since the turn began, what of a move's own time is gone (both only with a
    clock); `left`: beside that time; `code`: for players; `claim_at`: from when each seat may claim against the other.
    """

    room: str
    seq: int
    at: int
    game: str
    options: Options
    sides: tuple[str, str]
    clock: TimeControl
    status: Status
    seats: tuple[Seat | None, Seat | None]
    start: str
    position: str
    ply: int
    turn: int
    moves: tuple[PlayedMove, ...]
    left: TimesLeft | None
    running: int | None
    your_seat: int | None
    your_move: bool
    offers: Offers
    created_at: int
    started_at: int | None = None
    elapsed: int = 0
    private: bool = False
    code: str = ""
    invite: str = ""
    rated: bool = False
    delay: int = 0
    illegal: int = 0
    players: Names | None = None
    arbiter: str = ""
    fouls: tuple[int, int] = (0, 0)
    claim_at: tuple[int | None, int | None] = (None, None)
    chat: tuple[Said, ...] = ()
    result: Result = "*"
    reason: EndReason | None = None
    winner: int | None = None
    scores: tuple[int, int] | None = None
    ratings: tuple[RatingChange, RatingChange] | None = None
    next: str = ""
    previous: str = ""


class Welcome(Message):
    """`session` is a secret: whoever has it is you. `rooms`: where you sit; a snapshot of each follows."""

    id: int
    you: Player
    session: str
    server: str
    limits: Limits
    games: tuple[GameInfo, ...]
    rooms: tuple[str, ...] = ()


class Ok(Message):
    """Which fields are there depends on the command that is answered; `seq`: of the latest event that you may see."""

    id: int
    room: str = ""
    seq: int = 0
    seat: int | None = None
    code: str = ""
    rooms: tuple[RoomInfo, ...] | None = None
    leaders: tuple[Leader, ...] | None = None
    ratings: tuple[RatedGame, ...] | None = None
    before: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    text: str = ""


class Error(Message):
    """`id` is null when the message was so broken that none could be found."""

    id: int | None
    code: ErrorCode
    text: str
    retry_after: float | None = None
    snapshot: Snapshot | None = None


class LobbyUpdate(Message, tag="lobby"):
    """`full`: all open rooms; otherwise those that changed, ended ones included. `bots`: all, if any has changed.

    `plies`: of games that have gone on, by their rooms; told together, about once a second.
    """

    rooms: tuple[RoomInfo, ...]
    full: bool = False
    bots: tuple[BotInfo, ...] | None = None
    plies: dict[str, int] = {}


class Invited(Message):
    """A room waits for you by name. Who does not want to play need not answer."""

    by: str
    room: RoomInfo


class Closing(Message):
    """The server is about to restart, and closes with 1012; come back after so many seconds."""

    text: str
    retry_after: float


AnyReply = Snapshot | Welcome | Ok | Error | LobbyUpdate | Invited | Closing
ServerMessage = PublicEvent | AnyReply
