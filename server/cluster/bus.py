"""The bus: tells other nodes, and outside readers, what happened. The store has the truth; the bus only announces it.

Nodes that have a room loaded get the bytes of its events. Messages may be lost: a node that misses a seq reads the
store. It also reads the store at intervals without any message (server/cluster/node.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from protocol.events import AnyEvent
from protocol.replies import TournamentUpdate
from protocol.types import BotInfo, ReviewState, RoomInfo
from server.domain.room import Room

Payloads = tuple[bytes, ...]  # encoded events, as they are stored


class BusListener(Protocol):
    """What a node does with messages of the bus, its own included."""

    def now(self) -> int:
        """Return the server's time in milliseconds."""

    def room_announced(self, room: str, seq: int) -> None:
        """Handle the news that a room's newest event has this seq."""

    def lobby_announced(self, rooms: tuple[RoomInfo, ...], plies: dict[str, int]) -> None:
        """Handle public rooms that have changed, and the plies of games that have advanced."""

    def bots_announced(self, node: str, bots: tuple[BotInfo, ...]) -> None:
        """Handle the list of bots connected to another node; it is empty if the node is gone."""

    def watchers_announced(self, node: str, counts: dict[str, int]) -> None:
        """Handle the number of watchers of public rooms at another node."""

    def invitation_announced(self, room: str, name: str, origin: str = "") -> None:
        """Handle an invitation of a player to a room. `origin` is the same for invitations from one address."""

    def tournament_announced(self, update: TournamentUpdate) -> None:
        """Handle a report on a tournament."""

    def review_announced(self, room: str, state: ReviewState, done: int, total: int) -> None:
        """Handle the news that the review of a game was requested, advances, or has ended. `state`: a ReviewState."""

    def bus_reconnected(self) -> None:
        """Handle the return of the bus: messages may have been lost."""

    def bus_silent(self) -> None:
        """Handle the end of `Bus.responsive`: messages in both directions are late, or lost."""

    def watchers(self) -> dict[str, int]:
        """Return the number of watchers of each public room at this node."""

    def info(self, room: Room) -> RoomInfo:
        """Return a room's line in lists."""

    def open_rooms(self) -> list[Room]:
        """Return the rooms with clients at this node."""

    def loaded_rooms(self) -> dict[str, int]:
        """Return the seq of every room that is loaded at this node."""

    def room_loaded(self, room: str) -> int:
        """Return the seq of a room, 0 if it is not loaded at this node."""

    def events_received(self, room: str, seq: int, payloads: Payloads, deadline: int | None) -> None:
        """Handle events that another node has written. `deadline`: the room's deadline in the index, if known."""

    def rematch_withdrawn(self, room: str) -> None:
        """Handle a player of another node who has left after offering a rematch."""

    def numbers_shared(self, node: str, what: str, numbers: dict[str, float]) -> None:
        """Handle numbers of another worker; see WorkerBus.share."""

    def shared_numbers(self) -> dict[str, dict[str, float]]:
        """Return the numbers that a newly connected worker must know."""

    def metrics_sample(self) -> Any:
        """Return the metrics of this worker."""

    def node_left(self, node: str) -> None:
        """Forget another worker, which has ended."""


class Bus(Protocol):
    """Publishes what happens at this node."""

    @property
    def has_listeners(self) -> bool:
        """Whether another node or a subscriber receives what is published."""

    @property
    def sends_events(self) -> bool:
        """Whether rooms get their events from the other nodes, and need not read them from the store."""

    @property
    def up(self) -> bool:
        """Whether the bus is connected."""

    @property
    def responsive(self) -> bool:
        """Whether the bus is connected, and messages of this node arrive in time."""

    def reaches(self, node: str) -> bool:
        """Return whether another node is connected to the bus, as far as this one knows."""

    @property
    def overloaded(self) -> bool:
        """Whether the bus does not take messages as fast as this node has them: then it keeps only the latest."""

    @property
    def unsent_bytes(self) -> int:
        """Bytes that wait to be sent."""

    @property
    def coalesced(self) -> int:
        """Number of messages that a later one has replaced during an overload."""

    @property
    def lost(self) -> int:
        """Number of messages that could not be sent."""

    @property
    def unreadable(self) -> int:
        """Number of messages that were received and could not be used."""

    async def open(self) -> None:
        """Connect. Raises BusError if the bus cannot be used."""

    async def close(self) -> None:
        """Disconnect."""

    def listen(self, listener: BusListener) -> None:
        """Call a listener for every message."""

    def publish(self, room: Room, events: Sequence[AnyEvent], payloads: Payloads, deadline: int | None) -> None:
        """Publish durable events, and the room after them. `deadline`: the room's deadline in the index, if known."""

    def follow(self, room: str, seq: int) -> None:
        """Ask the other nodes for the events after `seq` of a room that was read from the store."""

    def unfollow(self, room: str) -> None:
        """Ask the other nodes for no more events of a room."""

    def withdraw_rematch(self, room: str) -> None:
        """Tell the other nodes that have a room loaded that a player has left after offering a rematch."""

    async def metrics_samples(self) -> list[Any]:
        """Return the metrics of the other workers of this machine."""

    def show(self, room: Room) -> None:
        """Announce that the entry of a room in lists has changed."""

    def advance(self, plies: dict[str, int]) -> None:
        """Announce the plies of public games that have advanced."""

    def introduce(self, bots: tuple[BotInfo, ...]) -> None:
        """Announce all bots that are connected to this node."""

    def invite(self, room: Room, name: str, origin: str = "") -> None:
        """Announce an invitation of a player, who may be at another node. `origin`: the address it comes from."""

    def report(self, update: TournamentUpdate) -> None:
        """Announce a report on a tournament."""

    def announce_review(self, room: str, state: ReviewState, done: int = 0, total: int = 0) -> None:
        """Announce that the review of a game was requested, advances, or has ended."""


class WorkerBus(Bus, Protocol):
    """A bus that reaches the other workers of this machine."""

    def share(self, what: str, key: str, number: float) -> None:
        """Tell the other workers a number that counts for a limit of the whole server."""


class WithoutWorkers:
    """The part of a bus that only several workers of one machine need. It does nothing."""

    sends_events = False

    async def metrics_samples(self) -> list[Any]:
        """Return nothing: every node has metrics of its own."""
        return []


class LocalBus(WithoutWorkers):
    """A bus within one process. It announces events only: lobby and bots are known here anyway."""

    up = responsive = True
    overloaded = False
    unsent_bytes = coalesced = lost = unreadable = 0

    def __init__(self) -> None:
        self._listeners: list[BusListener] = []
        self.has_listeners = False

    def reaches(self, node: str) -> bool:
        """Return whether there are other nodes in this process."""
        return self.has_listeners

    async def open(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Forget all listeners."""
        self._listeners.clear()

    def listen(self, listener: BusListener) -> None:
        """Add a listener. A single node does not need its own announcements."""
        self._listeners.append(listener)
        self.has_listeners = len(self._listeners) > 1

    def publish(self, room: Room, events: Sequence[AnyEvent], payloads: Payloads, deadline: int | None) -> None:
        """Announce the newest seq of a room."""
        for listener in self._listeners:
            listener.room_announced(room.setup.room, room.seq)

    def follow(self, room: str, seq: int) -> None:
        """Do nothing: other listeners hear of all events."""

    def unfollow(self, room: str) -> None:
        """Do nothing."""

    def withdraw_rematch(self, room: str) -> None:
        """Do nothing: all players are connected here."""

    def show(self, room: Room) -> None:
        """Do nothing."""

    def advance(self, plies: dict[str, int]) -> None:
        """Do nothing."""

    def introduce(self, bots: tuple[BotInfo, ...]) -> None:
        """Do nothing."""

    def invite(self, room: Room, name: str, origin: str = "") -> None:
        """Do nothing."""

    def report(self, update: TournamentUpdate) -> None:
        """Do nothing."""

    def announce_review(self, room: str, state: ReviewState, done: int = 0, total: int = 0) -> None:
        """Do nothing."""


class BusError(Exception):
    """The bus cannot be used. The text is one sentence for the operator."""
