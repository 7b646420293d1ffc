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
    ReviewedMove,
    ReviewSummary,
    SeatNumber,
    Status,
    TimeControl,
    TournamentReport,
)

MAX_TOURNAMENT_NAME = 64
TournamentName = Annotated[str, Meta(min_length=1, max_length=MAX_TOURNAMENT_NAME)]


class Command(Message):
    """A message from a client. The client chooses `id`; the reply repeats it."""

    id: CommandId


class RoomCommand(Command):
    """A command to a room."""

    room: str


class Hello(Command):
    """The first message: says who the client is.

    `name` is for guests. `token` identifies an account and determines the name. `resume` continues a session: it is the
    `session` of an earlier `welcome`. `plays` lists the games to which a bot may be invited; the lobby then shows it.
    `bot`: a program plays, not a person (`plays` implies it); `engine` and `version` say which program. `wants`: what
    the server adds to messages, of `board`, `legal` and `preview`; others are ignored. `concurrent`: how many games the
    bot plays at a time; 0 if it does not say. `ladder`: a ladder may pair the bot for games of `plays`.
    """

    name: str = ""
    token: str = ""
    resume: str = ""
    client: str = ""
    plays: tuple[str, ...] = ()
    wants: tuple[str, ...] = ()
    bot: bool = False
    engine: str = ""
    version: str = ""
    concurrent: Annotated[int, Meta(ge=0, le=2**31)] = 0
    ladder: bool = False


class List(Command):
    """Return public rooms; without `status`, those that have not ended."""

    game: str = ""
    status: Status | None = None


class Lobby(Command):
    """Subscribe to lobby updates, or unsubscribe."""

    on: bool


class Create(Command):
    """Create a room and take a seat in it.

    `seat` null: a random seat. `illegal`: the number of illegal moves that lose the game; with 0 they are only refused.
    `delay`: watchers see the game this many plies late. `players`: the seats are kept for these two names; the creator
    is the arbiter, who watches and may abort the game.
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
    """Play an opponent who wants the same game and settings and has a similar rating, or create a room and wait.

    The wait ends with the connection. `bot_after`: milliseconds after which a house bot may join instead.
    """

    game: str
    options: Options = {}
    clock: TimeControl = TimeControl()
    rated: bool = False
    bot_after: Milliseconds | None = None


class Join(RoomCommand):
    """Take a seat. `seat` null: any free seat. In a room created with `players`, each player gets their own seat."""

    seat: SeatNumber | None = None
    code: str = ""


class Watch(RoomCommand):
    """Receive a snapshot of a room, then its events.

    `after`: receive the events after that seq, without a snapshot unless there are more than 200 of them.
    """

    after: Annotated[int, Meta(ge=0)] = 0
    code: str = ""


class Leave(RoomCommand):
    """Stop receiving the events of a room. Before the start, also give the seat back."""


class Move(RoomCommand):
    """Play a move. `ply` is the ply of the position that the move answers: the number of moves played before it.

    `note`: printable characters.
    """

    ply: Annotated[int, Meta(ge=0)]
    move: str
    note: str = ""


class Resign(RoomCommand):
    """Resign the game."""


class OfferDraw(RoomCommand):
    """Offer a draw."""


class AnswerDraw(RoomCommand):
    """Accept or decline a draw."""

    accept: bool


class Claim(RoomCommand):
    """Win against an opponent who has been away for longer than the grace period."""


class Abort(RoomCommand):
    """End the game without a result. Players can do this before the second move."""


class Rematch(RoomCommand):
    """Offer another game with the seats swapped, or accept an offer; `accept` false declines it."""

    accept: bool = True


class Takeback(RoomCommand):
    """Ask to take your last move back, or agree to the opponent's request; `accept` false declines it.

    `ply`: the ply at which the game would continue. If it is given, the command applies to that ply only.
    """

    accept: bool = True
    ply: Annotated[int, Meta(ge=0)] | None = None


class Say(RoomCommand):
    """Send a chat line of printable characters to players and watchers."""

    text: str


class History(Command):
    """Return finished games, latest first. `before`: the `before` of the previous reply, for the next page."""

    game: str = ""
    player: str = ""
    before: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 50


class Leaderboard(Command):
    """Return the best players of a game with these options: established ratings first, then provisional ones."""

    game: str
    options: Options = {}
    limit: Annotated[int, Meta(ge=1, le=100)] = 20


class Ratings(Command):
    """Return a player's ratings in a game with these options, latest first. `before`: as in `history`."""

    player: str
    game: str
    options: Options = {}
    before: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 50


class Boards(RoomCommand):
    """Return the boards of a game from `ply` on, as far as you may see it. `code`: as in `watch`.

    A reply has at most 500 boards. If the game has more, ask again with the next ply. `legal`: only the board at `ply`,
    with the legal moves there; the game must have ended.
    """

    ply: Annotated[int, Meta(ge=0)] = 0
    code: str = ""
    legal: bool = False


class Export(RoomCommand):
    """Return the record of a finished game."""

    format: ExportFormat = "text"


class Review(RoomCommand):
    """Ask for the review of a finished game. `review_update` follows, now and when there is more to say.

    Without a review of the game, the server's reviewer makes one. You may ask for one new review a minute.
    """


class TakeReview(Command):
    """Wait for a game to review, which comes as `review_task`. Only for accounts that the operator has named.

    It is yours until you have submitted the review, or have sent no `submit_review` for 30 seconds.
    """


class SubmitReview(RoomCommand):
    """Submit a part of the review of the game that you have taken: some moves, or none if the search goes on.

    `summary`: with the last part. `problem`: why the game cannot be reviewed; that ends the review.
    """

    moves: tuple[ReviewedMove, ...] = ()
    summary: ReviewSummary | None = None
    problem: str = ""


class Puzzle(Command):
    """Return a puzzle that comes with the server: a position in which exactly one move is right.

    `number`: from 0. Without it, the levels of all puzzles of the game are returned.
    """

    game: str
    number: Annotated[int, Meta(ge=0)] | None = None


class ReportTournament(Command):
    """Tell the server about a tournament of which you are the arbiter, so that it can show the tournament to others.

    Only you can report on `name` again, until there has been no report for ten minutes.
    """

    name: TournamentName
    report: TournamentReport


class WatchTournament(Command):
    """Receive the reports on a tournament as `tournament_update`, now and when it changes, instead of any other one.

    It need not exist yet. An empty `name`: receive no more.
    """

    name: Annotated[str, Meta(max_length=MAX_TOURNAMENT_NAME)] = ""


class Tournaments(Command):
    """Return the tournaments that were reported to the server, the latest report first."""


AnyCommand = (
    Hello | List | Lobby | Create | Pair | Join | Watch | Leave | Move | Resign | OfferDraw | AnswerDraw
    | Claim | Abort | Rematch | Takeback | Say | History | Leaderboard | Ratings | Boards | Export
    | Puzzle | Review | TakeReview | SubmitReview | ReportTournament | WatchTournament | Tournaments
)  # fmt: skip
