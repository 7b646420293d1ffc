"""Matchmaking: pair waiting players with each other (server/domain/pairing.py), or with a house bot.

Who finds nobody waits in a room. Every node looks after those who wait at it: from time to time it moves them over to
the room of somebody who has come within reach, whatever node that one is at. One node at a time does so.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress

from protocol.commands import Join, Pair
from protocol.types import BotInfo, Options, Player, TimeControl
from server.domain import creation, ratings
from server.domain.decide import decide
from server.domain.decision import Decision, Refusal
from server.domain.pairing import Seeker, find_opponents, match_seekers, nearest_opponent
from server.domain.room import Room
from server.domain.seating import join, redirect
from server.rooms.admission import Founder
from server.rooms.client import Peer, require
from server.rooms.live_room import Live
from server.rooms.pending import THE_HOUSE, Pending
from server.rooms.processor import RETRY
from server.rooms.registry import Hall
from server.storage.interface import Unavailable
from server.storage.room_index import read_infos

LISTED = 1000  # rooms that are looked at
BOT_TIME = 2000  # milliseconds that a bot has to come before another one is asked
Terms = tuple[frozenset[tuple[str, int | str]], TimeControl, bool]  # who wants the same can play
Invite = Callable[[Live, str], None]


class Patience:
    """Somebody who waits at this node, and when the next bot may be asked."""

    def __init__(self, live: Live, bot_at: int | None) -> None:
        self.live, self.bot_at = live, bot_at
        self.asked: set[str] = set()  # bots that did not come


class Matchmaker:
    def __init__(self, hall: Hall, founder: Founder, invite: Invite) -> None:
        self._hall, self._founder, self._invite = hall, founder, invite
        self._turn = asyncio.Lock()  # so that two who look for an opponent find each other
        self._waiting: dict[str, Patience] = {}  # by room
        self._looking = False

    async def pair(self, peer: Peer, command: Pair) -> None:
        hall, player = self._hall, require(peer)
        options = creation.resolve_options(command.game, command.options, command.clock)
        met = await hall.store.last_opponent(player.id, player.name)
        async with self._turn, hall.store.lock("pair"):
            created = await self._founder.created(peer, command, met)
            who = await self._founder.rated(peer, command.game, options)
            seeker = Seeker("", player.id, who.rating, hall.now(), met, who.provisional)
            waits = (await self._waits(command.game)).get(terms(options, command.clock, command.rated), [])
            for wait in find_opponents(seeker, waits, seeker.since):
                live = await hall.room(wait.room)
                if live is not None and await self._seated(live, who):
                    hall.teller.enter(live, peer, command.id)
                    return
            live = await self._founder.open(creation.create_room(created, who, random.randrange(2)))
        hall.teller.enter(live, peer, command.id)
        bot_at = None if command.bot_after is None else seeker.since + command.bot_after
        self._waiting[live.room.id] = Patience(live, bot_at)

    async def _waits(self, game: str) -> dict[Terms, list[Seeker]]:
        waits: dict[Terms, list[Seeker]] = {}
        for info in read_infos(await self._hall.store.rooms(game, "waiting", LISTED)):
            seats = [seat for seat in info.seats if seat is not None]
            if info.paired and len(seats) == 1 and seats[0].online:
                (seat,) = seats
                wait = Seeker(info.room, seat.player, seat.rating, info.created_at, info.met, seat.provisional)
                waits.setdefault(terms(info.options, info.clock, info.rated), []).append(wait)
        return waits

    async def _seated(self, live: Live, who: Player) -> bool:
        """Whether there was still a seat; the next one to look, on any node, finds it taken."""

        def sit(room: Room, at: int) -> Decision:
            with suppress(Refusal):
                return decide(room, who, Join(id=0, room=room.id), at)
            return Decision((), room)

        self._hall.agenda.act(live, sit)
        if not await self._hall.agenda.turn(live):
            raise Refusal("unavailable", "no seat was found; try again", retry_after=RETRY)
        return live.room.status == "running" and live.room.seat_of(who.id) is not None

    # -- from time to time

    def look(self) -> None:
        """Look after those who wait here, unless that is being done already."""
        waiting = {name: wait for name, wait in self._waiting.items() if wait.live.room.status == "waiting"}
        self._waiting = waiting
        if waiting and not self._looking:
            self._looking = True
            self._hall.spawn(self._look())

    async def _look(self) -> None:
        try:
            async with self._turn, self._hall.store.lock("pair"):
                for game in {wait.live.room.setup.game for wait in self._waiting.values()}:
                    for waits in (await self._waits(game)).values():
                        for guest, host in match_seekers(waits, self._hall.now()):
                            await self._move_over(guest, host)
            for wait in list(self._waiting.values()):
                if wait.bot_at is not None and wait.bot_at <= self._hall.now():
                    await self._ask_a_bot(wait)
        except Unavailable:
            pass  # they wait a little longer
        finally:
            self._looking = False

    async def _move_over(self, guest: Seeker, host: Seeker) -> None:
        waiting, hall = self._waiting.get(guest.room), self._hall
        new = await hall.room(host.room) if waiting is not None else None
        if waiting is None or new is None:
            return  # another node sees to it
        old, now = waiting.live, hall.now()
        seat = old.room.seat_of(guest.player)
        if any(live.busy or live.queue or live.room.status != "waiting" for live in (old, new)) or seat is None:
            return  # the next time, perhaps
        with suppress(Refusal):
            who = creation.player_after_game(old.room, seat)
            joined = join(new.room, who, Join(id=0, room=host.room), now)
            left = redirect(old.room, host.room, now)
            leaving = Pending(hall, old, THE_HOUSE, left, None)
            joining = Pending(hall, new, THE_HOUSE, joined, None)
            hall.agenda.move_over(leaving, joining)

    async def _ask_a_bot(self, wait: Patience) -> None:
        """The bot whose rating is nearest, of those that have not been asked."""
        room, hall = wait.live.room, self._hall
        bots = [bot for bot in hall.lobby.bots() if fills_in(bot, room)]
        fresh = [bot.name for bot in bots if bot.name not in wait.asked]
        if not fresh:
            wait.asked.clear()  # they may have time later
            return
        now, setup = hall.now(), room.setup
        known = dict(await hall.store.leaders(ratings.profile(setup.game, setup.options), now, LISTED))
        mine = next((seat.rating for seat in room.seats if seat is not None), None)
        random.shuffle(fresh)
        name = nearest_opponent(mine, {name: known[name].rating if name in known else None for name in fresh})
        wait.asked.add(name)
        wait.bot_at = now + BOT_TIME
        if wait.live.room.status == "waiting":
            self._invite(wait.live, name)


def terms(options: Options, clock: TimeControl, rated: bool) -> Terms:
    return frozenset(options.items()), clock, rated


def fills_in(bot: BotInfo, room: Room) -> bool:
    return bot.house and room.setup.game in bot.plays and (bot.account or not room.setup.rated)
