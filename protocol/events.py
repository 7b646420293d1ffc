"""Events: what happens in a room, ordered by `seq`. The log of a room is the list of its events."""

from __future__ import annotations

from protocol.types import EndReason, Message, Names, Offer, Options, RatingChange, Result, TimeControl, TimesLeft


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
    left: TimesLeft | None = None


class Moved(Event):
    """`left`: both clocks after the move; `turn`: who moves next, which need not be the other side."""

    ply: int
    side: int
    move: str
    position: str
    turn: int
    took: int
    charged: int
    left: TimesLeft | None = None
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
    left: TimesLeft | None = None


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

PublicEvent = (
    Seated | Unseated | Started | Moved | Fouled | DrawOffered | TakebackOffered | RematchOffered
    | Declined | TakenBack | Ended | Rematched | Said | Presence | Resumed
)  # fmt: skip
