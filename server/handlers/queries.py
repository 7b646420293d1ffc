"""Queries: lists of rooms, finished games, ratings and records."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest
from typing import NamedTuple, TypeVar

from engine.record import json_moves, text_lines, to_json
from engine.registry import GAMES
from protocol.commands import Boards, Export, History, Leaderboard, List, Lobby, Ratings
from protocol.replies import LobbyUpdate, Ok
from protocol.types import RoomInfo
from protocol.weights import CELLS_PER_MESSAGE, EXPORTED_PLIES_PER_MESSAGE
from server.domain import ratings, snapshots
from server.domain.boards import cell_names
from server.domain.decision import Refusal
from server.domain.reviews import require_record
from server.domain.seating import require_access
from server.lobby.feed import LobbyFeed
from server.lobby.progress import ProgressReports
from server.lobby.watcher_counts import WatcherCounts
from server.rooms.client import Client, player_of
from server.rooms.live_room import LiveRoom
from server.rooms.registry import RoomRegistry
from server.rooms.timers import Now
from server.storage.interface import Store
from server.storage.room_index import read_infos

MAX_NAME_SEARCHED = 256  # characters: a longer text is not a name, and is not worth a place in the cache of `fold`
MAX_BOARDS_SENT = 500  # in one reply
CELLS_DRAWN_AT_ONCE = CELLS_PER_MESSAGE  # drawing these keeps the event loop busy for about 0.15 ms
ROOMS_LISTED_AT_ONCE = 50  # updating these keeps the event loop busy for about 0.1 ms
LIST_LIFETIME_MS = 1000  # of a list whose rooms have not changed: the plies of running games may have
MAX_ROOMS_LISTED = 200  # in `list` and in the lobby

T = TypeVar("T")


class KeptList(NamedTuple):
    """A list of rooms that has been read, or is being read."""

    version: int  # of the lobby
    at: int
    building: asyncio.Future[tuple[RoomInfo, ...]]

    @property
    def has_failed(self) -> bool:
        """Whether it could not be read."""
        return self.building.done() and (self.building.cancelled() or self.building.exception() is not None)


class QueryHandler:
    """Answers commands that only read. Its methods raise Refusal or Unavailable."""

    def __init__(
        self,
        *,
        store: Store,
        registry: RoomRegistry,
        feed: LobbyFeed,
        progress: ProgressReports,
        watcher_counts: WatcherCounts,
        now: Now,
    ) -> None:
        self._store, self._registry, self._feed = store, registry, feed
        self._progress, self._watcher_counts, self._now = progress, watcher_counts, now
        self._lists: dict[tuple[str, str], KeptList] = {}  # by game and status

    async def _infos(self, game: str, status: str) -> tuple[RoomInfo, ...]:
        """Return the rooms of a list. Clients that ask while nothing changes share one answer.

        With several nodes, each answer is read: this node may learn of a change at another one only later.
        """
        if game and game not in GAMES:
            return ()
        if self._store.shared:
            return await self._read_infos(game, status)
        kept = self._lists.get((game, status))
        now, version = self._now(), self._feed.version
        if kept is None or kept.version != version or now - kept.at >= LIST_LIFETIME_MS or kept.has_failed:
            building = asyncio.ensure_future(self._read_infos(game, status))
            kept = self._lists[game, status] = KeptList(version, now, building)
        return await asyncio.shield(kept.building)

    async def _read_infos(self, game: str, status: str) -> tuple[RoomInfo, ...]:
        rows = await self._store.rooms(game, status, MAX_ROOMS_LISTED)
        stored: list[RoomInfo] = []
        for first in range(0, len(rows), ROOMS_LISTED_AT_ONCE):
            stored += read_infos(rows[first : first + ROOMS_LISTED_AT_ONCE])
            await asyncio.sleep(0)  # other clients proceed
        infos = [info for info in stored if info.room not in self._registry.damaged]
        rooms: Sequence[LiveRoom | RoomInfo] = infos
        if status != "ended" and len(stored) == MAX_ROOMS_LISTED:  # there may be more
            rooms = await self._share_out(infos, game, status)
        newest: list[RoomInfo] = []
        for first in range(0, len(rooms), ROOMS_LISTED_AT_ONCE):
            await asyncio.sleep(0)
            newest += map(self._newest, rooms[first : first + ROOMS_LISTED_AT_ONCE])
        if status != "ended":
            newest = [info for info in newest if info.status != "ended"]  # since the list was read
            newest.sort(key=lambda info: info.created_at, reverse=True)  # the store orders by whole seconds
        return tuple(newest)

    async def _share_out(self, infos: list[RoomInfo], game: str, status: str) -> list[LiveRoom | RoomInfo]:
        """Return at most MAX_ROOMS_LISTED rooms, the newest ones of each address in turn.

        So one address cannot fill the list.

        This node knows who created the rooms that it has loaded. An evicted room comes after the loaded ones of its
        address.
        """
        by_origin: dict[str, list[LiveRoom | RoomInfo]] = {}
        here = {name: live for name, live in self._registry.rooms.items() if self._registry.is_current(live)}
        for number, live in enumerate(reversed(here.values()), 1):
            if number % ROOMS_LISTED_AT_ONCE == 0:
                await asyncio.sleep(0)
            setup, now = live.room.setup, live.room.status
            if not setup.private and now != "ended" and status in ("", now) and game in ("", setup.game):
                by_origin.setdefault(live.origin or setup.by, []).append(live)
        for info in infos:
            if info.room not in here:
                by_origin.setdefault(self._registry.origin_of(info.room) or info.room, []).append(info)
        in_turn = chain.from_iterable(zip_longest(*by_origin.values()))
        return list(islice((room for room in in_turn if room is not None), MAX_ROOMS_LISTED))

    def _newest(self, room: LiveRoom | RoomInfo) -> RoomInfo:
        """Return the entry of a loaded room, or an entry of the index, updated with what this node knows."""
        info = room.info if isinstance(room, LiveRoom) else room
        live = self._registry.rooms.get(info.room)
        if live is None or not self._registry.is_current(live):
            return self._progress.fill_in(self._watcher_counts.fill_in(info))
        return self._watcher_counts.info(live.room)

    async def list(self, client: Client, command: List) -> None:
        """Send the rooms of a game or a status."""
        rooms = await self._infos(command.game, command.status or "")
        client.send(Ok(id=command.id, rooms=rooms))

    async def lobby(self, client: Client, command: Lobby) -> None:
        """Start or stop lobby updates; a start sends all open rooms and bots."""
        if not command.on:
            self._feed.leave(client)
            client.send(Ok(id=command.id))
            return
        self._feed.enter(client)
        self._feed.hold(client)
        try:
            rooms = await self._infos("", "")
            client.send(Ok(id=command.id))
            client.send(LobbyUpdate(rooms=rooms, full=True, bots=self._feed.bots()))
        finally:
            self._feed.release(client)

    async def history(self, client: Client, command: History) -> None:
        """Send one page of finished games, the latest first."""
        games: list[tuple[int, bytes]] = []
        if len(command.player) <= MAX_NAME_SEARCHED:
            games = await self._store.history(command.game, command.player, command.before, command.limit)
        rooms = tuple(read_infos(data for _, data in games))
        before = games[-1][0] if len(games) >= command.limit else None
        client.send(Ok(id=command.id, rooms=rooms, before=before))

    async def leaderboard(self, client: Client, command: Leaderboard) -> None:
        """Send the best players of a profile."""
        now = self._now()
        profile = ratings.resolve_profile(command.game, command.options)
        rows = await self._store.leaders(profile, now, command.limit)
        leaders = tuple(ratings.leaderboard_entry(name, row, now) for name, row in rows)
        client.send(Ok(id=command.id, leaders=leaders))

    async def ratings(self, client: Client, command: Ratings) -> None:
        """Send one page of a player's ratings, the newest first."""
        profile = ratings.resolve_profile(command.game, command.options)
        known = len(command.player) <= MAX_NAME_SEARCHED
        account = await self._store.account_named(command.player) if known else None
        if account is None:
            raise Refusal(
                "bad_request",
                f"there is no account named {command.player[:40]!r}: check the name (guests have no ratings)",
            )
        rows = await self._store.rating_history(profile, account.player, command.before, command.limit)
        before = rows[-1].games if len(rows) == command.limit else None
        client.send(Ok(id=command.id, ratings=tuple(map(ratings.rated_game, rows)), before=before))

    async def boards(self, client: Client, command: Boards) -> None:
        """Send the boards of a game from a ply on, as far as the player may see it."""
        live = await self._registry.find(command.room, client)
        room, player = live.room, player_of(client)
        try:
            require_access(room, player, command.code)
            if command.legal:
                self._legal(client, command, live)
                return
            upto = room.horizon if room.seat_of(player.id) is None else room.seq
            positions = live.boards.line(upto)[command.ply : command.ply + MAX_BOARDS_SENT]
        finally:
            self._registry.evict_ended(live)
        cells = len(cell_names(room.game))
        client.charge_done(len(positions) * cells // CELLS_PER_MESSAGE)
        boards, lasts = [], []
        boards_at_once = max(1, CELLS_DRAWN_AT_ONCE // cells)
        for number, position in enumerate(positions):
            if number and number % boards_at_once == 0:
                await asyncio.sleep(client.pace(boards_at_once * cells / CELLS_PER_MESSAGE))
            boards.append(position.board)
            lasts.append(position.last)
        client.send(Ok(id=command.id, room=command.room, seq=upto, boards=tuple(boards), lasts=tuple(lasts)))

    @staticmethod
    def _legal(client: Client, command: Boards, live: LiveRoom) -> None:
        """Send the board of one ply of a finished game with the legal moves there. Raises Refusal."""
        if live.room.status != "ended":
            raise Refusal("too_early", "the game is not over yet: ask for legal moves of earlier positions when it is")
        positions = live.boards.line(live.room.seq)
        if command.ply >= len(positions):
            raise Refusal("bad_request", f"the game has no ply {command.ply}")
        position = positions[command.ply]
        legal = position.legal(preview=True)
        client.send(
            Ok(
                id=command.id,
                room=command.room,
                seq=live.room.seq,
                boards=(position.board,),
                lasts=(position.last,),
                legal=legal,
            )
        )

    async def export(self, client: Client, command: Export) -> None:
        """Send the record of a finished game."""
        live = await self._registry.find(command.room, client)
        room, player = live.room, player_of(client)
        self._registry.evict_ended(live)
        require_record(room, player, "export")
        client.charge_done(room.ply // EXPORTED_PLIES_PER_MESSAGE)
        record = snapshots.record(room)
        if command.format == "text":
            text = "".join(await in_steps(client, text_lines(record)))
        else:
            moves = await in_steps(client, json_moves(record))
            text = json.dumps(to_json(record, moves), ensure_ascii=False)
        client.send(Ok(id=command.id, room=command.room, text=text))


async def in_steps(client: Client, plies: Iterator[T]) -> list[T]:
    """Return all items, one for each ply, with pauses in which other clients proceed."""
    items = list(islice(plies, EXPORTED_PLIES_PER_MESSAGE))
    while step := list(islice(plies, EXPORTED_PLIES_PER_MESSAGE)):
        await asyncio.sleep(client.pace(1))
        items += step
    return items
