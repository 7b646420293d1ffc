"""Invitations: tell players that a room waits for them, at this node or another."""

from __future__ import annotations

from collections.abc import Mapping

from protocol.replies import Invited
from server.domain import snapshots
from server.domain.decision import Refusal
from server.domain.seating import find_invitation, invited_names, needs_code
from server.lobby.feed import LobbyFeed
from server.lobby.house_queue import HouseQueue
from server.rooms.client import Client, player_of
from server.rooms.live_room import LiveRoom
from server.rooms.presence import PresenceTracker
from server.rooms.processor import RoomBus
from server.rooms.timers import Now


class Invitations:
    """Sends `invited` to clients. Invitations of house bots wait in a fair queue for each connection of the bot."""

    def __init__(
        self, *, presence: PresenceTracker, bus: RoomBus, feed: LobbyFeed, rooms: Mapping[str, LiveRoom], now: Now
    ) -> None:
        """`rooms`: the rooms that are loaded at this node, by id."""
        self._presence, self._bus, self._feed, self._rooms, self._now = presence, bus, feed, rooms, now
        self._queues: dict[Client, HouseQueue] = {}
        self.sent = 0  # to players at this node, whether connected or not: see handlers/hello.py

    def send(self, live: LiveRoom, name: str) -> None:
        """Invite a player, wherever the player is connected."""
        self.send_here(live, name)
        self._bus.invite(live.room, name, live.origin)

    def send_here(self, live: LiveRoom, name: str) -> None:
        """Invite a player who is connected to this node."""
        self.sent += 1
        for client in self._presence.named(name):
            self.send_to(live, client)

    def send_to(self, live: LiveRoom, client: Client) -> None:
        """Invite the player of one client, unless the player has a seat or may not take one without a code."""
        room, player = live.room, player_of(client)
        reserved = bool(invited_names(room.setup)) and find_invitation(room.setup, player) is None
        if room.seat_of(player.id) is not None or reserved or needs_code(room, player):
            return
        queue = self._queue_of(client)
        if queue is None:
            send_invited(live, client)
        else:
            queue.add(live)
            send_queued(client, queue)

    def _queue_of(self, client: Client) -> HouseQueue | None:
        """Return the queue of a house bot that says how many games it plays at a time, or None."""
        bot = self._feed.bot_of(client)
        if bot is None or not bot.house or not bot.concurrent:
            return None
        if client not in self._queues:
            self._queues[client] = HouseQueue(bot.concurrent, self._rooms, self._now)
        return self._queues[client]

    def sweep(self) -> None:
        """Send the invitations for which a house bot has a place by now."""
        for client, queue in self._queues.items():
            send_queued(client, queue)

    def check_rematch(self, live: LiveRoom, client: Client) -> None:
        """Check a rematch that a client offers or accepts. Raises Refusal if a house bot has no place for it."""
        if self._queue_of(client) is None:
            live.origin = live.origin or client.address  # unknown if the room was loaded from the store
        for seat in live.room.seats:
            for bot in self._presence.named(seat.name) if seat is not None else ():
                queue = self._queue_of(bot)
                if queue is None:
                    continue
                send_queued(bot, queue)  # rooms that wait come first
                if not queue.has_place(live, games_of(bot)):
                    text = f"{player_of(bot).name} has no place for you now: finish another game with it, or try later"
                    raise Refusal("too_many_rooms", text)
                if live.room.rematch_offer is not None:
                    queue.accept_rematch(live)

    def disconnect(self, client: Client) -> None:
        """Forget the queue of a disconnected bot. It gets the invitations again when it returns."""
        self._queues.pop(client, None)


def send_queued(client: Client, queue: HouseQueue) -> None:
    """Invite a house bot to the rooms for which it has a place."""
    while queue.waiting and (live := queue.next(games_of(client))) is not None:
        send_invited(live, client)


def send_invited(live: LiveRoom, client: Client) -> None:
    names = [seat.name for seat in live.room.seats if seat is not None]
    by = live.room.setup.arbiter or names[0]
    client.send(Invited(by=by, room=snapshots.room_info(live.room)))


def games_of(client: Client) -> dict[str, LiveRoom]:
    """Return the open rooms in which the player of a client has a seat."""
    player = player_of(client)
    return {
        id: live
        for id, live in client.rooms.items()
        if live.room.status != "ended" and live.room.seat_of(player.id) is not None
    }
