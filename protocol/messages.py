"""Every message of the protocol, by direction.

A message is a map with a `type`; unknown fields are ignored and a field that is absent has its default, so that both
sides may learn new fields one after the other. Times are whole milliseconds: `at` since the epoch, the rest durations.
A side, and the seat that plays it, is 0 (moves first) or 1. `ply` counts the moves played so far.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, dataclass_transform, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

ErrorCode = Literal[
    # what was sent cannot be read, or comes at the wrong time
    "malformed",
    "hello_first",
    "already_welcome",
    # who you are
    "bad_name",
    "name_taken",
    "bad_token",
    "bad_session",
    "guests_refused",
    # making and entering rooms
    "unknown_game",
    "bad_options",
    "bad_clock",
    "bad_request",
    "no_room",
    "bad_code",
    "not_invited",
    "account_needed",
    "seat_taken",
    "already_seated",
    # playing
    "not_seated",
    "not_running",
    "game_over",
    "not_your_turn",
    "stale",
    "invalid_notation",
    "illegal_move",
    "no_offer",
    "too_late",
    "too_early",
    "too_long",
    # the house
    "rate_limited",
    "too_many_rooms",
    "unavailable",
    "draining",
    "internal",
]
EndReason = Literal[
    "no_moves",
    "score",
    "line",
    "repetition",
    "ply_limit",
    "resigned",
    "agreed",
    "time",
    "abandoned",
    "illegal_moves",
    "aborted",
]
Status = Literal["waiting", "running", "ended"]
Result = Literal["1-0", "0-1", "1/2-1/2", "*"]
Offer = Literal["draw", "takeback", "rematch"]
ClockKind = Literal["none", "fischer", "move", "bank"]
ExportFormat = Literal["text", "json"]

ERROR_CODES: tuple[str, ...] = get_args(ErrorCode)
END_REASONS: tuple[str, ...] = get_args(EndReason)
STATUSES: tuple[str, ...] = get_args(Status)

MOST_TIME = 30 * 24 * 3600 * 1000
Milliseconds = Annotated[int, Meta(ge=0, le=MOST_TIME)]
CommandId = Annotated[int, Meta(ge=0, le=2**53)]
SeatNumber = Annotated[int, Meta(ge=0, le=1)]
Left = tuple[int, int]  # what both clocks have left
Options = dict[str, int | str]
Names = tuple[str, str]  # of those for whom the two seats are kept


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Message(Struct, frozen=True, kw_only=True, tag_field="type", tag=snake, omit_defaults=True, gc=False):
    """What travels in one WebSocket message."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Part(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A map inside a message."""


# -- parts


class TimeControl(Part):
    """`fischer`: base and increment; `move`: per_move, anew each move; `bank`: per_move, then what is in the bank.

    No field of another kind; base, per_move and bank are 100 at least.
    """

    kind: ClockKind = "none"
    base: Milliseconds = 0
    increment: Milliseconds = 0
    per_move: Milliseconds = 0
    bank: Milliseconds = 0


class Player(Part):
    """Somebody, as everybody may see them. `account`: the name belongs to the holder of a token.

    `rating` and `provisional`: at a game that is spoken of; in a `welcome` there is none.
    """

    id: str
    name: str
    account: bool = False
    rating: int | None = None
    provisional: bool = False


class Seat(Part):
    """`rating`: of the player at this game, when they sat down; null for guests and who has none yet."""

    player: str
    name: str
    account: bool = False
    online: bool = True
    rating: int | None = None
    provisional: bool = False


class RoomInfo(Part):
    """A room as lists and the lobby show it. `paired`: it was made by `pair`; `invite`: for whom it keeps a seat.

    `met`: in a paired room that waits, the last opponent (a player's id) of who waits there, whom pairing avoids.
    """

    room: str
    game: str
    options: Options
    clock: TimeControl
    status: Status
    seats: tuple[Seat | None, Seat | None]
    created_at: int
    ply: int = 0
    private: bool = False
    paired: bool = False
    invite: str = ""
    rated: bool = False
    delay: int = 0
    illegal: int = 0
    players: Names | None = None
    arbiter: str = ""
    result: Result = "*"
    reason: EndReason | None = None
    ended_at: int | None = None
    met: str = ""
    watchers: int = 0


def watched(info: RoomInfo, watchers: int) -> RoomInfo:
    return replace(info, watchers=watchers)


def advanced(info: RoomInfo, ply: int) -> RoomInfo:
    return replace(info, ply=ply)


class RatingChange(Part):
    """What a rated game did to one of its players. `provisional`: the rating is still far from certain."""

    before: int
    after: int
    deviation: int
    provisional: bool = False


class Leader(Part):
    """A line of a leaderboard."""

    name: str
    rating: int
    deviation: int
    games: int
    at: int
    provisional: bool = False


class RatedGame(Part):
    """What a player's rating was after a game; `games`: how many there were by then."""

    room: str
    rating: int
    deviation: int
    games: int
    at: int


class BotInfo(Part):
    """A bot that is here and comes when it is invited by its name. `house`: it is one of the server's own."""

    name: str
    plays: tuple[str, ...]
    account: bool = False
    house: bool = False


class PlayedMove(Part):
    """`took` is the time between the turn's start and the move; `charged` is what the clock lost after lag credit."""

    ply: int
    side: int
    move: str
    took: int
    charged: int
    left: Left | None = None
    note: str = ""


class Offers(Part):
    """The seat that offered, where an offer stands."""

    draw: int | None = None
    takeback: int | None = None
    rematch: int | None = None


class Limits(Part):
    """What the server accepts."""

    message_bytes: int
    messages_per_second: float
    burst: int
    rooms: int
    name_length: int
    text_length: int
    note_length: int


class OptionInfo(Part):
    name: str
    default: int | str
    help: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()


class GameInfo(Part):
    name: str
    title: str
    sides: tuple[str, str]
    options: tuple[OptionInfo, ...]
    move_form: str
    position_form: str


# -- from the client: each is answered with `ok` or `error` under its id, `hello` with `welcome` or `error`


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


# -- events: what happens in a room, in the order of seq; the log of a room is the list of its events


class Event(Message):
    room: str
    seq: int
    at: int


class Created(Event):
    """The first event of every room. It stays in the log: a snapshot is what others see of it."""

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
    expiry: int = 1_800_000  # how long the room may wait for its start
    previous: str = ""
    met: str = ""


class Seated(Event):
    seat: int
    player: str
    name: str
    account: bool = False
    rating: int | None = None
    provisional: bool = False


class Unseated(Event):
    seat: int


class Started(Event):
    position: str
    turn: int
    left: Left | None = None


class Moved(Event):
    """`left`: both clocks after the move; `turn`: who moves next, which need not be the other side."""

    ply: int
    side: int
    move: str
    position: str
    turn: int
    took: int
    charged: int
    left: Left | None = None
    note: str = ""


class Fouled(Event):
    """An illegal move where those are counted."""

    seat: int
    move: str
    fouls: int


class DrawOffered(Event):
    seat: int


class TakebackOffered(Event):
    """`ply`: where the game would go on from."""

    seat: int
    ply: int


class RematchOffered(Event):
    seat: int


class Declined(Event):
    seat: int
    offer: Offer


class TakenBack(Event):
    ply: int
    position: str
    turn: int
    left: Left | None = None


class Ended(Event):
    """`winner` null: nobody. A result of * says that the game does not count. `ratings`: of both seats, if rated."""

    result: Result
    reason: EndReason
    winner: int | None = None
    scores: tuple[int, int] | None = None
    ratings: tuple[RatingChange, RatingChange] | None = None


class Rematched(Event):
    """The players go on in the room `next`: for a rematch, or because pairing has found an opponent there."""

    next: str


class Said(Event):
    """`seat` null: a watcher."""

    name: str
    text: str
    seat: int | None = None


class Presence(Event):
    """`claim_at`: from when the other seat may claim the game, unless this one is back."""

    seat: int
    online: bool
    claim_at: int | None = None


class Resumed(Event):
    """The server was away; the running clock gets `credit` back. Both seats are away until their `presence`."""

    credit: int


AnyEvent = (
    Created | Seated | Unseated | Started | Moved | Fouled | DrawOffered | TakebackOffered | RematchOffered
    | Declined | TakenBack | Ended | Rematched | Said | Presence | Resumed
)  # fmt: skip


# -- from the server, beside the events


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
    left: Left | None
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


PublicEvent = (
    Seated | Unseated | Started | Moved | Fouled | DrawOffered | TakebackOffered | RematchOffered
    | Declined | TakenBack | Ended | Rematched | Said | Presence | Resumed
)  # fmt: skip
AnyReply = Snapshot | Welcome | Ok | Error | LobbyUpdate | Invited | Closing
ServerMessage = PublicEvent | AnyReply
