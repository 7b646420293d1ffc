"""Events: what happens in a room, ordered by `seq`. The log of a room is the list of its events."""

from __future__ import annotations

from protocol.types import (
    BoardCells,
    Cells,
    EndReason,
    LegalMove,
    Message,
    Names,
    Offer,
    Options,
    Ply,
    RatingChange,
    Result,
    SeatNumber,
    TimeControl,
    TimesLeft,
)


class Event(Message):
    """A change of a room. `seq` counts the events of the room from 1; `at` is the time of the event."""

    room: str
    seq: int
    at: int


class BoardEvent(Event, kw_only=True):
    """An event that sets the position. These fields are added for clients that want them, and never stored.

    `board`: the new board. `changed`: the cells that differ from the board before. `last`: the path of the last move
    that stands, and the cell where it ended. `legal`: the legal moves, only for the player to move.
    """

    board: BoardCells | None = None
    changed: Cells = ()
    last: Cells = ()
    legal: tuple[LegalMove, ...] | None = None


class Created(Event):
    """The first event of every room. It is stored but never sent: clients see its contents in snapshots.

    `invited_ids`: the players who had the names in `players` or `invite` when the room was created, "" for none.
    """

    game: str
    options: Options
    clock: TimeControl
    by: str
    private: bool = False
    code: str = ""
    invite: str = ""
    rated: bool = False
    paired: bool = False
    delay: int = 0
    illegal: int = 0
    players: Names | None = None
    arbiter: str = ""
    expiry: int = 1_800_000  # milliseconds after which the room is closed if the game has not started
    previous: str = ""
    met: str = ""
    code_hash: str = ""  # stored instead of `code`: salt and hash
    invited_ids: tuple[str, ...] = ()


class Seated(Event):
    """A player has taken a seat. `rating` and `provisional`: the player's rating in this game at that time.

    `bot`, `engine`, `version`: as in `hello`.
    """

    seat: SeatNumber
    player: str
    name: str
    account: bool = False
    rating: int | None = None
    provisional: bool = False
    bot: bool = False
    engine: str = ""
    version: str = ""


class Unseated(Event):
    """A player has given a seat back before the start."""

    seat: SeatNumber


class Started(BoardEvent):
    """The game has started. `turn`: the side to move; `left`: both clocks."""

    position: str
    turn: SeatNumber
    left: TimesLeft | None = None


class Moved(BoardEvent):
    """A move was played. `left`: both clocks after the move. `turn`: the side to move next, which may be the same side.

    `took`: the time the move took; `charged`: the time taken off the clock.
    """

    ply: Ply
    side: SeatNumber
    move: str
    position: str
    turn: SeatNumber
    took: int
    charged: int
    left: TimesLeft | None = None
    note: str = ""


class Fouled(Event):
    """A player has tried an illegal move in a room that counts them. `fouls`: how many so far."""

    seat: SeatNumber
    move: str
    fouls: int


class DrawOffered(Event):
    """A player has offered a draw."""

    seat: SeatNumber


class TakebackOffered(Event):
    """A player has asked to take a move back. `ply`: the ply at which the game would continue."""

    seat: SeatNumber
    ply: Ply


class RematchOffered(Event):
    """A player has offered a rematch."""

    seat: SeatNumber


class Declined(Event):
    """A player has declined an offer."""

    seat: SeatNumber
    offer: Offer


class TakenBack(BoardEvent):
    """Moves were taken back. The game continues at `ply`."""

    ply: Ply
    position: str
    turn: SeatNumber
    left: TimesLeft | None = None


class Ended(Event):
    """The game has ended. `winner` null: no winner. `result` `*`: the game does not count.

    `ratings`: the changes of both seats' ratings, if the game was rated. `decisive`: the cells that decided the game,
    if it ended by its rules. `seat`: the player who aborted the game.
    """

    result: Result
    reason: EndReason
    winner: SeatNumber | None = None
    scores: tuple[int, int] | None = None
    ratings: tuple[RatingChange, RatingChange] | None = None
    decisive: Cells = ()
    seat: SeatNumber | None = None


class Rematched(Event):
    """The players continue in the room `next`: for a rematch, or because pairing found an opponent there."""

    next: str


class Said(Event):
    """A chat line. `seat` null: from a watcher."""

    name: str
    text: str
    seat: SeatNumber | None = None


class Presence(Event):
    """A player has connected or disconnected. `claim_at`: the time from which the opponent may claim the game."""

    seat: SeatNumber
    online: bool
    claim_at: int | None = None


class Resumed(Event):
    """The server could not work for a while, or has restarted. The running clock is credited with `credit`.

    `delay`: also credited, but not seen by the player to move, who was told of the turn after it, or got a snapshot
    since then. `turn_at`: the turn begins again at this time, because the downtime is not known: the server's clock was
    set back. `outage`: the server kept its connections. Otherwise both players are away until `presence`.
    """

    credit: int
    turn_at: int | None = None
    delay: int = 0
    outage: bool = False


AnyEvent = (
    Created | Seated | Unseated | Started | Moved | Fouled | DrawOffered | TakebackOffered | RematchOffered
    | Declined | TakenBack | Ended | Rematched | Said | Presence | Resumed
)  # fmt: skip

PublicEvent = (
    Seated | Unseated | Started | Moved | Fouled | DrawOffered | TakebackOffered | RematchOffered
    | Declined | TakenBack | Ended | Rematched | Said | Presence | Resumed
)  # fmt: skip
