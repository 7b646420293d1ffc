"""Matchmaking: pair waiting players with each other (server/domain/pairing.py), or with a house bot.

A player who finds no opponent waits in a room. In each sweep, a node moves the players who wait at it to the room of an
acceptable opponent at any node. A lock lets one node pair at a time.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress

from protocol.commands import Join, Pair
from protocol.types import BotInfo, Options, Player, TimeControl
from runtime.tasks import BackgroundTasks
from server.domain import creation, ratings
from server.domain.decide import decide
from server.domain.decision import Decision, Refusal
from server.domain.pairing import Seeker, find_opponents, match_seekers, nearest_opponent
from server.domain.room import Room
from server.domain.seating import join, redirect
from server.lobby.feed import LobbyFeed
from server.rooms.admission import Admission
from server.rooms.broadcast import Broadcaster
from server.rooms.client import Client, player_of
from server.rooms.live_room import LiveRoom
from server.rooms.processor import RoomProcessor
from server.rooms.registry import RoomRegistry
from server.rooms.status import RETRY_AFTER_S
from server.rooms.timers import Now
from server.storage.interface import Store, Unavailable
from server.storage.room_index import read_infos

MAX_ROOMS_READ = 1000
ROOMS_DECODED_AT_ONCE = 100  # that many keep the event loop busy for about 0.1 ms
BOT_ANSWER_MS = 2000  # time for a bot to accept before the next one is asked
Terms = tuple[frozenset[tuple[str, int | str]], TimeControl, bool]  # players who want the same terms can meet
Invite = Callable[[LiveRoom, str], None]


class WaitingPlayer:
    """A player who waits at this node, and when the next bot may be asked."""

    def __init__(self, live: LiveRoom, bot_at: int | None) -> None:
        self.live, self.bot_at = live, bot_at
        self.asked: set[str] = set()  # bots that were invited and have not joined


class Matchmaker:
    """Answers `pair`, and finds opponents for the players who wait."""

    def __init__(
        self,
        *,
        store: Store,
        registry: RoomRegistry,
        processor: RoomProcessor,
        admission: Admission,
        broadcaster: Broadcaster,
        feed: LobbyFeed,
        invite: Invite,
        tasks: BackgroundTasks,
        now: Now,
    ) -> None:
        self._store, self._registry, self._processor, self._admission = store, registry, processor, admission
        self._broadcaster, self._feed, self._invite, self._tasks, self._now = broadcaster, feed, invite, tasks, now
        self._turn = asyncio.Lock()  # so that two players who arrive together find each other
        self._waiting: dict[str, WaitingPlayer] = {}  # by room
        self._pairing = False

    async def pair(self, client: Client, command: Pair) -> None:
        """Seat a player opposite the best opponent who waits, or in a new room. Raises Refusal or Unavailable."""
        player = player_of(client)
        options = creation.resolve_options(command.game, command.options, command.clock)
        met = await self._store.last_opponent(player.id, player.name)
        async with self._turn, self._store.lock("pair"):
            created = await self._admission.created_event(client, command, met)
            rated = await self._admission.rated_player(client, command.game, options)
            seeker = Seeker("", player.id, rated.rating, self._now(), met, rated.provisional)
            waits = (await self._waits(command.game)).get(terms(options, command.clock, command.rated), [])
            for wait in find_opponents(seeker, waits, seeker.since):
                live = await self._registry.room(wait.room)
                if live is not None and await self._seat(live, rated):
                    self._broadcaster.seat(live, client, command.id)
                    return
            self._admission.check_room_rate(client)
            live = await self._admission.open(client, creation.create_room(created, rated, random.randrange(2)))
        self._broadcaster.seat(live, client, command.id)
        bot_at = None if command.bot_after is None else seeker.since + command.bot_after
        self._waiting[live.room.id] = WaitingPlayer(live, bot_at)

    async def _waits(self, game: str) -> dict[Terms, list[Seeker]]:
        waits: dict[Terms, list[Seeker]] = {}
        stored = await self._store.rooms(game, "waiting", MAX_ROOMS_READ)
        for first in range(0, len(stored), ROOMS_DECODED_AT_ONCE):
            await asyncio.sleep(0)  # other clients proceed
            for info in read_infos(stored[first : first + ROOMS_DECODED_AT_ONCE]):
                seats = [seat for seat in info.seats if seat is not None]
                if info.paired and len(seats) == 1 and seats[0].online:
                    (seat,) = seats
                    wait = Seeker(info.room, seat.player, seat.rating, info.created_at, info.met, seat.provisional)
                    waits.setdefault(terms(info.options, info.clock, info.rated), []).append(wait)
        return waits

    async def _seat(self, live: LiveRoom, player: Player) -> bool:
        """Seat a player if the seat is still free; return whether it was."""

        def sit(room: Room, at: int) -> Decision:
            with suppress(Refusal):
                return decide(room, player, Join(id=0, room=room.id), at)
            return Decision((), room)

        self._processor.act(live, sit)
        if not await self._processor.turn(live):
            raise Refusal("unavailable", "no seat was found; try again", retry_after=RETRY_AFTER_S)
        return live.room.status == "running" and live.room.seat_of(player.id) is not None

    # -- periodic work

    def sweep(self) -> None:
        """Pair the players who wait here, unless that is under way."""
        loaded = self._registry.rooms
        waiting = {
            name: wait
            for name, wait in self._waiting.items()
            if wait.live.room.status == "waiting" and loaded.get(name) is wait.live  # else it has been evicted
        }
        self._waiting = waiting
        if waiting and not self._pairing:
            self._pairing = True
            self._tasks.start(self._pair_waiting())

    async def _pair_waiting(self) -> None:
        try:
            async with self._turn, self._store.lock("pair"):
                for game in {wait.live.room.setup.game for wait in self._waiting.values()}:
                    for waits in (await self._waits(game)).values():
                        for guest, host in match_seekers(waits, self._now()):
                            await self._move_over(guest, host)
            for wait in list(self._waiting.values()):
                if wait.bot_at is not None and wait.bot_at <= self._now():
                    await self._ask_bot(wait)
        except Unavailable:
            pass  # the next sweep tries again
        finally:
            self._pairing = False

    async def _move_over(self, guest: Seeker, host: Seeker) -> None:
        waiting = self._waiting.get(guest.room)
        new = await self._registry.room(host.room) if waiting is not None else None
        if waiting is None or new is None:
            return  # the guest waits at another node, which does this
        old, now = waiting.live, self._now()
        seat = old.room.seat_of(guest.player)
        if any(live.busy or live.queue or live.room.status != "waiting" for live in (old, new)) or seat is None:
            return  # the next sweep tries again
        with suppress(Refusal):
            player = creation.player_after_game(old.room, seat)
            joining = join(new.room, player, Join(id=0, room=host.room), now)
            leaving = redirect(old.room, host.room, now)
            self._processor.move_over(old, leaving, new, joining)

    async def _ask_bot(self, wait: WaitingPlayer) -> None:
        """Invite the house bot with the nearest rating that has not been asked yet."""
        room = wait.live.room
        bots = [bot for bot in self._feed.bots() if can_fill_in(bot, room)]
        fresh = [bot.name for bot in bots if bot.name not in wait.asked]
        if not fresh:
            wait.asked.clear()  # so that they are asked again
            return
        now, setup = self._now(), room.setup
        known = dict(await self._store.leaders(ratings.profile(setup.game, setup.options), now, MAX_ROOMS_READ))
        mine = next((seat.rating for seat in room.seats if seat is not None), None)
        random.shuffle(fresh)
        name = nearest_opponent(mine, {name: known[name].rating if name in known else None for name in fresh})
        wait.asked.add(name)
        wait.bot_at = now + BOT_ANSWER_MS
        if wait.live.room.status == "waiting":
            self._invite(wait.live, name)


def terms(options: Options, clock: TimeControl, rated: bool) -> Terms:
    """Return what two players must agree on to meet."""
    return frozenset(options.items()), clock, rated


def can_fill_in(bot: BotInfo, room: Room) -> bool:
    """Return whether a house bot may play in a room that waits for an opponent."""
    return bot.house and room.setup.game in bot.plays and (bot.account or not room.setup.rated)
