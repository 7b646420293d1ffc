"""A room in memory: its state, its log, and the clients that get its events."""

from __future__ import annotations

from asyncio import TimerHandle
from collections import deque
from typing import Any

from protocol.codec import decode_event
from protocol.events import BoardEvent, Resumed
from protocol.frames import Packet
from protocol.replies import Snapshot
from protocol.types import RoomInfo
from server.domain import snapshots
from server.domain.boards import BoardLog
from server.domain.room import Room, apply, replay
from server.rooms.client import Client

NO_WISHES: frozenset[str] = frozenset()
WATCHER_WISHES = frozenset({"board"})


class LiveRoom:
    """Data and membership only: rooms/processor.py changes it, rooms/broadcast.py writes to its clients."""

    __slots__ = (
        "_boards", "_boards_read", "_listed", "_outage", "busy", "chat", "checked", "heard_seq", "lagging", "log",
        "origin", "pending", "players", "queue", "released", "rematch_elsewhere", "rematch_here", "room", "shown",
        "stored_deadline", "timer", "timer_at", "uncharged_ms", "used_at", "watchers",
    )  # fmt: skip

    def __init__(self, room: Room, log: list[bytes]) -> None:
        self.room = room
        self.log = log  # the payloads of all events
        self.players: tuple[list[Client], list[Client]] = ([], [])  # by seat
        self.watchers: dict[Client, None] = {}
        self.shown: Room | None = None  # the room as of an earlier horizon, for watchers of a delayed game
        self.released = room.horizon  # seq of the last event that was released to watchers
        self.pending: list[Packet] = []  # events for the watchers' next tick
        self.lagging: dict[Client, int] = {}  # watchers that do not keep up, and since when
        self.chat: Any = None  # the ChatBudget of rooms/chat.py, created with the first chat line
        self.busy = False  # an append is under way; commands wait in the queue
        self.queue: deque[Any] = deque()
        self.rematch_here: int | None = None  # the seat of a player of this worker who has offered a rematch
        self.rematch_elsewhere: int | None = None  # that of a player of another worker who is still there
        self.checked: Any = None  # the request that was refused, and is decided again with the events of the store
        self.uncharged_ms = 0  # milliseconds of this turn that are not charged
        self._outage = 0, 0  # the start of a turn, and the part of `uncharged_ms` after its player was told of it
        self.timer: TimerHandle | None = None
        self.timer_at = 0  # the deadline that the timer was set for
        self.stored_deadline: int | None = None  # the deadline in the index, if known
        self.heard_seq = 0  # newest seq that another node announced while this room was busy
        self.origin = ""  # the address of the client that created the room, if known; another node sends a text for it
        self.used_at = 0  # when this node last needed the room
        self._listed: tuple[Room, RoomInfo] | None = None  # the entry in lists, and the room that it shows
        self._boards: BoardLog | None = None  # made when the first client wants it
        self._boards_read = 0  # events of the log that it contains

    @property
    def empty(self) -> bool:
        """Whether no client plays or watches here."""
        return not (self.players[0] or self.players[1] or self.watchers)

    @property
    def idle(self) -> bool:
        """Whether no client is here, and no command waits or is being written."""
        return self.empty and not self.busy and not self.queue

    @property
    def mover_is_here(self) -> bool:
        """Whether the player to move is connected to this node."""
        return bool(self.players[self.room.turn])

    @property
    def deadline(self) -> int | None:
        """When the room's deadline passes, with the time that is not charged."""
        due = self.room.deadline
        return None if due is None else due + self.uncharged_ms

    def stalled_ms(self, since: int, at: int) -> int:
        """Return how much of the current turn lies between `since` and `at`."""
        if self.room.status == "ended":
            return 0
        _, _, turn_began = self.room.clocks
        return max(0, at - max(since, turn_began + self.uncharged_ms))

    def add_outage(self, ms: int) -> None:
        """Do not charge time in which commands could not be processed."""
        _, _, turn_began = self.room.clocks
        self._outage = turn_began, ms + self.credits()[0]
        self.uncharged_ms += ms

    def credits(self) -> tuple[int, int]:
        """Return the time that is not charged: after the player to move was told of the turn, and before that."""
        turn, outage = self._outage
        outage = outage if turn == self.room.clocks[2] else 0
        return outage, max(0, self.uncharged_ms - outage)

    def credit_written(self, event: Resumed) -> None:
        """Note that an event has credited the current turn with time that was not charged."""
        if event.outage:
            self.uncharged_ms = max(0, self.uncharged_ms - event.credit - event.delay)

    def clients(self) -> list[Client]:
        """Return all players' and watchers' clients."""
        return [*self.players[0], *self.players[1], *self.watchers]

    def seat_of(self, client: Client) -> int | None:
        """Return the seat of the player of a client that has been welcomed, or None for a watcher."""
        assert client.player is not None
        return self.room.seat_of(client.player.id)

    def attach(self, client: Client) -> int | None:
        """Send a client the events from now on. Return its player's seat, or None for a watcher."""
        seat = self.seat_of(client)
        if seat is None:
            self.watchers[client] = None
        else:
            if client in self.watchers:
                self.remove_watcher(client)
            if client not in self.players[seat]:
                self.players[seat].append(client)
        client.rooms[self.room.setup.room] = self
        return seat

    def detach(self, client: Client) -> int | None:
        """Remove a client. Return the seat that has no client left, if it was the last one."""
        client.rooms.pop(self.room.setup.room, None)
        self.remove_watcher(client)
        for seat, clients in enumerate(self.players):
            if client in clients:
                clients.remove(client)
                return None if clients else seat
        return None

    def remove_watcher(self, client: Client) -> None:
        """Remove a client from the watchers, if it is one."""
        self.watchers.pop(client, None)
        self.lagging.pop(client, None)

    @property
    def info(self) -> RoomInfo:
        """The entry of the room in lists, without watchers. It is built once for each state of the room."""
        if self._listed is None or self._listed[0] is not self.room:
            self._listed = self.room, snapshots.room_info(self.room)
        return self._listed[1]

    def snapshot(self, client: Client, seat: int | None, now: int) -> Snapshot:
        """Return the room as a client in this seat sees it, or a watcher: as of the horizon, and with its wishes."""
        room, wishes = self.room, self.wishes_of(client)
        if seat is None and room.horizon != room.seq:
            snapshot = snapshots.snapshot(self._room_at_horizon(), None, now, 0)
        else:
            snapshot = snapshots.snapshot(room, seat, now, self.uncharged_ms)
        return self.boards.fill_in_snapshot(snapshot, wishes) if wishes else snapshot

    def _room_at_horizon(self) -> Room:
        """Return the room as watchers of a delayed game see it. Only the events since the last call are applied."""
        horizon, shown = self.room.horizon, self.shown
        if shown is None:
            shown = replay(map(decode_event, self.log[:horizon]))
        for payload in self.log[shown.seq : horizon]:
            shown = apply(shown, decode_event(payload))
        self.shown = shown
        return shown

    def events_between(self, after: int, upto: int) -> list[Packet]:
        """Return the public events with a seq in (after, upto]. Only `created`, which has seq 1, is not public."""
        return [Packet.stored(payload) for payload in self.log[max(1, after) : upto]]

    # -- for clients that know no rules

    @property
    def boards(self) -> BoardLog:
        """The positions of the room after each of its events."""
        if self._boards is None:
            self._boards = BoardLog(self.room.game)
        for payload in self.log[self._boards_read :]:
            self._boards.add(decode_event(payload))
        self._boards_read = len(self.log)
        return self._boards

    def wishes_of(self, client: Client) -> frozenset[str]:
        """Return the wishes of a client that are granted now: legal moves only if its player is to move."""
        wishes = client.wishes
        if not wishes:
            return NO_WISHES
        room = self.room
        if room.status == "running" and self.seat_of(client) == room.turn:
            return wishes
        return wishes & WATCHER_WISHES

    def fill_in(self, packets: list[Packet], wishes: frozenset[str]) -> list[Packet]:
        """Return the packets with what a client wants."""
        boards = self.boards
        return [
            Packet(boards.fill_in(packet.message, wishes)) if isinstance(packet.message, BoardEvent) else packet
            for packet in packets
        ]
