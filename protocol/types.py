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

MAX_TIME_MS = 30 * 24 * 3600 * 1000
Milliseconds = Annotated[int, Meta(ge=0, le=MAX_TIME_MS)]
CommandId = Annotated[int, Meta(ge=0, le=2**53)]
SeatNumber = Annotated[int, Meta(ge=0, le=1)]
TimesLeft = tuple[int, int]  # what both clocks have left
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


def with_watchers(info: RoomInfo, watchers: int) -> RoomInfo:
    return replace(info, watchers=watchers)


def with_ply(info: RoomInfo, ply: int) -> RoomInfo:
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
    left: TimesLeft | None = None
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
