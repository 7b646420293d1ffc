"""The state of a ladder: the fold of its journal. Pure.

A game is *paired*, gets a room (*created*), and *ends* with a result or is *dropped* without one. Everything else
follows from the games: which versions there are, which of them is the latest of its bot, and who owes a return game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NamedTuple

from client.tournament.journal.log import Entry
from client.tournament.model.errors import TournamentError
from client.tournament.model.results import POINTS
from engine.game import Game
from engine.options import OptionValue
from engine.registry import create
from protocol.usernames import fold

JOURNAL_VERSION = 1
DAY_S = 86_400
MAX_ILLEGAL_MOVES = 3
MAX_ANCHOR_ELO = 10_000
KEPT_LATEST = 12  # results that the report shows


class Version(NamedTuple):
    """A version of a bot: what a rating belongs to."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}".rstrip()


@dataclass(frozen=True, slots=True)
class LadderSettings:
    """What is fixed when a ladder begins. `anchors`: rating by the folded name of a bot."""

    name: str
    game: str
    options: Mapping[str, OptionValue]
    clock: str
    opening_plies: int
    seed: int = 1
    anchors: Mapping[str, float] = field(default_factory=dict)

    @property
    def rated(self) -> bool:
        """Whether the server rates the games too, if both players have accounts."""
        return True

    @property
    def illegal(self) -> int:
        """The number of illegal moves that lose a game."""
        return MAX_ILLEGAL_MOVES

    def is_anchor(self, name: str) -> bool:
        return fold(name) in self.anchors

    def create(self, start: str = "") -> Game:
        """Return the game, starting from `start` or from the usual position."""
        return create(self.game, {**self.options, **({"start": start} if start else {})})


class LadderGame(NamedTuple):
    """A game. `opening`: numbered from 1 for each pair of players, who play it twice. `at`: seconds since the epoch."""

    number: int
    players: tuple[Version, Version]
    opening: int
    at: float


class LadderResult(NamedTuple):
    """The result of a game. `forfeit`: why the loser lost other than by play."""

    result: str
    reason: str
    room: str
    forfeit: str = ""
    moves: int = 0

    @property
    def loser(self) -> int | None:
        return {"1-0": 1, "0-1": 0}.get(self.result)


@dataclass(slots=True)
class Tally:
    """The games of one version so far."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0
    first: int = 0  # games that were paired in seat 0
    second: int = 0
    began_at: float = 0.0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2


Meeting = frozenset[Version]


def meeting(players: tuple[Version, Version]) -> Meeting:
    return frozenset(players)


@dataclass(slots=True)
class LadderState:
    """The state of a ladder. Of a finished game only the room is kept, and what it adds to the numbers."""

    settings: LadderSettings | None = None
    games: int = 0  # the number of the latest game
    done: int = 0
    open: dict[int, LadderGame] = field(default_factory=dict)
    rooms: dict[int, str] = field(default_factory=dict)  # of open games
    known_rooms: set[str] = field(default_factory=set)  # of all games
    tallies: dict[Version, Tally] = field(default_factory=dict)
    current: dict[str, Version] = field(default_factory=dict)  # the latest version of a bot, by folded name
    scores: dict[tuple[Version, Version], list[float]] = field(default_factory=dict)  # points of the first, games
    openings: Counter[Meeting] = field(default_factory=Counter)  # the latest opening of each pair of players
    owed: dict[tuple[Meeting, int], tuple[Version, Version]] = field(default_factory=dict)  # return games, by seats
    latest: list[tuple[LadderGame, LadderResult]] = field(default_factory=list)

    def is_retired(self, player: Version) -> bool:
        """Return whether a later version of the bot has played."""
        return self.current.get(fold(player.name)) not in (None, player)

    def new_versions(self, name: str, now: float) -> int:
        """Return how many versions of a bot have begun within a day. A clock that was wrong blocks none for long."""
        return sum(
            fold(player.name) == fold(name) and abs(now - tally.began_at) < DAY_S
            for player, tally in self.tallies.items()
        )


def replay(entries: Iterable[Entry]) -> LadderState:
    """Return the state after all entries. Raises TournamentError if an entry is not valid."""
    state = LadderState()
    for number, entry in enumerate(entries, 1):
        try:
            apply_entry(state, entry)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise TournamentError(f"line {number} of the journal is not valid ({error!r})") from None
    return state


def apply_entry(state: LadderState, entry: Entry) -> None:
    """Update the state with one entry. An entry about a game that is not open changes nothing."""
    match entry["type"]:
        case "ladder":
            state.settings = read_settings(entry)
        case "paired":
            pair(state, read_game(entry, after=state.games))
        case "created":
            state.known_rooms.add(str(entry["room"]))
            if int(entry["game"]) in state.open:
                state.rooms[int(entry["game"])] = str(entry["room"])
        case "dropped":
            drop(state, int(entry["game"]))
        case "ended":
            end(state, int(entry["game"]), read_result(entry))
        case other:
            raise ValueError(f"unknown entry type {other!r}")


def pair(state: LadderState, game: LadderGame) -> None:
    """Note a game that is about to begin, and the return game that its players then owe each other."""
    state.games = max(state.games, game.number)
    state.open[game.number] = game
    for player in game.players:
        tally = state.tallies.setdefault(player, Tally(began_at=game.at))
        tally.first += player == game.players[0]
        tally.second += player == game.players[1]
        state.current[fold(player.name)] = player
    key = meeting(game.players), game.opening
    if game.opening > state.openings[key[0]]:
        state.openings[key[0]] = game.opening
        state.owed[key] = (game.players[1], game.players[0])
    else:
        state.owed.pop(key, None)


def drop(state: LadderState, number: int) -> None:
    """Forget a game without a result. Its players owe it to each other again, from the same seats."""
    game = state.open.pop(number, None)
    state.rooms.pop(number, None)
    if game is not None:
        state.tallies[game.players[0]].first -= 1
        state.tallies[game.players[1]].second -= 1
        key = meeting(game.players), game.opening
        if key in state.owed:  # the first game of the two: both can be played from any seats again
            del state.owed[key]
        else:
            state.owed[key] = game.players


def end(state: LadderState, number: int, result: LadderResult) -> None:
    """Count a result, once."""
    game = state.open.pop(number, None)
    state.rooms.pop(number, None)
    if game is None:
        return
    state.done += 1
    for seat, player in enumerate(game.players):
        tally = state.tallies[player]
        tally.wins += result.loser == 1 - seat
        tally.draws += result.loser is None
        tally.losses += result.loser == seat
        tally.forfeits += result.loser == seat and bool(result.forfeit)
    score = state.scores.setdefault(game.players, [0.0, 0])
    score[0] += POINTS[result.result][0]
    score[1] += 1
    state.latest = [*state.latest, (game, result)][-KEPT_LATEST:]


# -- entries


def settings_entry(settings: LadderSettings) -> Entry:
    fixed = {name: getattr(settings, name) for name in LadderSettings.__slots__}
    return {"type": "ladder", "journal": JOURNAL_VERSION, **fixed}


def read_settings(entry: Entry) -> LadderSettings:
    if entry["journal"] != JOURNAL_VERSION:
        raise TournamentError(
            f"this ladder was started by another version of parlour (journal version {entry['journal']!r}): "
            "continue it with that version"
        )
    return LadderSettings(
        name=read_text(entry["name"]),
        game=str(entry["game"]),
        options={str(name): value for name, value in entry["options"].items()},
        clock=str(entry["clock"]),
        opening_plies=int(entry["opening_plies"]),
        seed=int(entry["seed"]),
        anchors={str(name): read_rating(elo) for name, elo in entry["anchors"].items()},
    )


def read_text(value: object) -> str:
    """Return a text that can be sent to a server. Raises ValueError if it contains a lone surrogate."""
    text = str(value)
    text.encode()
    return text


def read_rating(value: object) -> float:
    elo = float(value)  # type: ignore[arg-type]  # a wrong type is an error of the entry
    if not abs(elo) <= MAX_ANCHOR_ELO:
        raise ValueError(f"{elo} is not the rating of an anchor")
    return elo


def paired_entry(game: LadderGame) -> Entry:
    players = [list(player) for player in game.players]
    return {"type": "paired", "game": game.number, "players": players, "opening": game.opening, "at": game.at}


def read_game(entry: Entry, after: int) -> LadderGame:
    """Return the game of an entry. `after`: the number of games before it. Raises ValueError."""
    first, second = (Version(read_text(name), read_text(version)) for name, version in entry["players"])
    if first == second:
        raise ValueError("a bot cannot play against itself")
    number, opening, at = int(entry["game"]), int(entry["opening"]), float(entry["at"])
    if not 1 <= opening <= number <= after + 1 or not isfinite(at):
        raise ValueError(f"game {number} from opening {opening} at {at} cannot follow {after} games")
    return LadderGame(number, (first, second), opening, at)


def created_entry(number: int, room: str) -> Entry:
    return {"type": "created", "game": number, "room": room}


def dropped_entry(number: int, why: str) -> Entry:
    return {"type": "dropped", "game": number, "why": why}


def ended_entry(number: int, result: LadderResult) -> dict[str, Any]:
    return {"type": "ended", "game": number, **result._asdict()}


def read_result(entry: Entry) -> LadderResult:
    if entry["result"] not in POINTS or entry["result"] == "*":
        raise ValueError(f"{entry['result']!r} is not a result")
    return LadderResult(
        entry["result"], str(entry["reason"]), str(entry["room"]), str(entry["forfeit"]), int(entry["moves"])
    )
