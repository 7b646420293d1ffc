"""Who plays whom: those who look for an opponent find each other."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress

from protocol import messages as m
from protocol.messages import RoomInfo
from protocol.wire import read_part
from server import found
from server.decide import Decision
from server.founder import Founder
from server.hall import RETRY, Hall
from server.lists import LISTED
from server.live import Live
from server.peer import Peer, require
from server.room import Room


class Matchmaker:
    def __init__(self, hall: Hall, founder: Founder) -> None:
        self._hall, self._founder = hall, founder
        self._pairing = asyncio.Lock()  # so that two who look for an opponent find each other

    async def pair(self, peer: Peer, command: m.Pair) -> None:
        async with self._pairing, self._hall.store.alone("pair"):
            options = found.settle(command.game, command.options, command.clock)
            for data in await self._hall.store.rooms(command.game, "waiting", LISTED):
                info = read_part(data, RoomInfo)
                same = (info.paired, info.options, info.clock, info.rated) == (
                    True,
                    options,
                    command.clock,
                    command.rated,
                )
                live = await self._hall.room(info.room) if same else None
                if live is not None and self._waits_for(live, peer):
                    await self._founder.room_for_one_more(peer)
                    await self._founder.seat(peer, live, m.Join(id=command.id, room=info.room))
                    await self._decided(live)  # the next one to look, on any node, finds the seat taken
                    return
            created = await self._founder.created(peer, command)
            live = await self._founder.open(await self._founder.seated(peer, created, random.randrange(2)))
            self._hall.teller.enter(live, peer, command.id)

    async def _decided(self, live: Live) -> None:
        """Once everything before has had its turn in this room."""
        turn = asyncio.Event()

        def reached(room: Room, at: int) -> Decision:
            turn.set()
            return Decision((), room)

        self._hall.act(live, reached)
        with suppress(TimeoutError):
            await asyncio.wait_for(turn.wait(), RETRY)

    def _waits_for(self, live: Live, peer: Peer) -> bool:
        room = live.room
        free = room.status == "waiting" and None in room.seats and room.away == (None, None) and not live.busy
        return free and room.seat_of(require(peer).id) is None
