"""This node among others: what it does about news, and what it looks after in case that there were none.

Nobody owns a room, and the bus may lose anything. So whoever attends a room compares it with the store from time to
time, and whoever notices that a node died deals with the players it leaves behind.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from protocol.types import BotInfo, RoomInfo
from server.cluster.clock_sync import StoreClock
from server.domain.room import Room
from server.handlers.dispatcher import Desk
from server.logs import log
from server.rooms.live_room import Live
from server.rooms.registry import Hall
from server.storage.interface import Unavailable

DEAD = 5000  # milliseconds without a sign of life
CHECK = 10_000  # between looks for news that were lost; without the bus it is every sweep
MEASURE = 30_000  # between looks at the store's clock
UNUSED = 60_000  # after which a room that nobody attends here is forgotten


class Neighbours:
    def __init__(self, hall: Hall, desk: Desk, clock: StoreClock) -> None:
        self._hall, self._desk, self._clock = hall, desk, clock
        self._measured_at = self._checked_at = 0
        self._well_since: int | None = None  # since when the store has answered every time
        hall.bus.listen(self)
        hall.lobby.on_bots = hall.bus.introduce

    # -- news

    def now(self) -> int:
        return self._hall.now()

    def attends(self, room: str) -> bool:
        live = self._hall.rooms.get(room)
        return live is not None and not live.empty

    def heard(self, room: str, seq: int) -> None:
        live = self._hall.rooms.get(room)
        if live is not None and live.room.seq < seq and not live.empty:
            self._hall.others.behind(live, seq)

    def heard_lobby(self, rooms: tuple[RoomInfo, ...], plies: dict[str, int]) -> None:
        """Of those that are attended here the lobby hears from the hall."""
        for info in rooms:
            if not self.attends(info.room):
                self._hall.lobby.heard(info)
        elsewhere = {room: ply for room, ply in plies.items() if not self.attends(room)}
        self._hall.progress.heard(elsewhere)
        self._hall.lobby.advanced(elsewhere)

    def heard_bots(self, node: str, bots: tuple[BotInfo, ...]) -> None:
        self._hall.lobby.introduce_others(node, bots)

    def heard_watchers(self, node: str, counts: dict[str, int]) -> None:
        for name in self._hall.audience.heard(node, counts):
            if self.attends(name):  # of others the node tells in the lobby
                self._hall.lobby.changed(self._hall.rooms[name].room)

    def watchers(self) -> dict[str, int]:
        return self._hall.audience.here()

    def info(self, room: Room) -> RoomInfo:
        return self._hall.audience.info(room)

    def heard_invitation(self, room: str, name: str) -> None:
        if self._desk.present.is_here(name):
            self._hall.spawn(self._invite(room, name))

    async def _invite(self, room: str, name: str) -> None:
        with suppress(Unavailable):
            live = await self._hall.room(room)
            if live is not None and live.room.status == "waiting":
                self._desk.reception.invite_here(live, name)
            elif live is not None and live.room.status == "ended":
                self._invite_again(live)

    def _invite_again(self, live: Live) -> None:
        """For a rematch: those who have left the room behind see it, and then what is written to it meanwhile."""
        back = self._hall.attendance.gather(live)
        for peer in back:
            peer.send(live.snapshot(peer, self._hall.now()))
        if back and live.room.next:
            self._hall.spawn(self._hall.others.follow(live, live.room.next))
        else:
            self._hall.others.behind(live, live.room.seq + 1)  # the offer may just be written

    def news_again(self) -> None:
        self._checked_at = 0
        self._hall.spawn(self._check())

    def open_rooms(self) -> list[Room]:
        return [live.room for live in self._hall.rooms.values() if not live.empty]

    # -- from time to time

    async def start(self) -> None:
        await self._measure()

    async def look(self) -> None:
        """Unavailable, as soon as the store is."""
        try:
            await self._say_that_we_are_here()
            await self._desk.present.free_names()
            await self._measure()
            await self._bury()
            await self._check()
        except Unavailable:
            self._well_since = None
            raise
        self._forget()

    async def _say_that_we_are_here(self) -> None:
        hall = self._hall
        known = await hall.store.mark_alive(hall.node, hall.now())
        hall.works()
        back = self._well_since is None
        if back:
            self._well_since = hall.now()
            for live in hall.rooms.values():  # the others may have postponed deadlines meanwhile
                live.stored_due = None
        if back or not known:
            await self._desk.present.tell()

    async def _measure(self) -> None:
        if self._hall.now() - self._measured_at >= MEASURE:
            await self._clock.sync(self._hall.store)
            self._measured_at = self._hall.now()

    async def _bury(self) -> None:
        """Players of nodes that died are away, unless they have come to another one. First they get their chance."""
        hall, now = self._hall, self._hall.now()
        if self._well_since is None or now - self._well_since < DEAD:
            return
        for player in await hall.store.remove_dead_nodes(now - DEAD):
            log("left_behind", player=player)
            for name in await hall.store.rooms_of(player):
                live = await hall.room(name)
                seat = None if live is None else live.room.seat_of(player)
                if live is not None and seat is not None and not live.players[seat]:
                    hall.agenda.act(live, partial(hall.attendance.presence_of, live, seat))

    async def _check(self) -> None:
        """Compare the rooms that somebody attends here with the store."""
        hall, now = self._hall, self._hall.now()
        if hall.bus.up and now - self._checked_at < CHECK:
            return
        self._checked_at = now
        attended = [name for name, live in hall.rooms.items() if not live.empty]
        with suppress(Unavailable):  # then it is noticed elsewhere
            for name, seq in (await hall.store.latest_seqs(attended) if attended else {}).items():
                self.heard(name, seq)

    def _forget(self) -> None:
        hall, now = self._hall, self._hall.now()
        for name, live in list(hall.rooms.items()):
            if not unused(live):
                live.used_at = now
            elif now - live.used_at > UNUSED:
                if live.alarm is not None:
                    live.alarm.cancel()
                del hall.rooms[name]


def unused(live: Live) -> bool:
    return live.empty and not live.busy and not live.queue
