"""Vocabularies, base classes and parts of the messages.

A message is a map with a `type`. Unknown fields are ignored and an absent field has its default, so clients and servers
can be updated independently. Times are whole milliseconds: `at` since the epoch, all others are durations. A side, and
the seat that plays it, is 0 (moves first) or 1. `ply` counts the moves played so far.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, dataclass_transform, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace as replace

ErrorCode = Literal[
    # unreadable, or sent at the wrong time
    "malformed",
    "hello_first",
    "already_welcome",
    # identity
    "bad_name",
    "name_taken",
    "bad_token",
    "bad_session",
    "guests_refused",
    # creating and joining rooms
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
    # reviews
    "no_reviewer",
    "queue_full",
    # the server
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
Wish = Literal["board", "legal", "preview"]  # what a client can ask for in `hello`
ClockKind = Literal["none", "fischer", "move", "bank"]
ExportFormat = Literal["text", "json"]
LadderState = Literal["", "anchor", "away", "retired"]
ReviewState = Literal["queued", "running", "done", "failed"]
Judgement = Literal["best", "only move", "fine", "inaccuracy", "mistake", "blunder", "missed win"]

ERROR_CODES: tuple[str, ...] = get_args(ErrorCode)
END_REASONS: tuple[str, ...] = get_args(EndReason)
WISHES: frozenset[str] = frozenset(get_args(Wish))

MIN_TIME_MS = 100  # a shorter base time or time per move cannot be played over a network
MAX_PROGRAM_CHARS = 40  # of the engine and of the version of a bot
MAX_TIME_MS = 30 * 24 * 3600 * 1000
Milliseconds = Annotated[int, Meta(ge=0, le=MAX_TIME_MS)]
CommandId = Annotated[int, Meta(ge=0, le=2**53)]
SeatNumber = Annotated[int, Meta(ge=0, le=1)]
Ply = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(ge=0, le=1e6)]
TimesLeft = tuple[int, int]  # milliseconds left on both clocks
Options = dict[str, int | str]
Count = Annotated[int, Meta(ge=0, le=2**53)]
ShownInteger = Annotated[int, Meta(ge=-(2**53), le=2**53)]  # exact in JavaScript
Elo = Annotated[int, Meta(ge=-100_000, le=100_000)]
Amount = Annotated[float, Meta(ge=-1e9, le=1e9)]  # finite
Chance = Annotated[float, Meta(ge=0, le=1)]
Percent = Annotated[float, Meta(ge=0, le=100)]
Names = tuple[str, str]  # of the players for whom the two seats are kept
Cells = tuple[str, ...]  # names of cells
BoardCells = tuple[tuple[int | None, int], ...]  # owner and count of each cell, row by row from the top, without gaps


def to_snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Message(Struct, frozen=True, kw_only=True, tag_field="type", tag=to_snake_case, omit_defaults=True, gc=False):
    """One WebSocket message."""


def tag_of(kind: type[Message]) -> str:
    """Return the `type` of a message, as it is sent."""
    return str(kind.__struct_config__.tag)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Part(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A map inside a message."""


# -- parts


class TimeControl(Part):
    """`fischer`: `base` and `increment`. `move`: `per_move` for each move. `bank`: `per_move`, then time of the `bank`.

    Fields of other kinds must be absent. `base`, `per_move` and `bank` are at least 100.
    """

    kind: ClockKind = "none"
    base: Milliseconds = 0
    increment: Milliseconds = 0
    per_move: Milliseconds = 0
    bank: Milliseconds = 0


class Player(Part):
    """A player as others see them. `account`: the name belongs to an account.

    `rating` and `provisional`: in the game in question; absent in `welcome`. `bot`, `engine`, `version`: as in `hello`.
    """

    id: str
    name: str
    account: bool = False
    rating: int | None = None
    provisional: bool = False
    bot: bool = False
    engine: str = ""
    version: str = ""


class Seat(Part):
    """A player in a seat. `rating`: in this game when the player took the seat; null for guests and unrated players.

    `bot`: a program plays here; `engine` and `version` say which, if it told the server.
    """

    player: str
    name: str
    account: bool = False
    online: bool = True
    rating: int | None = None
    provisional: bool = False
    bot: bool = False
    engine: str = ""
    version: str = ""


class RoomInfo(Part):
    """A room as lists and the lobby show it. `paired`: created by `pair`. `invite`: the name a seat is kept for.

    `met`: in a paired room that waits, the id of the waiting player's last opponent, whom pairing avoids.
    """

    room: str
    game: str
    options: Options
    clock: TimeControl
    status: Status
    seats: tuple[Seat | None, Seat | None]
    created_at: int
    ply: Ply = 0
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


def with_watchers(info: RoomInfo, watchers: int) -> RoomInfo:
    """Return the info with another number of watchers."""
    return replace(info, watchers=watchers)


def with_ply(info: RoomInfo, ply: int) -> RoomInfo:
    """Return the info with another ply."""
    return replace(info, ply=ply)


class RatingChange(Part):
    """A player's rating before and after a rated game. `provisional`: the rating is still uncertain."""

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
    """A player's rating after a game. `games`: the number of rated games until then."""

    room: str
    rating: int
    deviation: int
    games: int
    at: int


class BotInfo(Part):
    """A connected bot that can be invited by name. `house`: it is a house bot, started by the server's operator.

    `engine`, `version`, `concurrent` and `ladder`: as in `hello`.
    """

    name: str
    plays: tuple[str, ...]
    account: bool = False
    house: bool = False
    engine: str = ""
    version: str = ""
    concurrent: int = 0
    ladder: bool = False


class PlayedMove(Part):
    """A move. `took`: time from the start of the turn. `charged`: time taken off the clock, after lag credit."""

    ply: Ply
    side: SeatNumber
    move: str
    took: int
    charged: int
    left: TimesLeft | None = None
    note: str = ""


class Layout(Part):
    """How to draw the board of a room: the same for all positions of the game.

    `kind`: how cells look; `stacks`, `pits`, `discs` and `marbles` so far. `rows`: the cell names, from the top; null
    stands for a gap. `files` and `ranks`: the labels of columns and rows. `marks` and `colours`: a letter and the name
    of a colour per side. `counted`: the number of pieces in a cell matters, not only their owner. `near`: the side that
    starts at the bottom; the player of the other side sees the board turned round. Null: the board is never turned.
    """

    kind: str
    rows: tuple[tuple[str | None, ...], ...]
    files: tuple[str, ...]
    ranks: tuple[str, ...]
    marks: tuple[str, str]
    colours: tuple[str, str]
    counted: bool
    near: int | None = None


class LegalMove(Part):
    """A legal move. `path`: the cells that a person selects for it, in order; empty if it can only be typed.

    `board`: the board after the move, for clients that want `preview`; left out on boards that are too large.
    """

    move: str
    path: Cells
    board: BoardCells | None = None


class ReviewedMove(Part):
    """A move of a finished game, as the reviewer judges it. Values are for the side that moves.

    `best`: the move itself if no better one is known. `line`: the best line, from `best` on. `value`: before the move,
    with best play; `played`: after the move. The field `value_proved` or `played_proved` says whether it is exact.
    `depth`: of the search for `value`; null if that is proved. `chance`: of winning, after the move; `cost`: how much
    of it the move has lost. `words`: what the move keeps or loses. `path`: the cells of `best`, if that is another
    move. `also`: of a mistake, other moves that are proved to be as good as `best`.
    """

    ply: Annotated[int, Meta(ge=1)]
    side: SeatNumber
    move: str
    best: str
    line: tuple[str, ...]
    value: Amount
    value_proved: bool
    played: Amount
    played_proved: bool
    loss: Amount
    chance: Chance
    cost: Chance
    judgement: Judgement
    depth: Count | None = None
    words: str = ""
    path: Cells = ()
    also: tuple[str, ...] = ()


class ReviewSummary(Part):
    """What a review says of the whole game. `accuracy`: of both sides; null without moves. `turning_points`: plies."""

    accuracy: tuple[Percent | None, Percent | None]
    turning_points: tuple[Annotated[int, Meta(ge=1)], ...] = ()


class PuzzleInfo(Part):
    """A puzzle. `turn`: the side that moves. `level`: from 1 (easy) to 10. `task`: what to find, in words.

    `solution`: the only right move, which is one of the legal ones. `layout`, `board` and `legal`: as in a snapshot.
    """

    number: Count
    options: Options
    sides: tuple[str, str]
    turn: SeatNumber
    level: Annotated[int, Meta(ge=1, le=10)]
    task: str
    solution: str
    layout: Layout
    board: BoardCells
    legal: tuple[LegalMove, ...]


class Offers(Part):
    """Open offers: the seat that made each, or null."""

    draw: int | None = None
    takeback: int | None = None
    rematch: int | None = None


class Limits(Part):
    """The limits of the server.

    `weights`: how many messages a command counts as, by its type; commands that are not listed count as one.
    """

    message_bytes: int
    messages_per_second: Annotated[float, Meta(gt=0)]
    burst: Annotated[int, Meta(ge=1)]
    rooms: int
    name_length: int
    text_length: int
    note_length: int
    weights: dict[str, Annotated[int, Meta(ge=1)]] = {}


class OptionInfo(Part):
    """An option of a game."""

    name: str
    default: int | str
    help: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()


class GameInfo(Part):
    """A game that the server offers."""

    name: str
    title: str
    sides: tuple[str, str]
    options: tuple[OptionInfo, ...]
    move_form: str
    position_form: str


class TournamentRow(Part):
    """A player of a tournament, in the order of the table. `elo`: with a 95 % interval of `error` to both sides.

    `seconds`: the mean time of a move. `forfeits`: games that were lost other than by play. `state`: of a bot on a
    ladder: `anchor` (its rating is fixed), `away` (not connected) or `retired` (a later version of it plays).
    """

    name: str
    points: Amount
    games: Count = 0
    wins: Count = 0
    draws: Count = 0
    losses: Count = 0
    elo: Elo | None = None
    error: Count = 0
    seconds: Amount = 0.0
    forfeits: Count = 0
    state: LadderState = ""


class TournamentGame(Part):
    """A game of a tournament. `result` is `*` while it is running. `why`: how it ended, in words.

    `forfeit`: it was lost other than by play. `moves`: of both players, without those of the opening.
    """

    number: Count
    first: str
    second: str
    round: Count = 1
    room: str = ""
    result: Result = "*"
    why: str = ""
    forfeit: bool = False
    moves: Count = 0


class TournamentTest(Part):
    """A sequential test (SPRT) whether `player` is at most `elo0` or at least `elo1` stronger than `against`.

    The test ends when the log-likelihood ratio `llr` reaches `lower` (no) or `upper` (yes). `model`: whether the bounds
    are logistic or normalized Elo.
    """

    player: str
    against: str
    llr: Amount
    lower: Amount
    upper: Amount
    elo0: Amount
    elo1: Amount
    pairs: Count
    verdict: Literal["yes", "no", ""] = ""
    model: Literal["logistic", "normalized"] = "logistic"


class TournamentGoal(Part):
    """A goal of a student, and whether it is met. `evidence`: the score so far, in words."""

    student: str
    goal: str
    verdict: Literal["pass", "fail", "open"]
    evidence: str = ""


class TournamentTie(Part):
    """Two players of a knockout tournament who meet. Names and the winner are empty while they are not known.

    `round`: from 1 on. `left`: games that are still to be played. `bye`: the first player advances without an
    opponent. A level tie can have a winner: the player who is higher in the list.
    """

    round: Count
    first: str = ""
    second: str = ""
    first_points: Amount = 0.0
    second_points: Amount = 0.0
    left: Count = 0
    winner: str = ""
    bye: bool = False


class TournamentReport(Part):
    """The state of a tournament, as its arbiter reports it.

    `total`: how many games there will be; with `open_ended`, about how many. `left`: about how many seconds it will
    still take. `next`: the games that come next. `players`: their number, as `rows` may have only the best.
    `crosstable`: for each row the points against each of them, like `1.5/4`; empty if they have not met, or if the
    table is too large. `bracket`: the ties of a knockout tournament from the first round to the final, each round with
    half as many as the one before; empty if there are too many. `goals_met` counts all goals, of which `goals` may
    have only the first.
    """

    title: str
    game: str
    format: str
    players: Count
    options: dict[str, ShownInteger | str] = {}
    clock: TimeControl = TimeControl()
    done: Count = 0
    total: Count = 0
    open_ended: bool = False
    finished: bool = False
    left: Count | None = None
    rows: tuple[TournamentRow, ...] = ()
    crosstable: tuple[tuple[str, ...], ...] = ()
    bracket: tuple[TournamentTie, ...] = ()
    running: tuple[TournamentGame, ...] = ()
    latest: tuple[TournamentGame, ...] = ()
    next: tuple[TournamentGame, ...] = ()
    sprt: TournamentTest | None = None
    goals: tuple[TournamentGoal, ...] = ()
    goals_met: Count = 0
    goals_total: Count = 0


class TournamentInfo(Part):
    """A tournament in a list. `by`: the name of its arbiter. `age`: milliseconds since its last report."""

    name: str
    by: str
    title: str
    game: str
    format: str
    players: Count
    done: Count
    total: Count
    open_ended: bool
    finished: bool
    age: Count
