"""The lobby of a server as a ladder sees it: which bots opted in, and how many places they have."""

from __future__ import annotations

from collections import Counter

from client.ladder.pairing import Contender, free_places
from client.ladder.state import LadderSettings, LadderState, Version
from protocol.replies import LobbyUpdate
from protocol.types import BotInfo, RoomInfo
from protocol.usernames import fold


class LadderLobby:
    """Follows the lobby. A connected bot has one version at a time: that of its latest connection."""

    def __init__(self, settings: LadderSettings, own_name: str, *, guests: bool, reserved: int, new_versions: int):
        """`own_name`: of the arbiter, who cannot play. `new_versions`: of a bot, within a day."""
        self._settings, self._own_name, self._guests = settings, fold(own_name), guests
        self._reserved, self._new_versions = reserved, new_versions
        self.known = False  # whether the server has said which bots are connected
        self._bots: dict[str, BotInfo] = {}  # by folded name
        self._rooms: dict[str, RoomInfo] = {}  # open ones

    def update(self, update: LobbyUpdate) -> None:
        """Note what has changed."""
        if update.full:
            self._rooms.clear()
        for room in update.rooms:
            if room.status == "ended":
                self._rooms.pop(room.room, None)
            else:
                self._rooms[room.room] = room
        if update.bots is not None:
            self.known = True
            self._bots = {fold(bot.name): bot for bot in update.bots}

    def account(self, name: str) -> bool:
        """Return whether a connected bot has an account."""
        bot = self._bots.get(fold(name))
        return bot is not None and bot.account

    def here(self) -> set[Version]:
        """Return the versions that are connected and take part."""
        return {version_of(bot) for bot in self._bots.values() if self._takes_part(bot)}

    def contenders(self, state: LadderState, now: float) -> list[Contender]:
        """Return the versions that may be paired, with their free places."""
        playing = Counter(fold(player.name) for game in state.open.values() for player in game.players)
        others = self._games_of_others(set(state.rooms.values()))
        return [
            Contender(version_of(bot), free_places(bot, playing[name], others[name], self._reserved))
            for name, bot in self._bots.items()
            if self._takes_part(bot) and self._may_enter(state, version_of(bot), now)
        ]

    def refused(self, state: LadderState, now: float) -> list[Version]:
        """Return the versions that are not paired because their bot has brought too many new ones."""
        found = [version_of(bot) for bot in self._bots.values() if self._takes_part(bot)]
        return [player for player in found if not self._may_enter(state, player, now)]

    def _takes_part(self, bot: BotInfo) -> bool:
        """Return whether a bot opted in. A house bot that is an anchor need not; an anchor has an account."""
        if self._settings.game not in bot.plays or fold(bot.name) == self._own_name:
            return False
        if self._settings.is_anchor(bot.name):
            return bot.account and (bot.house or bot.ladder)
        return bot.ladder and (bot.account or self._guests)

    def _may_enter(self, state: LadderState, player: Version, now: float) -> bool:
        return player in state.tallies or state.new_versions(player.name, now) < self._new_versions

    def _games_of_others(self, own_rooms: set[str]) -> Counter[str]:
        """Return how many games each player has that are not games of the ladder."""
        return Counter(
            fold(seat.name)
            for room in self._rooms.values()
            if room.room not in own_rooms
            for seat in room.seats
            if seat is not None
        )


def version_of(bot: BotInfo) -> Version:
    return Version(bot.name, bot.version)
