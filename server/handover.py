"""Move connections between the workers of a machine, so that the players of a game meet at one worker.

Each room has a home worker, computed from its id. If a player stays in a game whose home is another worker, the
connection moves there: its socket is handed over, with what the worker must know of the client. The client does not
notice. A move of players who are connected to one worker needs no message between workers.

The home is only a hint. Where it cannot be followed, the game goes on across workers.
"""

from __future__ import annotations

import asyncio
import marshal
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from functools import partial
from socket import socket
from typing import Any

from protocol.frames import Packet
from protocol.types import BotInfo, Player
from runtime.tasks import BackgroundTasks
from server.cluster.unix.descriptors import Answer, DescriptorLink
from server.ids import home_worker
from server.lobby.feed import LobbyFeed
from server.lobby.invitations import Invitations
from server.metrics import Metrics
from server.rooms.broadcast import frames_for
from server.rooms.client import player_of
from server.rooms.live_room import LiveRoom
from server.rooms.membership import Membership
from server.rooms.presence import PresenceTracker
from server.rooms.processor import RoomProcessor
from server.rooms.registry import MIN_WRITTEN_CREDIT_MS, RoomRegistry
from server.rooms.status import NodeStatus
from server.rooms.timers import Now
from server.storage.interface import Store, Unavailable
from server.transport.connection import Arrival, Connection, ConnectionState

FIRST_STAY_S = 1.0  # of a connection at a worker before it moves; twice as long after every move
ANSWER_TIMEOUT_S = 3.0  # for the other worker to take a connection
OFFER_VALID_S = 2.0  # a worker that was stopped longer does not take a connection that the other one may have closed
FAILURE_PAUSE_S = 10.0  # in which a worker that has not taken a connection is offered no other
MAX_INVITATION_DELAY_MS = 10_000  # after a room was created: then its players have been told
INTERNAL_ERROR = 1011  # close code

Connect = Callable[[socket, Arrival], Awaitable[None]]


class Handover:
    """Moves connections to the home of their game, and takes in those of other workers.

    `waits_here`: whether a client waits for something that only this worker can send.
    """

    def __init__(
        self,
        *,
        worker: int,
        workers: int,
        node: str,
        link: DescriptorLink,
        store: Store,
        registry: RoomRegistry,
        processor: RoomProcessor,
        membership: Membership,
        presence: PresenceTracker,
        feed: LobbyFeed,
        invitations: Invitations,
        status: NodeStatus,
        metrics: Metrics,
        tasks: BackgroundTasks,
        waits_here: Callable[[Connection], bool],
        now: Now,
    ) -> None:
        self._worker, self._workers, self._node, self._link = worker, workers, node, link
        self._store, self._registry, self._processor, self._membership = store, registry, processor, membership
        self._presence, self._feed, self._invitations, self._status = presence, feed, invitations, status
        self._metrics, self._tasks, self._waits_here, self._now = metrics, tasks, waits_here, now
        self._paused_until: dict[int, float] = {}  # for workers that have not taken a connection
        self._connect: Connect | None = None
        link.on_offer = self.offered

    def open(self, connect: Connect) -> None:
        """Take in connections from now on. `connect` raises OSError if the client has gone."""
        self._connect = connect
        self._link.open()

    def close(self) -> None:
        """Stop taking in and moving connections."""
        self._link.close()

    # -- connections that leave

    def sweep(self, connections: Iterable[Connection]) -> None:
        """Move the connections that have stayed long enough in a game of another worker."""
        if self._status.draining or self._status.store_error:
            return
        now_s = asyncio.get_running_loop().time()
        for client in list(connections):
            if client.rooms and now_s - client.opened_at >= FIRST_STAY_S * 2**client.moves:
                game = self._only_game(client)
                home = self._worker if game is None else home_worker(game.room.id, self._workers)
                if game is not None and home != self._worker and now_s >= self._paused_until.get(home, now_s):
                    self._move(client, game, home)

    def _only_game(self, client: Connection) -> LiveRoom | None:
        """Return the only game of a client, or None if the client must stay where it is."""
        games: list[LiveRoom] = [live for live in client.rooms.values() if live.room.status != "ended"]
        if client.player is None or len(games) != 1 or self._waits_here(client):
            return None
        (game,) = games
        bot = self._feed.bot_of(client)
        if game.room.status != "running" or game.seat_of(client) is None or (bot is not None and bot.house):
            return None
        if any(live.busy or live.queue or live.room.rematch_offer is not None for live in client.rooms.values()):
            return None  # a rematch that begins meanwhile would miss the client
        if any(client in live.watchers and (live.pending or client in live.lagging) for live in client.rooms.values()):
            return None
        if game.uncharged_ms >= MIN_WRITTEN_CREDIT_MS:  # the other worker learns of it only from the log
            return None
        return game

    def _move(self, client: Connection, game: LiveRoom, home: int) -> None:
        """Offer a connection to the home worker of its game, and read nothing more from it here."""
        state = client.state_to_move()
        if state is None:
            return
        message = marshal.dumps((time.monotonic() + OFFER_VALID_S, tuple(state), self._describe(client, game)))
        timeout: asyncio.TimerHandle

        def answered(taken: bool) -> None:
            timeout.cancel()
            if taken:
                client.transport.abort()  # closes only the descriptor of this worker
            else:
                self._give_up(client, game, home)

        def unanswered(key: int) -> None:
            if self._link.forget(key):
                self._give_up(client, game, home)

        key = self._link.offer(home, client.descriptor, message, answered)
        if key is None:
            return
        timeout = asyncio.get_running_loop().call_later(ANSWER_TIMEOUT_S, unanswered, key)
        client.leave()
        for live in list(client.rooms.values()):
            live.detach(client)
            self._registry.evict_ended(live)

    def _give_up(self, client: Connection, game: LiveRoom, home: int) -> None:
        """Close a connection that its home has not taken. The client connects again by itself."""
        self._paused_until[home] = asyncio.get_running_loop().time() + FAILURE_PAUSE_S
        client.shut_down()  # the other worker may still have the descriptor
        seat = game.seat_of(client)
        if seat is not None and game.room.status != "ended":
            self._membership.update_presence(game, seat)

    def _describe(self, client: Connection, game: LiveRoom) -> dict[str, Any]:
        """Return what the other worker must know of a client, as values that marshal can write."""
        bot = self._feed.bot_of(client)
        return {
            "player": fields_of(player_of(client)),
            "account_change": client.account_change,
            "wishes": list(client.wishes),
            "bot": None if bot is None else fields_of(bot),
            "rooms": [(live.room.id, live.room.seq) for live in client.rooms.values()],
            "left_at": self._now(),
            "turn": (game.room.clocks[2], game.uncharged_ms),
        }

    # -- connections that arrive

    def offered(self, descriptor: int, message: bytes, answer: Answer) -> None:
        """Take the socket of another worker."""
        sock = socket(fileno=descriptor)
        valid_until_s, state, description = marshal.loads(message)
        if self._connect is None or self._status.draining or time.monotonic() > valid_until_s:
            sock.close()
            answer(False)
            return
        arrived = partial(self._arrived, description, answer)
        arrival = Arrival(ConnectionState(*state), arrived, lost=partial(answer, False))
        self._tasks.start(self._take(self._connect, sock, arrival, answer))

    @staticmethod
    async def _take(connect: Connect, sock: socket, arrival: Arrival, answer: Answer) -> None:
        try:
            sock.setblocking(False)
            await connect(sock, arrival)
        except OSError:  # the client has disconnected
            sock.close()
            answer(False)

    async def _arrived(self, description: dict[str, Any], answer: Answer, client: Connection) -> None:
        """Let a client go on where it was: present, listed and in its rooms."""
        client.account_change = description["account_change"]
        client.player = player = Player(**description["player"])
        client.wishes = frozenset(description["wishes"])
        self._presence.add(client)
        if description["bot"] is not None:
            self._feed.add_bot(client, BotInfo(**description["bot"]))
        with suppress(Unavailable):  # presence is reported again later
            await self._store.mark_present(self._node, [(player.id, player.name)])
        answer(True)  # the other worker frees the name only now
        self._metrics.arrivals += 1
        try:
            for name, seq in description["rooms"]:
                await self._enter(client, name, seq, description)
            waiting = (await self._store.rooms_for(player.id, player.name)).waiting
        except Unavailable:
            client.cut(INTERNAL_ERROR, "the game could not be read")
            return
        with suppress(Unavailable):  # lists show the rooms that wait
            for name in waiting:  # the player may have been invited on the way
                live = await self._registry.room(name)
                if live is None or live.room.setup.at < description["left_at"] - MAX_INVITATION_DELAY_MS:
                    continue
                if live.room.status == "waiting":
                    self._invitations.send_to(live, client)

    async def _enter(self, client: Connection, name: str, seq: int, description: dict[str, Any]) -> None:
        """Put a client into a room, and send it the events after `seq`. Raises Unavailable."""
        live = await self._registry.room(name)
        if live is None:
            raise Unavailable("the room cannot be loaded here")
        if live.room.seq < seq:
            self._processor.behind(live, seq)
            if not await self._processor.turn(live) or live.room.seq < seq:
                raise Unavailable("the events of the other worker could not be read")
        self._membership.enter(live, client)
        if live.room.status == "running" and live.seat_of(client) == live.room.turn:
            turn_began, uncharged_ms = description["turn"]
            credit_move(live, turn_began, uncharged_ms, description["left_at"], self._now())
        packets = missed_packets(live, client, seq)
        if packets:
            client.write(frames_for(live, client, packets, {}))


def credit_move(live: LiveRoom, turn_began: int, uncharged_ms: int, left_at: int, now: int) -> None:
    """Do not charge the player to move with the time in which the connection moved.

    `uncharged_ms`: what was not charged of the turn that began at `turn_began`.
    """
    if live.room.clocks[2] == turn_began:
        live.uncharged_ms = max(live.uncharged_ms, uncharged_ms)
        live.add_outage(live.stalled_ms(left_at, now))
    else:  # the player is told only now
        live.uncharged_ms = max(live.uncharged_ms, now - live.room.clocks[2])


def missed_packets(live: LiveRoom, client: Connection, seq: int) -> list[Packet]:
    """Return the events after `seq` that a client may see."""
    return live.events_between(seq, live.room.horizon if live.seat_of(client) is None else live.room.seq)


def fields_of(part: Player | BotInfo) -> dict[str, Any]:
    """Return the fields of a message's part by name."""
    return {name: getattr(part, name) for name in part.__struct_fields__}
