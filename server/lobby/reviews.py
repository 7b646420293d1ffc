"""Reviews of finished games: clients ask for them, a reviewer submits them, the store keeps both.

The server never searches. A reviewer is a client with a right of its own, connected to any node. A request is in the
store before it is accepted, so neither a restart of the server nor one of the reviewer loses it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from engine.record import write
from protocol.codec import MSGPACK, decode_part
from protocol.commands import Review, SubmitReview, TakeReview
from protocol.frames import Packet
from protocol.replies import Ok, ReviewTask, ReviewUpdate
from protocol.types import ReviewedMove, ReviewState
from protocol.usernames import fold
from protocol.weights import EXPORTED_PLIES_PER_MESSAGE
from runtime.tasks import BackgroundTasks
from runtime.token_bucket import TokenBuckets
from server.domain import reviews, snapshots
from server.domain.boards import Position
from server.domain.decision import Refusal
from server.domain.room import Room
from server.logs import log
from server.rooms.client import Client, player_of
from server.rooms.presence import PresenceTracker
from server.rooms.registry import RoomRegistry
from server.rooms.status import NODE_TIMEOUT_MS
from server.rooms.timers import Now
from server.storage.interface import Store, Unavailable

MAX_QUEUED = 100  # requests that wait for the reviewer
REQUEST_INTERVAL_MS = 60_000  # between requests of a player for new reviews
ADDRESS_BURST, ADDRESS_RATE = 30.0, 1 / 6  # requests of all players of an address: at once, and per second
LEASE_MS = 30_000  # how long a reviewer may be silent
MAX_ATTEMPTS = 3  # of reviewers that are lost with the same game
CHECK_INTERVAL_MS = 5000  # between looks at the store, in case the bus has lost a message
MAX_ROOMS_WAITED_FOR = 20  # per client
GIVEN_UP = f"the reviewer has failed {MAX_ATTEMPTS} times with this game"

Announce = Callable[[str, ReviewState, int, int], None]  # room, state, moves done, all moves


@dataclass(slots=True)
class Assignment:
    """A game that a reviewer has taken, and what it has submitted of the review."""

    room: Room
    attempts: int
    positions: list[Position]
    kept_until: int
    moves: dict[int, ReviewedMove] = field(default_factory=dict)  # by ply


class Reviews:
    """Answers the commands about reviews. Its methods raise Refusal or Unavailable."""

    def __init__(
        self,
        *,
        node: str,
        reviewers: str,
        store: Store,
        registry: RoomRegistry,
        presence: PresenceTracker,
        announce: Announce,
        tasks: BackgroundTasks,
        now: Now,
    ) -> None:
        """`reviewers`: the accounts that may submit reviews. `announce` tells the other nodes about a review."""
        self._node, self._store, self._registry, self._presence = node, store, registry, presence
        self._reviewers = {name for name in map(fold, map(str.strip, reviewers.split(","))) if name}
        self._announce, self._tasks, self._now = announce, tasks, now
        self._waiting: dict[str, dict[Client, None]] = {}  # clients that wait for a review, by room
        self._idle: dict[Client, None] = {}  # reviewers that wait for a game, the longest first
        self._taken: dict[Client, Assignment] = {}
        self._addresses = TokenBuckets(ADDRESS_RATE, ADDRESS_BURST)
        self._assigning = asyncio.Lock()
        self._checked_at = 0

    async def start(self) -> None:
        """Release the requests that a reviewer had taken before a restart. Raises Unavailable."""
        if not self._store.shared:
            await self._store.release_reviews()

    # -- clients that ask

    async def review(self, client: Client, command: Review) -> None:
        """Send the review of a room, or ask the reviewer for it."""
        live = await self._registry.find(command.room, client)
        room, player = live.room, player_of(client)
        self._registry.evict_ended(live)
        reviews.require_reviewable(room, player)
        known = await self._store.review(room.id)
        if known is not None and known.review is not None:
            client.charge_done(room.ply // EXPORTED_PLIES_PER_MESSAGE)
            client.send(Ok(id=command.id, room=room.id))
            client.send(decode_part(known.review, ReviewUpdate))
            return
        if known is None:
            await self._request(client, room)
        self._wait(client, room.id)
        client.send(Ok(id=command.id, room=room.id))
        await self._send_state(room.id, [client], room.ply)
        if known is None:
            self._announce(room.id, "queued", 0, room.ply)
            self._assign_soon()

    async def _request(self, client: Client, room: Room) -> None:
        """Queue a request for a new review. Raises Refusal or Unavailable."""
        player, now = player_of(client), self._now()
        if not await self.has_reviewer():
            text = "no reviewer is connected to this server: try again later, or run 'parlour review' on the record"
            raise Refusal("no_reviewer", text)
        left_ms = await self._store.last_review_request(player.id) + REQUEST_INTERVAL_MS - now
        if 0 < left_ms <= REQUEST_INTERVAL_MS:
            text = f"you may ask for one new review a minute: try again in {-(-left_ms // 1000)} seconds"
            raise Refusal("rate_limited", text, retry_after=left_ms / 1000)
        if seconds := self._addresses.of(client.address, now / 1000).wait(now / 1000):
            text = f"too many reviews were requested from your address: try again in {seconds:.0f} seconds"
            raise Refusal("rate_limited", text, retry_after=seconds)
        if not await self._store.request_review(room.id, player.id, now, MAX_QUEUED):
            raise Refusal("queue_full", f"{MAX_QUEUED} games wait for the reviewer: try again later")

    @property
    def has_idle_reviewer(self) -> bool:
        """Whether a reviewer that is connected to this node waits for a game."""
        return bool(self._idle)

    async def has_reviewer(self) -> bool:
        """Return whether a reviewer is connected to this node or another one."""
        if self._idle or self._taken:
            return True
        if not self._store.shared:
            return False
        for name in self._reviewers:
            account = await self._store.account_named(name)
            seen_at = None if account is None else await self._store.seen_at(account.player, self._node)
            if seen_at is not None and self._now() - seen_at < NODE_TIMEOUT_MS:
                return True
        return False

    def _wait(self, client: Client, room: str) -> None:
        """Send a client what happens to the review of a room. A client waits for a limited number of rooms."""
        waited = [name for name, clients in self._waiting.items() if client in clients]
        if len(waited) >= MAX_ROOMS_WAITED_FOR:
            self._stop_waiting(client, waited[0])
        self._waiting.setdefault(room, {})[client] = None

    def _stop_waiting(self, client: Client, room: str) -> None:
        clients = self._waiting[room]
        clients.pop(client, None)
        if not clients:
            del self._waiting[room]

    async def _send_state(self, room: str, clients: list[Client], total: int = 0) -> None:
        """Tell clients what the store knows of the review of a room. If it has ended, they wait no longer."""
        row = await self._store.review(room)
        if row is None:
            self._deliver(room, ReviewUpdate(room=room, state="failed", why=GIVEN_UP))
        elif row.review is not None:
            self._deliver(room, decode_part(row.review, ReviewUpdate))
        else:
            assignment = next((taken for taken in self._taken.values() if taken.room.id == room), None)
            update = ReviewUpdate(
                room=room,
                state="queued" if row.taken_until < self._now() else "running",
                ahead=await self._store.count_reviews_before(row.asked_at),
                done=len(assignment.moves) if assignment else 0,
                total=total,
            )
            for client in clients:
                client.send(update)

    def _deliver(self, room: str, update: ReviewUpdate) -> None:
        """Send news of a review to the clients that wait for it, and to the people in the room."""
        clients = dict(self._waiting.get(room, {}))
        live = self._registry.rooms.get(room)
        if live is not None:  # bots did not ask for it, and old ones may not know the message
            clients |= {client: None for client in live.clients() if not player_of(client).bot}
        if update.state in ("done", "failed"):
            self._waiting.pop(room, None)
        if clients:
            packet = Packet(update)
            for client in clients:
                client.write(packet.text if client.text else packet.binary)

    # -- reviewers

    def _require_right(self, client: Client) -> None:
        player = player_of(client)
        if not player.account or fold(player.name) not in self._reviewers:
            text = "only a reviewer may do this: the operator names its account with 'parlour serve --reviewers'"
            raise Refusal("bad_request", text)

    async def take(self, client: Client, command: TakeReview) -> None:
        """Let a reviewer wait for a game."""
        self._require_right(client)
        if client in self._taken:
            raise Refusal("bad_request", "submit the review that you have taken before you take another one")
        self._idle[client] = None
        client.send(Ok(id=command.id))
        self._assign_soon()

    def _assign_soon(self) -> None:
        if self._idle:
            self._tasks.start(self._assign_or_wait())

    async def _assign_or_wait(self) -> None:
        with suppress(Unavailable):  # `sweep` tries again
            await self._assign()

    async def _assign(self) -> None:
        """Give requests to reviewers that wait for one. Raises Unavailable."""
        async with self._assigning:
            while self._idle and (taken := await self._store.take_review(self._now(), self._now() + LEASE_MS)):
                room, attempts = taken
                assignment = await self._prepare(room, attempts)
                if assignment is None:
                    await self._fail(room, GIVEN_UP)
                    continue
                client = next(iter(self._idle), None)
                if client is None:  # it has left meanwhile
                    await self._store.release_review(room, attempts - 1)
                    return
                del self._idle[client]
                self._taken[client] = assignment
                client.send(ReviewTask(room=room, record=write(snapshots.record(assignment.room))))
                self._tell(assignment)

    async def _prepare(self, room: str, attempts: int) -> Assignment | None:
        """Return a game for a reviewer, or None if it cannot be reviewed."""
        live = await self._registry.room(room) if attempts <= MAX_ATTEMPTS else None
        if live is None:
            return None
        positions = live.boards.line(live.room.seq)
        self._registry.evict_ended(live)
        return Assignment(live.room, attempts, positions, self._now() + LEASE_MS)

    async def submit(self, client: Client, command: SubmitReview) -> None:
        """Add to a review, or end it."""
        self._require_right(client)
        assignment = self._taken.get(client)
        if assignment is None or assignment.room.id != command.room:
            raise Refusal("stale", "you have not taken the review of this game, or no longer have it")
        room = assignment.room
        if command.problem:
            why = reviews.checked_problem(command.problem)
            del self._taken[client]
            await self._fail(room.id, why)
        else:
            checked = [reviews.checked_move(move, room, assignment.positions) for move in command.moves]
            assignment.moves |= {move.ply: move for move in checked}
            if command.summary is None:
                await self._keep(client, assignment)
            else:
                summary = reviews.checked_summary(command.summary, room)
                if len(assignment.moves) < room.ply:
                    raise Refusal("bad_request", f"the review has {len(assignment.moves)} of {room.ply} moves")
                moves = [assignment.moves[ply] for ply in range(1, room.ply + 1)]
                await self._finish(client, reviews.finished(room, moves, summary))
        client.send(Ok(id=command.id, room=command.room))

    async def _keep(self, client: Client, assignment: Assignment) -> None:
        """Extend the lease of a review that goes on. Raises Refusal if the request was withdrawn."""
        now = self._now()
        if assignment.kept_until - now < LEASE_MS // 2:
            assignment.kept_until = now + LEASE_MS
            if not await self._store.keep_review(assignment.room.id, assignment.kept_until):
                self._taken.pop(client, None)
                raise Refusal("stale", "this review is no longer wanted")
        self._tell(assignment)

    async def _finish(self, client: Client, update: ReviewUpdate) -> None:
        """Store a review, and send it to the clients that wait for it."""
        await self._store.save_review(update.room, MSGPACK.encode(update))
        self._taken.pop(client, None)
        log("reviewed", room=update.room, plies=update.total)
        self._deliver(update.room, update)
        self._announce(update.room, "done", update.total, update.total)

    async def _fail(self, room: str, why: str) -> None:
        """Give a request up, and say why."""
        await self._store.drop_review(room)
        log("review_failed", room=room, why=why)
        self._deliver(room, ReviewUpdate(room=room, state="failed", why=why))
        self._announce(room, "failed", 0, 0)

    def _tell(self, assignment: Assignment) -> None:
        """Tell the clients that wait how far a review is."""
        room, done = assignment.room, len(assignment.moves)
        self._deliver(room.id, ReviewUpdate(room=room.id, state="running", done=done, total=room.ply))
        self._announce(room.id, "running", done, room.ply)

    def is_waiting(self, client: Client) -> bool:
        """Return whether a client waits for a review or for a game to review, and so may stay silent."""
        return client in self._idle or client in self._taken or any(client in some for some in self._waiting.values())

    def disconnect(self, client: Client) -> None:
        """Forget a disconnected client. Another reviewer gets the game that it had taken."""
        for room in [name for name, clients in self._waiting.items() if client in clients]:
            self._stop_waiting(client, room)
        self._idle.pop(client, None)
        assignment = self._taken.pop(client, None)
        if assignment is not None:
            self._tasks.start(self._release(assignment))

    async def _release(self, assignment: Assignment) -> None:
        with suppress(Unavailable):  # then another reviewer gets it later
            await self._store.release_review(assignment.room.id, assignment.attempts)
            self._announce(assignment.room.id, "queued", 0, assignment.room.ply)
            await self._assign()

    # -- other nodes

    def announced(self, room: str, state: ReviewState, done: int, total: int) -> None:
        """Handle news of another node: give the request to a reviewer, or tell the clients that wait."""
        if state == "queued":
            self._assign_soon()
        if room in self._waiting or room in self._registry.rooms:
            if state in ("queued", "running"):
                self._deliver(room, ReviewUpdate(room=room, state=state, done=done, total=total))
            else:
                self._tasks.start(self._catch_up([room]))

    def sweep(self) -> None:
        """Look for requests and reviews that the bus has not announced."""
        now = self._now()
        if now - self._checked_at >= CHECK_INTERVAL_MS:
            self._checked_at = now
            self._assign_soon()
            if self._waiting and self._store.shared:
                self._tasks.start(self._catch_up(list(self._waiting)))

    async def _catch_up(self, rooms: list[str]) -> None:
        """Send the reviews that have ended to the clients that wait for them."""
        with suppress(Unavailable):
            for room in rooms:
                await self._send_state(room, [])
