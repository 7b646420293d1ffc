"""Handle announcements of other nodes, and check the store for announcements that the bus has lost.

No node owns a room. So every node compares the rooms of its clients with the store every 10 s. The first node that
notices a dead node records that node's players as offline.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from protocol.replies import TournamentUpdate
from protocol.types import BotInfo, ReviewState, RoomInfo
from runtime.tasks import BackgroundTasks
from server.cluster.bus import Bus
from server.cluster.clock_sync import StoreClock
from server.domain.room import Room
from server.lobby.feed import LobbyFeed
from server.lobby.invitations import Invitations
from server.lobby.progress import ProgressReports
from server.lobby.reviews import Reviews
from server.lobby.tournaments import TournamentReports
from server.lobby.watcher_counts import WatcherCounts
from server.logs import log
from server.rooms.membership import Membership
from server.rooms.presence import PresenceTracker
from server.rooms.registry import RoomRegistry
from server.rooms.status import NODE_TIMEOUT_MS, NodeStatus
from server.rooms.timers import Now
from server.storage.interface import LostPlayer, Store, Unavailable

ROOM_CHECK_INTERVAL_MS = 10_000  # if all nodes are on the bus; otherwise rooms are checked in every sweep
CLOCK_SYNC_INTERVAL_MS = 30_000
MAX_HEARTBEAT_GAP_MS = 3000  # after a longer one, this node does not count others as dead for a while
PLAYERS_AT_ONCE = 20  # whose rooms are loaded together when their node has died


class Node:
    """A listener of the bus, and the periodic work that only several nodes need."""

    def __init__(
        self,
        *,
        id: str,
        store: Store,
        bus: Bus,
        clock: StoreClock,
        registry: RoomRegistry,
        membership: Membership,
        presence: PresenceTracker,
        feed: LobbyFeed,
        progress: ProgressReports,
        watcher_counts: WatcherCounts,
        invitations: Invitations,
        tournaments: TournamentReports,
        reviews: Reviews,
        status: NodeStatus,
        tasks: BackgroundTasks,
        now: Now,
    ) -> None:
        self.id, self.now = id, now
        self._store, self._bus, self._clock, self._registry, self._membership = store, bus, clock, registry, membership
        self._presence, self._feed, self._progress, self._watcher_counts = presence, feed, progress, watcher_counts
        self._invitations, self._tournaments, self._status, self._tasks = invitations, tournaments, status, tasks
        self._reviews = reviews
        self._synced_at = self._checked_at = 0
        self._heartbeat_at = self._heartbeats_since = 0  # the last one of this node, and since when there was no gap
        self._beating_since = 0  # since when the store writes one
        self._beating = asyncio.Lock()  # one at a time: the latest says whether this node is on the bus
        self._marking = False  # players of dead nodes are being recorded as offline
        self.events_received = registry.received  # saves a call for each event of another worker
        # set by the wiring, for several workers of one machine
        self.on_numbers: dict[str, Callable[[str, dict[str, float]], None]] = {}  # by what they count
        self.shared_numbers: Callable[[], dict[str, dict[str, float]]] = dict
        self.metrics_sample: Callable[[], Any] = dict
        self.node_left: Callable[[str], None] = lambda node: None

    # -- what the bus announces: server.cluster.bus.BusListener

    def room_announced(self, room: str, seq: int) -> None:
        """Catch up with a room that has clients here."""
        self._registry.announced(room, seq)

    def lobby_announced(self, rooms: tuple[RoomInfo, ...], plies: dict[str, int]) -> None:
        """Update the lobby. Rooms with clients here report to it themselves, so they are skipped."""
        for info in rooms:
            if not self._registry.is_attended(info.room):
                self._feed.remote_changed(info)
        elsewhere = {room: ply for room, ply in plies.items() if not self._registry.is_attended(room)}
        self._progress.receive(elsewhere)
        self._feed.advanced(elsewhere)

    def bots_announced(self, node: str, bots: tuple[BotInfo, ...]) -> None:
        """List the bots of another node."""
        self._feed.set_remote_bots(node, bots)

    def watchers_announced(self, node: str, counts: dict[str, int]) -> None:
        """Count the watchers at another node."""
        for name in self._watcher_counts.report(node, counts):
            if self._registry.is_attended(name):  # rooms without clients here are announced by the other node
                self._feed.listing_changed(self._registry.rooms[name].room)

    def invitation_announced(self, room: str, name: str, origin: str = "") -> None:
        """Deliver an invitation to a player who is connected here, and is not in the room already."""
        if not all(room in client.rooms for client in self._presence.named(name)):
            self._tasks.start(self._deliver_invitation(room, name, origin))

    def tournament_announced(self, update: TournamentUpdate) -> None:
        """Show a tournament whose arbiter is connected to another node."""
        self._tournaments.receive(update)

    def review_announced(self, room: str, state: ReviewState, done: int, total: int) -> None:
        """Give a request to a reviewer that is connected here, or tell the clients that wait for the review."""
        self._reviews.announced(room, state, done, total)

    async def _deliver_invitation(self, room: str, name: str, origin: str) -> None:
        with suppress(Unavailable):
            live = await self._registry.room(room)
            if live is not None and live.room.status == "waiting":
                live.origin = live.origin or origin
                self._invitations.send_here(live, name)
            elif live is not None and live.room.status == "ended":
                self._membership.invite_to_rematch(live)

    def bus_reconnected(self) -> None:
        """Check all rooms at once: messages may have been lost."""
        self._checked_at = 0
        self._tasks.start(self._check_rooms())

    def bus_silent(self) -> None:
        """Tell the other nodes at once, and check all rooms."""
        self._checked_at = 0
        self._tasks.start(self._report_silence())

    async def _report_silence(self) -> None:
        try:
            await self._send_heartbeat()
            await self._check_rooms()
        except Unavailable:  # the next sweep tries again
            self._heartbeat_at = 0

    def recovered(self, failed_at: int) -> None:
        """Check all rooms in the next sweep: news could not be read while the store failed or this node was stopped."""
        self._checked_at = 0

    def watchers(self) -> dict[str, int]:
        """Return the number of watchers of each public room at this node."""
        return self._watcher_counts.here()

    def info(self, room: Room) -> RoomInfo:
        """Return a room's line in lists."""
        return self._watcher_counts.info(room)

    def open_rooms(self) -> list[Room]:
        """Return the rooms with clients at this node."""
        return self._registry.attended()

    # -- workers of one machine

    def loaded_rooms(self) -> dict[str, int]:
        """Return the seq of every room that is loaded here."""
        return {name: live.room.seq for name, live in self._registry.rooms.items()}

    def room_loaded(self, room: str) -> int:
        """Return the seq of a room, 0 if it is not loaded here."""
        live = self._registry.rooms.get(room)
        return 0 if live is None else live.room.seq

    def rematch_withdrawn(self, room: str) -> None:
        """Note that a player of another worker has left after offering a rematch."""
        live = self._registry.rooms.get(room)
        if live is not None:
            self._tasks.start(self._membership.rematch_withdrawn(live))

    def numbers_shared(self, node: str, what: str, numbers: dict[str, float]) -> None:
        """Pass numbers of another worker to the limit that they count for."""
        self.on_numbers[what](node, numbers)

    # -- periodic work

    async def start(self) -> None:
        """Synchronise the clock with the store. Raises Unavailable."""
        await self._sync_clock()

    async def sweep(self) -> None:
        """Send a heartbeat, remove dead nodes, and check rooms. Raises Unavailable as soon as the store fails."""
        try:
            await self._send_heartbeat()
            await self._presence.free_names()
            await self._sync_clock()
            await self._remove_dead_nodes()
            await self._check_rooms()
        except Unavailable:
            self._heartbeat_at = 0  # the store may have removed this node as dead
            raise

    @property
    def heartbeat_age_s(self) -> float:
        """Seconds since a heartbeat was handed to the store that has not finished; 0 if there is none."""
        return (self.now() - self._beating_since) / 1000 if self._beating_since else 0.0

    async def _send_heartbeat(self) -> None:
        async with self._beating:
            self._beating_since = self.now()
            try:
                known = await self._store.mark_alive(self.id, self.now(), self._bus.responsive)
            finally:
                self._beating_since = 0
        self._status.store_works()
        back = self.now() - self._heartbeat_at > MAX_HEARTBEAT_GAP_MS
        self._heartbeat_at = self.now()
        if back:
            self._heartbeats_since = self.now()
            self._registry.forget_stored_deadlines()  # other nodes may have postponed them meanwhile
        if back or not known:
            await self._presence.report()

    async def _sync_clock(self) -> None:
        if self.now() - self._synced_at >= CLOCK_SYNC_INTERVAL_MS:
            await self._clock.sync(self._store)
            self._synced_at = self.now()

    async def _remove_dead_nodes(self) -> None:
        """Record the players of dead nodes as offline, unless they are connected to another node by now."""
        now = self.now()
        if now - self._heartbeats_since < NODE_TIMEOUT_MS:
            return  # in an outage of the store, or if the machine was stopped, other nodes sent no heartbeats either
        living = await self._store.living_nodes(now - NODE_TIMEOUT_MS)
        first = self.id <= min(living, default=self.id)  # the others help only if it does not
        before = now - (NODE_TIMEOUT_MS if first else 2 * NODE_TIMEOUT_MS)
        lost = [] if self._marking else await self._store.lost_players(before)
        if lost:
            self._marking = True
            self._tasks.start(self._mark_offline(lost, before))  # it may take longer than a sweep
        elif not self._marking:
            await self._store.remove_dead_nodes(before)

    async def _mark_offline(self, lost: list[LostPlayer], before: int) -> None:
        """Record players as offline, then remove their nodes: if this node stops meanwhile, another one goes on."""
        try:
            with suppress(Unavailable):  # the next sweep begins again
                for start in range(0, len(lost), PLAYERS_AT_ONCE):
                    some = lost[start : start + PLAYERS_AT_ONCE]
                    await asyncio.gather(*map(self._membership.mark_offline, some))
                    for player in some:
                        log("player_offline", player=player.player)
                await self._store.remove_dead_nodes(before)
        finally:
            self._marking = False

    async def _check_rooms(self) -> None:
        """Compare the rooms that have clients here with the store."""
        now = self.now()
        with suppress(Unavailable):  # the next heartbeat notices it
            is_due = now - self._checked_at >= ROOM_CHECK_INTERVAL_MS
            if not is_due and self._bus.responsive and await self._hears_all_nodes(now):
                return
            self._checked_at = now
            names = [room.id for room in self._registry.attended()]
            for name, seq in (await self._store.latest_seqs(names) if names else {}).items():
                self._registry.announced(name, seq)

    async def _hears_all_nodes(self, now: int) -> bool:
        """Return whether every node that runs is on the bus, by its own account and by ours. Raises Unavailable."""
        living = await self._store.living_nodes(now - NODE_TIMEOUT_MS)
        return all(node == self.id or (on_bus and self._bus.reaches(node)) for node, on_bus in living.items())
