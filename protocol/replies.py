"""Replies: messages from the server other than events."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from protocol.events import PublicEvent, Said
from protocol.types import (
    BoardCells,
    BotInfo,
    Cells,
    Count,
    EndReason,
    ErrorCode,
    GameInfo,
    Layout,
    Leader,
    LegalMove,
    Limits,
    Message,
    Names,
    Offers,
    Options,
    PlayedMove,
    Player,
    Ply,
    PuzzleInfo,
    RatedGame,
    RatingChange,
    Result,
    ReviewedMove,
    ReviewState,
    ReviewSummary,
    RoomInfo,
    Seat,
    SeatNumber,
    Seconds,
    Status,
    TimeControl,
    TimesLeft,
    TournamentInfo,
    TournamentReport,
)


class Snapshot(Message):
    """The complete state of a room as the receiver may see it.

    `running`: the side whose clock runs. `left`: both clocks now, without the time per move. `elapsed`: how long the
    turn has lasted (only with a clock). `code`: only for players. `claim_at`: the times from which each seat may claim
    the game against the other. `decisive`: as in `ended`. `layout`, `board` and `last`: for clients that want `board`.
    `legal`: the legal moves, if the client wants `legal` and its player is to move.
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
    ply: Ply
    turn: SeatNumber
    moves: tuple[PlayedMove, ...]
    left: TimesLeft | None
    running: SeatNumber | None
    your_seat: SeatNumber | None
    your_move: bool
    offers: Offers
    created_at: int
    started_at: int | None = None
    ended_at: int | None = None
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
    winner: SeatNumber | None = None
    scores: tuple[int, int] | None = None
    ratings: tuple[RatingChange, RatingChange] | None = None
    next: str = ""
    previous: str = ""
    layout: Layout | None = None
    board: BoardCells | None = None
    last: Cells = ()
    legal: tuple[LegalMove, ...] | None = None
    decisive: Cells = ()


class Welcome(Message):
    """The reply to `hello`. `session` is a secret that resumes this session: keep it private.

    `rooms`: the open rooms in which you have a seat; a snapshot of each follows.
    """

    id: int
    you: Player
    session: str
    server: str
    limits: Limits
    games: tuple[GameInfo, ...]
    rooms: tuple[str, ...] = ()


class Ok(Message):
    """A command was accepted. The fields depend on the command. `seq`: the room's latest event that you may see.

    `boards`: the boards from the ply asked for; `lasts`: for each of them, the `last` of the move before it. `legal`:
    the legal moves at that ply. `levels`: of the puzzles of a game, by number.
    """

    id: int
    room: str = ""
    seq: int = 0
    seat: SeatNumber | None = None
    code: str = ""
    rooms: tuple[RoomInfo, ...] | None = None
    leaders: tuple[Leader, ...] | None = None
    ratings: tuple[RatedGame, ...] | None = None
    before: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    text: str = ""
    boards: tuple[BoardCells, ...] | None = None
    lasts: tuple[Cells, ...] | None = None
    tournaments: tuple[TournamentInfo, ...] | None = None
    legal: tuple[LegalMove, ...] | None = None
    puzzle: PuzzleInfo | None = None
    levels: tuple[int, ...] | None = None


class Error(Message):
    """A command was refused. `id` is null if the message was too broken to find its id.

    `retry_after`: seconds. `snapshot`: the room, if the client's view of it is out of date.
    """

    id: int | None
    code: ErrorCode
    text: str
    retry_after: Seconds | None = None
    snapshot: Snapshot | None = None


class LobbyUpdate(Message, tag="lobby"):
    """Changes in the lobby. `full`: `rooms` has all open rooms; otherwise the changed ones, including ended ones.

    `bots`: all bots, if any has changed. `plies`: room -> ply of games that have advanced, about once a second.
    """

    rooms: tuple[RoomInfo, ...]
    full: bool = False
    bots: tuple[BotInfo, ...] | None = None
    plies: dict[str, int] = {}


class Invited(Message):
    """A room keeps a seat for you. No answer is needed if you do not want to play."""

    by: str
    room: RoomInfo


class TournamentUpdate(Message):
    """The latest report on the tournament that you watch, about once a second while it changes.

    `by`: the name of its arbiter. `age`: milliseconds since the report. All texts are the arbiter's.
    """

    name: str
    by: str
    age: Count
    report: TournamentReport


class ReviewUpdate(Message):
    """How far the review of a game is, for clients that have asked for it or are in the room.

    `ahead`: how many games waited before this one when you asked. `done` and `total`: moves. `why`: why the review has
    failed. With the state `done`, `moves` has every move of the game, and `summary` is present.
    """

    room: str
    state: ReviewState
    ahead: Count = 0
    done: Count = 0
    total: Count = 0
    why: str = ""
    summary: ReviewSummary | None = None
    moves: tuple[ReviewedMove, ...] = ()


class ReviewTask(Message):
    """A game to review, for a client that has sent `take_review`. `record`: the game as a text."""

    room: str
    record: str


class Closing(Message):
    """The server is about to restart and closes with code 1012. Reconnect after `retry_after` seconds."""

    text: str
    retry_after: Seconds


AnyReply = (
    Snapshot | Welcome | Ok | Error | LobbyUpdate | Invited | TournamentUpdate | ReviewUpdate | ReviewTask | Closing
)  # fmt: skip
ServerMessage = PublicEvent | AnyReply
