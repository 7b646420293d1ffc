"""The rooms and bots of a lobby, kept up to date, and those of them that somebody appearance for."""

from __future__ import annotations

from typing import NamedTuple

from client.presentation.texts import clock_text, printable, rated_players
from protocol.replies import LobbyUpdate
from protocol.types import BotInfo, RoomInfo, with_ply

RANK = {"waiting": 0, "running": 1, "ended": 2}


class Line(NamedTuple):
    """A line of the lobby: a room, or a bot that can be challenged."""

    key: str
    cells: tuple[str, ...]  # what, game, players, clock, state, watchers
    room: RoomInfo | None = None
    bot: BotInfo | None = None

    def matches(self, words: list[str]) -> bool:
        text = " ".join(self.cells).casefold()
        return all(word in text for word in words)


class LobbyRooms:
    def __init__(self) -> None:
        self._rooms: dict[str, RoomInfo] = {}
        self._bots: tuple[BotInfo, ...] = ()
        self.finished: tuple[RoomInfo, ...] | None = None  # looked at instead, if somebody asked for them

    def update(self, news: LobbyUpdate) -> None:
        if news.full:
            self._rooms = {}
        for info in news.rooms:
            if info.status == "ended" and info.result == "*":  # a wait that led to nothing, a game that was aborted
                self._rooms.pop(info.room, None)
            else:
                self._rooms[info.room] = info
        for room, ply in news.plies.items():
            if room in self._rooms:
                self._rooms[room] = with_ply(self._rooms[room], ply)
        if news.bots is not None:
            self._bots = news.bots

    def running(self) -> tuple[str, ...]:
        return tuple(info.room for info in self._rooms.values() if info.status == "running")

    def bots_for(self, game: str) -> list[str]:
        return sorted(bot.name for bot in self._bots if game in bot.plays)

    def lines(self, choose_opening: str) -> list[Line]:
        """Those that match every word; rooms that wait first, then bots, games that run, games that are over."""
        words = choose_opening.casefold().split()
        if self.finished is not None:
            return [line for line in map(room_line, self.finished) if line.matches(words)]
        rooms = sorted(self._rooms.values(), key=lambda info: (RANK[info.status], -info.created_at, info.room))
        waiting = [room_line(info) for info in rooms if info.status == "waiting"]
        others = [room_line(info) for info in rooms if info.status != "waiting"]
        bots = [bot_line(bot) for bot in sorted(self._bots, key=lambda bot: bot.name)]
        return [line for line in (*waiting, *bots, *others) if line.matches(words)]


def room_line(info: RoomInfo) -> Line:
    state = {"waiting": "waiting", "running": f"move {info.ply}", "ended": info.result}[info.status]
    kind = "rated" if info.rated else "casual"
    awaited = " and ".join(info.players or ((info.invite,) if info.invite else ()))
    names = rated_players(info.seats) + (f" (for {printable(awaited)})" if awaited and None in info.seats else "")
    watchers = str(info.watchers) if info.watchers else ""
    return Line(info.room, (kind, info.game, names, clock_text(info.clock), state, watchers), room=info)


def bot_line(bot: BotInfo) -> Line:
    games = "all games" if len(bot.plays) > 3 else ", ".join(bot.plays)
    return Line(f"bot {bot.name}", ("bot", games, printable(bot.name), "", "enter", ""), bot=bot)
