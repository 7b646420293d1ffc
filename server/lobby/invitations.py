"""Invitations: tell players that a room waits for them, at this node or another."""

from __future__ import annotations

from protocol.replies import Invited
from server.domain import snapshots
from server.domain.seating import find_invitation, invited_names, needs_code
from server.rooms.client import Client, player_of
from server.rooms.live_room import LiveRoom
from server.rooms.presence import PresenceTracker
from server.rooms.processor import RoomBus


class Invitations:
    """Sends `invited` to clients."""

    def __init__(self, presence: PresenceTracker, bus: RoomBus) -> None:
        self._presence, self._bus = presence, bus

    def send(self, live: LiveRoom, name: str) -> None:
        """Invite a player, wherever the player is connected."""
        self.send_here(live, name)
        self._bus.invite(live.room, name)

    def send_here(self, live: LiveRoom, name: str) -> None:
        """Invite a player who is connected to this node."""
        for client in self._presence.named(name):
            self.send_to(live, client)

    def send_to(self, live: LiveRoom, client: Client) -> None:
        """Invite the player of one client, unless the player has a seat or may not take one without a code."""
        room, player = live.room, player_of(client)
        reserved = bool(invited_names(room.setup)) and find_invitation(room.setup, player) is None
        if room.seat_of(player.id) is None and not reserved and not needs_code(room, player):
            names = [seat.name for seat in live.room.seats if seat is not None]
            by = live.room.setup.arbiter or names[0]
            client.send(Invited(by=by, room=snapshots.room_info(live.room)))
