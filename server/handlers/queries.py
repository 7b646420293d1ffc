"""What there is to read: rooms that are open, games that are over."""

from __future__ import annotations

import json

from engine.record import to_json, write
from protocol.commands import Export, History, Leaderboard, List, Lobby, Ratings
from protocol.replies import LobbyUpdate, Ok
from protocol.types import RoomInfo
from server.domain import ratings, snapshots
from server.domain.decision import Refusal
from server.rooms.client import Peer, require
from server.rooms.registry import Hall
from server.storage.room_index import read_infos

LISTED = 200  # rooms in a list or in the lobby


class Lists:
    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    async def _infos(self, game: str, status: str) -> tuple[RoomInfo, ...]:
        stored = read_infos(await self._hall.store.rooms(game, status, LISTED))
        known = [self._as_known(info) for info in stored if info.room not in self._hall.damaged]
        if status != "ended":
            known.sort(key=lambda info: info.created_at, reverse=True)  # the store tells rooms of one second not apart
        return tuple(known)

    def _as_known(self, info: RoomInfo) -> RoomInfo:
        hall, live = self._hall, self._hall.rooms.get(info.room)
        if live is None or not hall.is_fresh(live):
            return hall.progress.fill_in(hall.audience.fill_in(info))
        return hall.audience.info(live.room)

    async def list(self, peer: Peer, command: List) -> None:
        rooms = await self._infos(command.game, command.status or "")
        peer.send(Ok(id=command.id, rooms=rooms))

    async def lobby(self, peer: Peer, command: Lobby) -> None:
        if not command.on:
            self._hall.lobby.leave(peer)
            peer.send(Ok(id=command.id))
            return
        self._hall.lobby.enter(peer)
        rooms = await self._infos("", "")
        peer.send(Ok(id=command.id))
        peer.send(LobbyUpdate(rooms=rooms, full=True, bots=self._hall.lobby.bots()))

    async def history(self, peer: Peer, command: History) -> None:
        store = self._hall.store
        games = await store.history(command.game, command.player, command.before, command.limit)
        rooms = tuple(read_infos(data for _, data in games))
        before = games[-1][0] if len(games) == command.limit else None
        peer.send(Ok(id=command.id, rooms=rooms, before=before))

    async def leaderboard(self, peer: Peer, command: Leaderboard) -> None:
        now = self._hall.now()
        profile = ratings.resolve_profile(command.game, command.options)
        found = await self._hall.store.leaders(profile, now, command.limit)
        leaders = tuple(ratings.leaderboard_entry(name, row, now) for name, row in found)
        peer.send(Ok(id=command.id, leaders=leaders))

    async def ratings(self, peer: Peer, command: Ratings) -> None:
        store, profile = self._hall.store, ratings.resolve_profile(command.game, command.options)
        account = await store.account_named(command.player)
        if account is None:
            raise Refusal("bad_request", f"no name with a token is {command.player[:40]!r}; guests have no ratings")
        rows = await store.rating_history(profile, account.player, command.before, command.limit)
        before = rows[-1].games if len(rows) == command.limit else None
        peer.send(Ok(id=command.id, ratings=tuple(map(ratings.rated_game, rows)), before=before))

    async def export(self, peer: Peer, command: Export) -> None:
        live = await self._hall.find(command.room)
        room, player = live.room, require(peer)
        self._hall.let_go(live)
        if room.setup.private and room.seat_of(player.id) is None and player.id != room.setup.by:
            raise Refusal("bad_code", "this room was private")
        if room.status != "ended":
            raise Refusal("too_early", "the game is not over")
        record = snapshots.record(room)
        text = write(record) if command.format == "text" else json.dumps(to_json(record), ensure_ascii=False)
        peer.send(Ok(id=command.id, room=command.room, text=text))
