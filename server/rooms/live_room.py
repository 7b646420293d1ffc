"""A room in memory: the room, its log, and who is there. Players are written to at once, watchers on the tick."""

from __future__ import annotations

from asyncio import TimerHandle
from collections import deque
from typing import Any

from protocol.codec import decode_event
from protocol.events import Created
from protocol.frames import Packet, join
from protocol.replies import Snapshot
from server.domain import snapshots
from server.domain.room import Room, replay
from server.rooms.client import Peer


class Live:
    __slots__ = (
        "alarm", "alarm_at", "busy", "heard", "lagging", "log", "pending", "players", "queue", "released", "room",
        "spared", "stored_due", "used_at", "watchers",
    )  # fmt: skip

    def __init__(self, room: Room, log: list[bytes]) -> None:
        self.room = room
        self.log = log  # the payloads of all events
        self.released = room.horizon  # up to where the watchers have been served
        self.players: tuple[list[Peer], list[Peer]] = ([], [])
        self.watchers: dict[Peer, None] = {}
        self.pending: list[Packet] = []  # what the watchers get with the next tick
        self.lagging: dict[Peer, int] = {}  # watchers who do not keep up, and since when
        self.busy = False  # an append is under way; commands wait in the queue
        self.queue: deque[Any] = deque()
        self.spared = 0  # milliseconds of this turn before anybody was told of it: they cost nobody time
        self.alarm: TimerHandle | None = None
        self.alarm_at = 0
        self.stored_due: int | None = None  # the deadline in the index, if it is known
        self.heard = 0  # the newest seq that another node spoke of while this one was busy
        self.used_at = 0  # when somebody was last seen here, see server/cluster/node.py

    @property
    def empty(self) -> bool:
        return not (self.players[0] or self.players[1] or self.watchers)

    @property
    def deadline(self) -> int | None:
        due = self.room.deadline
        return None if due is None else due + self.spared

    # -- who is there

    def attach(self, peer: Peer) -> int | None:
        """Let a connection hear what happens; the seat of its player, if it has one."""
        assert peer.player is not None
        seat = self.room.seat_of(peer.player.id)
        if seat is None:
            self.watchers[peer] = None
        else:
            self.forget_watcher(peer)
            if peer not in self.players[seat]:
                self.players[seat].append(peer)
        peer.rooms[self.room.id] = self
        return seat

    def detach(self, peer: Peer) -> int | None:
        """The seat that has nobody left, if that is so now."""
        peer.rooms.pop(self.room.id, None)
        self.forget_watcher(peer)
        for seat, peers in enumerate(self.players):
            if peer in peers:
                peers.remove(peer)
                return None if peers else seat
        return None

    def forget_watcher(self, peer: Peer) -> None:
        self.watchers.pop(peer, None)
        self.lagging.pop(peer, None)

    # -- what they see

    def seen_by_watchers(self) -> Room:
        if self.room.horizon == self.room.seq:
            return self.room
        return replay(decode_event(payload) for payload in self.log[: self.room.horizon])

    def snapshot(self, peer: Peer, now: int) -> Snapshot:
        seat = None if peer.player is None else self.room.seat_of(peer.player.id)
        shown = self.room if seat is not None else self.seen_by_watchers()
        return snapshots.snapshot(shown, seat, now, self.spared if shown is self.room else 0)

    def since(self, after: int, upto: int) -> list[Packet]:
        """The public events behind a seq."""
        events = (decode_event(payload) for payload in self.log[after:upto])
        return [Packet(event) for event in events if not isinstance(event, Created)]

    def tell_players(self, packets: list[Packet], asker: Peer | None = None, answer: bytes = b"") -> None:
        """Events to those who play; whoever asked for them hears the answer first, in one write with them."""
        binary, text = join(packets, False), b""
        for peers in self.players:
            for peer in peers:
                told = binary
                if peer.text:
                    told = text = text or join(packets, True)
                if peer is asker:
                    told, asker = answer + told, None
                peer.write(told)
        if asker is not None:  # who does not play
            asker.write(answer)

    def release(self, packets: list[Packet]) -> bool:
        """Put what watchers may see now before them; whether there is anything for the next tick."""
        horizon = self.room.horizon
        if horizon == self.room.seq == self.released + len(packets):
            self.pending += packets
        else:
            self.pending += self.since(self.released, horizon)
        self.released = horizon
        return bool(self.pending)

    def flush(self, most: int, now: int) -> None:
        """Write everything pending to every watcher who keeps up."""
        packets, self.pending = self.pending, []
        if not packets:
            return
        binary, text = join(packets, False), b""
        lagging = self.lagging
        for peer in self.watchers:
            if lagging and peer in lagging:
                continue
            told = binary
            if peer.text:
                told = text = text or join(packets, True)
            if peer.write(told) > most:
                lagging[peer] = now

    def care_for_the_slow(self, most: int, patience: int, now: int) -> None:
        """A watcher who caught up gets a fresh snapshot; one who does not is cut."""
        for peer, since in list(self.lagging.items()):
            if peer.backlog() <= most // 4:
                del self.lagging[peer]
                self.flush(most, now)
                peer.send(self.snapshot(peer, now))
            elif now - since > patience:
                self.forget_watcher(peer)
                peer.cut(1008, "too slow to watch")
