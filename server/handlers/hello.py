"""Hello: welcome a client, put its player back into open rooms, and deliver invitations."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from engine.registry import GAMES
from protocol.commands import Hello
from protocol.replies import Welcome
from protocol.types import MAX_PROGRAM_CHARS, WISHES, BotInfo, Player, replace
from protocol.usernames import fold
from protocol.weights import RESUMED_ROOMS_PER_MESSAGE, USUAL_LOG_EVENTS
from server.config import ARBITER_ALLOWANCE, Settings
from server.domain import snapshots
from server.domain.decision import Refusal
from server.handlers.auth import Identity, identify
from server.lobby.feed import LobbyFeed
from server.lobby.invitations import Invitations
from server.rooms.client import Client
from server.rooms.membership import Membership
from server.rooms.presence import PresenceTracker
from server.rooms.registry import RoomRegistry
from server.rooms.status import RETRY_AFTER_S, NodeStatus
from server.rooms.timers import Now
from server.storage.interface import PlayerRooms, Store, Unavailable

SESSION_RENEWAL_MS = 3_600_000  # a session is saved again if its time is further away, so that it does not expire
INVITATIONS_AT_ONCE = 5  # sending these keeps the event loop busy for about 0.1 ms


class HelloHandler:
    """Answers `hello`."""

    def __init__(
        self,
        *,
        node: str,
        settings: Settings,
        store: Store,
        registry: RoomRegistry,
        membership: Membership,
        presence: PresenceTracker,
        feed: LobbyFeed,
        invitations: Invitations,
        status: NodeStatus,
        now: Now,
    ) -> None:
        self._node, self._settings, self._store, self._registry = node, settings, store, registry
        self._membership, self._presence, self._feed = membership, presence, feed
        self._invitations, self._status, self._now = invitations, status, now
        self._house_bots = {name.strip() for name in settings.house.split(",")}
        self._arbiters = {fold(name.strip()) for name in settings.arbiters.split(",")}
        self._limits = settings.limits()
        self._late_heartbeat_ms = int(2000 * settings.sweep)  # nodes send one in every sweep

    async def hello(self, client: Client, command: Hello) -> None:
        """Welcome a client. Raises Refusal or Unavailable."""
        if client.player is not None:
            raise Refusal("already_welcome", "you have already said hello")
        if self._status.draining:
            raise Refusal(
                "draining", "the server is about to restart; reconnect in a moment", retry_after=RETRY_AFTER_S
            )
        check_program(command)
        invitations_before = self._invitations.sent
        identity = await identify(self._store, self._settings, command, self._node, client.voucher)
        rooms = identity.rooms
        if rooms is None or abs(self._now() - identity.saved_at) > SESSION_RENEWAL_MS:
            rooms = await self._save(identity)
        seated = [name for name in rooms.seated if name not in self._registry.damaged]
        seen_at = await self._lost_node(identity.player) if seated else None
        client.account_change = identity.account_change
        client.player = player = replace(
            identity.player,
            bot=command.bot or bool(command.plays),
            engine=command.engine,
            version=command.version,
        )
        limits = self._limits
        if player.account and fold(player.name) in self._arbiters:
            client.raise_limits(ARBITER_ALLOWANCE)
            limits = self._settings.limits(ARBITER_ALLOWANCE)
        client.wishes = WISHES.intersection(command.wants)
        self._presence.add(client)  # from now on, the client gets the invitations of its player
        missed_invitations = self._invitations.sent != invitations_before
        if command.plays:
            self._list_bot(client, player, command)
        client.send(
            Welcome(
                id=command.id,
                you=player,
                session=identity.secret,
                server="parlour",
                limits=limits,
                games=snapshots.game_list(),
                rooms=tuple(seated),
            )
        )
        if len(seated) >= RESUMED_ROOMS_PER_MESSAGE:
            client.charge_done(len(seated) // RESUMED_ROOMS_PER_MESSAGE)
        for number, name in enumerate(seated):
            if number:
                await asyncio.sleep(client.pace(1 / RESUMED_ROOMS_PER_MESSAGE))
                if not self._presence.has(client):  # disconnected meanwhile
                    return
            live = await self._registry.room(name, client, USUAL_LOG_EVENTS)
            if live is not None:
                if seen_at is not None:
                    await self._membership.returned(live, player.id, seen_at)
                seat = self._membership.enter(live, client)
                client.send(live.snapshot(client, seat, self._now()))
        with suppress(Unavailable):  # presence is reported again later, and lists show the rooms that wait
            await self._store.mark_present(self._node, [(player.id, player.name)])
            if missed_invitations:  # one of them may be for this player
                rooms = await self._store.rooms_for(player.id, player.name)
            for number, name in enumerate(rooms.waiting, 1):
                if number % INVITATIONS_AT_ONCE == 0:
                    await asyncio.sleep(client.pace(1))
                    if not self._presence.has(client):
                        return
                waiting = await self._registry.room(name)
                if waiting is not None and waiting.room.status == "waiting":
                    self._invitations.send_to(waiting, client)

    async def _lost_node(self, player: Player) -> int | None:
        """Return when the node of a player was last known to work, or None if it still works."""
        if not self._store.shared or self._presence.is_here(player.name):
            return None
        seen_at = await self._store.seen_at(player.id, self._node)
        return None if seen_at is None or self._now() - seen_at < self._late_heartbeat_ms else seen_at

    async def _save(self, identity: Identity) -> PlayerRooms:
        """Save a session before the client learns its secret. Return the player's rooms.

        Raises Refusal if the account has changed since the client was identified, or Unavailable.
        """
        player = identity.player
        self._presence.expect(player)
        try:
            now, change = self._now(), identity.account_change
            if not await self._store.save_session(identity.secret, identity.session, now, change):
                raise Refusal(
                    "bad_token" if identity.rooms is None else "bad_session",
                    "the token of your account was replaced or revoked; connect with the new one",
                )
            return await self._store.rooms_for(player.id, player.name)
        except (Refusal, Unavailable):
            self._presence.release(player)
            raise
        finally:
            self._presence.stop_expecting(player)

    def _list_bot(self, client: Client, player: Player, command: Hello) -> None:
        """List a bot that plays any of our games in the lobby."""
        plays = tuple(game for game in GAMES if game in command.plays)
        if plays:
            house = player.account and player.name in self._house_bots
            bot = BotInfo(
                name=player.name,
                plays=plays,
                account=player.account,
                house=house,
                engine=player.engine,
                version=player.version,
                concurrent=command.concurrent,
                ladder=command.ladder,
            )
            self._feed.add_bot(client, bot)


def check_program(hello: Hello) -> None:
    """Raise Refusal if the program of a client has no printable name or version, or too long ones."""
    for field, text in (("engine", hello.engine), ("version", hello.version)):
        if len(text) > MAX_PROGRAM_CHARS or not text.isprintable():
            raise Refusal("bad_request", f"`{field}` has at most {MAX_PROGRAM_CHARS} printable characters")
