"""Admission: create rooms, and seat players in rooms that wait."""

from __future__ import annotations

from collections.abc import Mapping

from protocol.commands import Create, Join, Pair
from protocol.events import Created
from protocol.types import Options, Player
from runtime.token_bucket import TokenBuckets
from server.config import Settings
from server.domain import creation, ratings
from server.domain.decide import decide
from server.domain.decision import Decision, Refusal
from server.ids import new_room_code, new_room_id
from server.rooms.abort_pauses import AbortPauses
from server.rooms.client import Client, player_of
from server.rooms.live_room import LiveRoom
from server.rooms.processor import RoomProcessor, Share
from server.rooms.registry import RoomRegistry
from server.rooms.timers import Now
from server.storage.interface import Conflict, Store, append_and_wait
from server.storage.room_index import creation_append

MAX_ROOMS_AT_ONCE = 100  # that an address, or an account, may create
NEW_ROOMS = "rooms"  # what is shared with other workers


class Admission:
    """Checks the limits of a player, and writes new rooms and seats."""

    def __init__(
        self,
        *,
        store: Store,
        registry: RoomRegistry,
        processor: RoomProcessor,
        pauses: AbortPauses,
        settings: Settings,
        now: Now,
    ) -> None:
        self._store, self._registry, self._processor = store, registry, processor
        self._pauses, self._settings, self._now = pauses, settings, now
        self._room_rates = TokenBuckets(
            settings.rooms_per_minute / 60, float(min(settings.rooms_per_minute, MAX_ROOMS_AT_ONCE))
        )
        self.new_room_id = new_room_id
        self.share: Share = lambda what, key, number: None  # tells the other workers of this machine about a new room

    async def create_with_seat(self, client: Client, created: Created, seat: int) -> Decision:
        """Return the first events of a room whose creator has this seat."""
        return creation.create_room(created, await self.rated_player(client, created.game, created.options), seat)

    async def created_event(self, client: Client, command: Create | Pair, met: str = "") -> Created:
        """Return the first event of a new room. Raises Refusal if such a room is not allowed."""
        options = creation.resolve_options(command.game, command.options, command.clock)
        full = command if isinstance(command, Create) else Create(id=0, game=command.game)
        if command.rated:
            arbiter = full.players is not None
            openings = arbiter and client.allowance > 1
            creation.check_rated(options, command.clock, None if arbiter else player_of(client), openings=openings)
            if full.players is None:
                self._pauses.check(player_of(client).id)
        if isinstance(command, Create):
            self.check_room_rate(client)  # before the store is read
        await self.check_room_limit(client)
        invited_ids = await self.invited_ids(full)
        now = self._now()
        return Created(
            room=new_room_id(now) if full.players else self.new_room_id(now),  # an arbiter has many rooms
            seq=1,
            at=now,
            game=command.game,
            options=options,
            clock=command.clock,
            by=player_of(client).id,
            private=full.private,
            code=new_room_code() if full.private else "",
            invite=full.invite,
            rated=command.rated,
            paired=isinstance(command, Pair),
            delay=full.delay,
            illegal=full.illegal,
            players=full.players,
            arbiter=player_of(client).name if full.players else "",
            expiry=int(self._settings.expiry * 1000),
            met=met,
            invited_ids=invited_ids,
        )

    async def invited_ids(self, command: Create) -> tuple[str, ...]:
        """Return the players who have the names that a command invites now, "" for a name without a player."""
        names = command.players or ((command.invite,) if command.invite else ())
        return tuple([await self._store.player_named(name) for name in names])

    async def open(self, client: Client, created: Decision) -> LiveRoom:
        """Write a new room of a client to the store and load it. Raises Refusal or Unavailable."""
        append = creation_append(created)
        try:
            await append_and_wait(self._store, append)
        except Conflict:  # two rooms in one second share a name once in 2 ** 25 times
            raise Refusal("unavailable", "that name was taken; try again", retry_after=0) from None
        live = self._registry.add(created, append.payloads)
        live.origin = client.address
        return live

    async def join(self, client: Client, live: LiveRoom, command: Join) -> None:
        """Seat a player who has asked to join, and wait until that is decided."""
        if live.room.setup.rated and live.room.setup.players is None:  # no player can abort a game with an arbiter
            self._pauses.check(player_of(client).id)
        player = await self.rated_player(client, live.room.setup.game, live.room.setup.options)
        self._processor.submit(live, client, command, lambda room, at: decide(room, player, command, at))
        await self._processor.turn(live)  # a client that disconnects now is seated first, then marked offline

    async def rated_player(self, client: Client, game: str, options: Options) -> Player:
        """Return the client's player with the rating for this game."""
        player = player_of(client)
        if not player.account:
            return player
        known = await self._store.ratings(ratings.profile(game, options), [player.id])
        return ratings.with_rating(player, known.get(player.id), self._now())

    def check_room_rate(self, client: Client) -> None:
        """Count a new room of a client. Raises Refusal if its address, or its account, has created too many."""
        player, now_s = player_of(client), self._now() / 1000
        key = player.id if player.account else client.address
        seconds = self._room_rates.of(key, now_s).wait(now_s, 1 / client.allowance)
        if seconds:
            limit = self._settings.rooms_per_minute * client.allowance
            text = f"too many new rooms: create at most {limit} per minute; wait {seconds:.1f} seconds"
            raise Refusal("rate_limited", text, retry_after=seconds)
        self.share(NEW_ROOMS, key, 1 / client.allowance)

    def count_rooms_elsewhere(self, rooms: Mapping[str, float]) -> None:
        """Count new rooms at another worker, by account or address."""
        now_s = self._now() / 1000
        for key, count in rooms.items():
            self._room_rates.of(key, now_s).spend(count, now_s)

    async def check_room_limit(self, client: Client) -> None:
        """Raise Refusal if the player has as many open rooms as allowed."""
        limit = self._settings.rooms_per_player * client.allowance
        if len(await self._registry.rooms_of(player_of(client).id)) >= limit:
            raise Refusal("too_many_rooms", f"you already have a seat in {limit} open rooms; finish or leave one first")
        if self._registry.count_arbitrated(player_of(client).id) >= limit:
            raise Refusal("too_many_rooms", f"you are already the arbiter of {limit} open rooms; end one first")
