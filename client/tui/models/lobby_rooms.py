"""The rooms and bots of the lobby, kept up to date, filtered, and sorted into sections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from client.presentation.texts import clock_text, counted, marked_name, rating_of, rating_text
from engine.registry import GAMES
from protocol.replies import LobbyUpdate
from protocol.types import BotInfo, Leader, RoomInfo, Seat, with_ply

MAX_GAMES_LISTED = 2  # of a bot, unless it plays all
MAX_ENDED = 5  # ended games in the list
STRENGTHS = {"search": "strongest", "greedy": "easy", "random": "very easy"}
MEDIUM_BOT = "search@5"  # offered first
NONE = "·"


class LobbyRow(NamedTuple):
    """A line of the lobby. A row with a room or a bot can be chosen."""

    key: str
    left: str
    names: tuple[tuple[str, str], ...]  # names, each with a muted text such as the rating
    right: tuple[str, str]
    words: str = ""  # more words for the filter
    tone: str = "muted"  # of the text at the right
    room: RoomInfo | None = None
    bot: BotInfo | None = None

    def matches(self, words: list[str]) -> bool:
        names = " ".join(f"{name} {note}" for name, note in self.names)
        text = f"{self.left} {names} {' '.join(self.right)} {self.words}".casefold()
        return all(word in text for word in words)


class Section(NamedTuple):
    """Rows under a title. `columns`: the titles of the two columns at the right."""

    title: str
    rows: tuple[LobbyRow, ...]
    columns: tuple[str, str] = ("", "")
    left_columns: int = 14  # the width of the first column


class LobbyRooms:
    """The current rooms and bots, or a list of finished games instead."""

    def __init__(self) -> None:
        self._rooms: dict[str, RoomInfo] = {}
        self._bots: tuple[BotInfo, ...] = ()
        self.finished: tuple[RoomInfo, ...] | None = None  # shown instead of the lobby, if not None

    def update(self, update: LobbyUpdate) -> None:
        if update.full:
            self._rooms = {}
        for info in update.rooms:
            if info.status == "ended" and info.result == "*":  # closed before the game began, or aborted
                self._rooms.pop(info.room, None)
            else:
                self._rooms[info.room] = info
        for room, ply in update.plies.items():
            if room in self._rooms:
                self._rooms[room] = with_ply(self._rooms[room], ply)
        if update.bots is not None:
            self._bots = update.bots
        self._drop_old()

    def _drop_old(self) -> None:
        ended = [info.room for info in self._rooms.values() if info.status == "ended"]
        for room in ended[:-MAX_ENDED]:
            del self._rooms[room]

    def live(self, game: str = "") -> list[str]:
        """Return the running games, all or those of one game, the most interesting first."""
        return [info.room for info in sorted(self._with_status("running"), key=interest) if game in ("", info.game)]

    def remove(self, room: str) -> None:
        """Remove a room that does not exist any more."""
        self._rooms.pop(room, None)

    def bots_for(self, game: str) -> list[str]:
        return sorted(bot.name for bot in self._bots if game in bot.plays)

    def opponents(self, game: str) -> list[tuple[str, str]]:
        """Return the bots that play a game, each with its strength. The one of medium strength comes first."""
        bots = sorted((bot.name, strength_of(bot)) for bot in self._bots if game in bot.plays)
        return sorted(bots, key=lambda bot: bot[0] != MEDIUM_BOT)

    def has_seeker(self, game: str) -> bool:
        """Return whether a player waits for quick pairing in a game."""
        return any(info.paired and info.game == game for info in self._with_status("waiting"))

    def count(self) -> tuple[int, int]:
        """Return the number of open rooms and of bots."""
        return sum(info.status != "ended" for info in self._rooms.values()), len(self._bots)

    def _with_status(self, status: str) -> list[RoomInfo]:
        return [info for info in self._rooms.values() if info.status == status]

    def sections(self, filter_text: str) -> list[Section]:
        """Return the rows that contain every word. Sections without rows are left out."""
        if self.finished is not None:
            sections = [Section("Finished games", tuple(map(ended_row, self.finished)), ("result", "moves"))]
        else:
            waiting = sorted(self._with_status("waiting"), key=newest_first)
            running = sorted(self._with_status("running"), key=newest_first)  # watching a game does not move its row
            bots = sorted(self._bots, key=lambda bot: bot.name)
            sections = [
                Section("Waiting for an opponent", tuple(map(waiting_row, waiting))),
                Section("Live", tuple(map(live_row, running)), ("move", "watching")),
                Section("Bots, ready to play", tuple(map(bot_row, bots)), left_columns=20),
                Section("Just ended", tuple(map(ended_row, self._with_status("ended")[::-1])), ("result", "moves")),
            ]
        words = filter_text.casefold().split()
        kept = [part._replace(rows=tuple(row for row in part.rows if row.matches(words))) for part in sections]
        return [section for section in kept if section.rows]


def newest_first(info: RoomInfo) -> tuple[int, str]:
    """Return a key that sorts rooms by their age."""
    return -info.created_at, info.room


def interest(info: RoomInfo) -> tuple[int, int, int, str]:
    """Return a key that sorts games: most watchers first, then the best ratings, then the newest."""
    ratings = sum(seat.rating or 0 for seat in info.seats if seat is not None)
    return -info.watchers, -ratings, -info.created_at, info.room


def title_of(game: str) -> str:
    return GAMES[game].title if game in GAMES else game


def names_of(seats: Iterable[Seat | None]) -> tuple[tuple[str, str], ...]:
    return tuple((marked_name(seat), rating_of(seat)) for seat in seats if seat is not None)


def waiting_row(info: RoomInfo) -> LobbyRow:
    awaited = " and ".join(info.players or ((info.invite,) if info.invite else ()))
    names = names_of(info.seats) or (("", ""),)
    if awaited:
        names = (*names[:-1], (names[-1][0], f"{names[-1][1]} for {awaited}".strip()))
    kind = "rated" if info.rated else "casual"
    words = f"{info.game} waiting"
    return LobbyRow(info.room, title_of(info.game), names, (clock_text(info.clock), kind), words, room=info)


def live_row(info: RoomInfo) -> LobbyRow:
    words = f"{info.game} live running {clock_text(info.clock)} {'rated' if info.rated else 'casual'}"
    right = (str(info.ply), str(info.watchers) if info.watchers else NONE)
    return LobbyRow(info.room, title_of(info.game), names_of(info.seats), right, words, room=info)


def ended_row(info: RoomInfo) -> LobbyRow:
    right = (info.result, str(info.ply))
    return LobbyRow(info.room, title_of(info.game), names_of(info.seats), right, f"{info.game} ended", room=info)


def bot_row(bot: BotInfo) -> LobbyRow:
    games = "all games" if len(bot.plays) > MAX_GAMES_LISTED else ", ".join(map(title_of, bot.plays))
    words = f"bot {' '.join(bot.plays)}"
    return LobbyRow(f"bot {bot.name}", bot.name, (("", games),), ("", strength_of(bot)), words, bot=bot)


def strength_of(bot: BotInfo) -> str:
    """Return how strong a bot is, or which program it is; empty if neither is known."""
    name, at, level = bot.name.partition("@")
    if at and name == "search" and level.isdecimal():
        return f"level {level}"
    return STRENGTHS.get(bot.name, f"{bot.engine} {bot.version}".strip() if not bot.house else "")


def own_games(rooms: Sequence[RoomInfo], player: str) -> Section:
    """Return the latest games of a player, with their results for the player."""
    rows = []
    for info in rooms:
        seat = next((side for side, seat in enumerate(info.seats) if seat is not None and seat.name == player), 0)
        points = {"1-0": (1, 0), "0-1": (0, 1)}.get(info.result)
        result, tone = ("draw", "muted") if points is None else ("won", "good") if points[seat] else ("lost", "bad")
        row = ended_row(info)._replace(names=names_of([info.seats[1 - seat]]), key=f"own {info.room}", tone=tone)
        rows.append(row._replace(right=(result, counted(info.ply, "move"))))
    return Section("Your last games", tuple(rows))


def best_players(game: str, leaders: Sequence[Leader]) -> Section:
    """Return the best players of a game."""
    rows = (
        LobbyRow(f"best {n}", str(n), ((leader.name, ""),), ("", rating_text(leader.rating, leader.provisional)))
        for n, leader in enumerate(leaders, 1)
    )
    return Section(f"Best at {title_of(game)}", tuple(rows), left_columns=3)
