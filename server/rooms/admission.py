"""How somebody gets a seat: new rooms, and a place in those that wait."""

from __future__ import annotations

from protocol.commands import Create, Join, Pair
from protocol.events import Created
from protocol.types import Options, Player
from server.domain import creation, ratings
from server.domain.decide import decide
from server.domain.decision import Decision, Refusal
from server.domain.room import Room
from server.ids import new_room_code, new_room_id
from server.rooms.client import Peer, require
from server.rooms.live_room import Live
from server.rooms.registry import Hall
from server.storage.interface import Conflict, append_and_wait
from server.storage.room_index import creation_append


class Founder:
    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._settings = hall.settings

    async def seated(self, peer: Peer, created: Created, seat: int) -> Decision:
        return creation.create_room(created, await self.rated(peer, created.game, created.options), seat)

    async def created(self, peer: Peer, command: Create | Pair, met: str = "") -> Created:
        options = creation.resolve_options(command.game, command.options, command.clock)
        full = command if isinstance(command, Create) else Create(id=0, game=command.game)
        if command.rated:
            creation.check_rated(options, require(peer) if full.players is None else None)
        await self.room_for_one_more(peer)
        now = self._hall.now()
        return Created(
            room=new_room_id(now),
            seq=1,
            at=now,
            game=command.game,
            options=options,
            clock=command.clock,
            by=require(peer).id,
            private=full.private,
            code=new_room_code() if full.private else "",
            invite=full.invite,
            rated=command.rated,
            paired=isinstance(command, Pair),
            delay=full.delay,
            illegal=full.illegal,
            players=full.players,
            arbiter=require(peer).name if full.players else "",
            expiry=int(self._settings.expiry * 1000),
            met=met,
        )

    async def open(self, founded: Decision) -> Live:
        first = creation_append(founded)
        try:
            await append_and_wait(self._hall.store, first)
        except Conflict:  # one chance in 2 ** 25 a second
            raise Refusal("unavailable", "that name was taken; try again", retry_after=0) from None
        return self._hall.admit(founded, first.payloads)

    async def seat(self, peer: Peer, live: Live, command: Join) -> None:
        who = await self.rated(peer, live.room.setup.game, live.room.setup.options)
        self._hall.agenda.submit(live, peer, command, lambda room, at: decide(room, who, command, at))
        await self._hall.agenda.turn(live)  # whoever is gone by then is not taken for one who is there

    async def rated(self, peer: Peer, game: str, options: Options) -> Player:
        """Who somebody is, with the rating at this game."""
        player = require(peer)
        if not player.account:
            return player
        known = await self._hall.store.ratings(ratings.profile(game, options), [player.id])
        return ratings.with_rating(player, known.get(player.id), self._hall.now())

    async def room_for_one_more(self, peer: Peer) -> None:
        most = self._settings.rooms_per_player
        if len(await self._hall.sits(require(peer).id)) >= most:
            raise Refusal("too_many_rooms", f"you sit in {most} open rooms already")
        if sum(1 for live in self._hall.rooms.values() if arbitrates(peer, live.room)) >= most:
            raise Refusal("too_many_rooms", f"you are the arbiter of {most} open rooms already")


def arbitrates(peer: Peer, room: Room) -> bool:
    return room.setup.players is not None and room.setup.by == require(peer).id and room.status != "ended"
