"""The rooms and bots of the lobby, kept up to date, sorted and filtered."""

from __future__ import annotations

from typing import NamedTuple

from client.presentation.texts import clock_text, rated_players
from protocol.replies import LobbyUpdate
from protocol.types import BotInfo, RoomInfo, with_ply

STATUS_ORDER = {"waiting": 0, "running": 1, "ended": 2}
MAX_GAMES_LISTED = 3  # a bot that plays more is said to play all games


class LobbyRow(NamedTuple):
    """A row of the lobby: a room, or a bot that can be challenged."""

    key: str
    cells: tuple[str, ...]  # kind, game, players, clock, state, watchers
    room: RoomInfo | None = None
    bot: BotInfo | None = None

    def matches(self, words: list[str]) -> bool:
        text = " ".join(self.cells).casefold()
        return all(word in text for word in words)


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

    def live(self, game: str = "") -> list[str]:
        """Return the running games, all or those of one game, the most interesting first."""
        running = [info for info in self._rooms.values() if info.status == "running" and game in ("", info.game)]
        return [info.room for info in sorted(running, key=interest)]

    def remove(self, room: str) -> None:
        """Remove a room that does not exist any more."""
        self._rooms.pop(room, None)

    def bots_for(self, game: str) -> list[str]:
        return sorted(bot.name for bot in self._bots if game in bot.plays)

    def rows(self, filter_text: str) -> list[LobbyRow]:
        """Return the rows that contain every word: waiting rooms, then bots, running games and finished games."""
        words = filter_text.casefold().split()
        if self.finished is not None:
            return [row for row in map(room_row, self.finished) if row.matches(words)]
        rooms = sorted(self._rooms.values(), key=lambda info: (STATUS_ORDER[info.status], -info.created_at, info.room))
        waiting = [room_row(info) for info in rooms if info.status == "waiting"]
        started = [room_row(info) for info in rooms if info.status != "waiting"]
        bots = [bot_row(bot) for bot in sorted(self._bots, key=lambda bot: bot.name)]
        return [row for row in (*waiting, *bots, *started) if row.matches(words)]


def interest(info: RoomInfo) -> tuple[int, int, int, str]:
    """Return a key that sorts games: most watchers first, then the best ratings, then the newest."""
    ratings = sum(seat.rating or 0 for seat in info.seats if seat is not None)
    return -info.watchers, -ratings, -info.created_at, info.room


def room_row(info: RoomInfo) -> LobbyRow:
    state = {"waiting": "waiting", "running": f"move {info.ply}", "ended": info.result}[info.status]
    kind = "rated" if info.rated else "casual"
    awaited = " and ".join(info.players or ((info.invite,) if info.invite else ()))
    names = rated_players(info.seats) + (f" (for {awaited})" if awaited and None in info.seats else "")
    watchers = str(info.watchers) if info.watchers else ""
    return LobbyRow(info.room, (kind, info.game, names, clock_text(info.clock), state, watchers), room=info)


def bot_row(bot: BotInfo) -> LobbyRow:
    games = "all games" if len(bot.plays) > MAX_GAMES_LISTED else ", ".join(bot.plays)
    return LobbyRow(f"bot {bot.name}", ("bot", games, bot.name, "", "ready", ""), bot=bot)
