"""Dispatcher: passes each command of a client to its room, or to the handler that answers it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from protocol.commands import (
    AnyCommand,
    Boards,
    Create,
    Export,
    Hello,
    History,
    Join,
    Leaderboard,
    Leave,
    List,
    Lobby,
    Move,
    Pair,
    Puzzle,
    Ratings,
    Rematch,
    ReportTournament,
    Review,
    RoomCommand,
    Say,
    SubmitReview,
    TakeReview,
    Tournaments,
    Watch,
    WatchTournament,
)
from protocol.replies import Ok
from protocol.types import tag_of
from protocol.usernames import fold
from protocol.weights import ROOM_LOAD_WEIGHT, SNAPSHOT_PLIES_PER_MESSAGE, WEIGHTS
from server.config import Settings
from server.domain import creation
from server.domain.decision import Decision, Refusal
from server.domain.seating import invited_names, require_access
from server.handlers.hello import HelloHandler
from server.handlers.player_names import MAX_SUFFIX_CHARS, check_name
from server.handlers.puzzles import puzzle
from server.handlers.queries import QueryHandler
from server.lobby.feed import LobbyFeed
from server.lobby.invitations import Invitations
from server.lobby.matchmaker import Matchmaker
from server.lobby.reviews import Reviews
from server.lobby.tournaments import TournamentReports
from server.rooms.admission import Admission
from server.rooms.broadcast import Broadcaster, frames_for
from server.rooms.chat import ChatLimits
from server.rooms.client import Client, player_of
from server.rooms.live_room import LiveRoom
from server.rooms.membership import Membership
from server.rooms.presence import PresenceTracker
from server.rooms.processor import RoomProcessor
from server.rooms.registry import RoomRegistry
from server.rooms.status import RETRY_AFTER_S, NodeStatus
from server.rooms.timers import Now
from server.storage.interface import ReadTimeout, Unavailable

Work = Coroutine[Any, Any, None]
Handler = Callable[[Client, Any], Work]
MAX_EVENTS_RESENT = 200  # by `watch`: a client that has missed more gets a snapshot, which is shorter


class Dispatcher:
    """Routes commands. Commands that need the store first are answered in the background."""

    def __init__(
        self,
        *,
        settings: Settings,
        registry: RoomRegistry,
        processor: RoomProcessor,
        broadcaster: Broadcaster,
        membership: Membership,
        presence: PresenceTracker,
        admission: Admission,
        chat: ChatLimits,
        feed: LobbyFeed,
        invitations: Invitations,
        matchmaker: Matchmaker,
        tournaments: TournamentReports,
        reviews: Reviews,
        hello: HelloHandler,
        queries: QueryHandler,
        status: NodeStatus,
        now: Now,
    ) -> None:
        self._settings, self._registry, self._processor, self._broadcaster = settings, registry, processor, broadcaster
        self._membership, self._presence, self._admission, self._feed = membership, presence, admission, feed
        self._chat, self._invitations, self._status, self._now = chat, invitations, status, now
        self._tournaments, self._reviews = tournaments, reviews
        self._handlers: dict[type[Any], Handler] = {
            Hello: hello.hello,
            List: queries.list,
            Lobby: queries.lobby,
            Create: self._create,
            Pair: matchmaker.pair,
            Join: self._join,
            Watch: self._watch,
            History: queries.history,
            Leaderboard: queries.leaderboard,
            Ratings: queries.ratings,
            Boards: queries.boards,
            Export: queries.export,
            Puzzle: puzzle,
            Review: reviews.review,
            TakeReview: reviews.take,
            SubmitReview: reviews.submit,
            ReportTournament: tournaments.report,
            WatchTournament: tournaments.watch,
            Tournaments: tournaments.list,
        }

    def receive(self, client: Client, command: AnyCommand) -> Work | None:
        """Handle a command. Return the rest of the work if the client's next command has to wait for it."""
        if type(command) is Move and not command.note and client.player is not None and not self._status.draining:
            live = client.rooms.get(command.room)
            if live is not None:  # the common case
                self._processor.submit(live, client, command)
                return None
        if client.player is None:
            if type(command) is not Hello:
                client.refuse(command.id, "hello_first", "say hello first")
                return None
        elif self._status.draining:
            client.refuse(
                command.id, "draining", "the server is about to restart; reconnect in a moment", RETRY_AFTER_S
            )
            return None
        handler, weight = self._handlers.get(type(command)), WEIGHTS.get(type(command), 1)
        if handler is not None:
            return self._start(client, command, handler, weight)
        assert isinstance(command, RoomCommand)
        live = self._registry.rooms.get(command.room)
        if live is None:
            return self._start(client, command, self._to_loaded_room, weight + ROOM_LOAD_WEIGHT - 1)
        if self._charge(client, command, weight) is not None:
            self._to_room(client, live, command)
        return None

    def _start(self, client: Client, command: AnyCommand, handler: Handler, weight: int) -> Work | None:
        """Charge the client for a command. Return its work, or None if it is refused."""
        pause_s = self._charge(client, command, weight)
        return None if pause_s is None else self._answer(client, command, handler, pause_s)

    @staticmethod
    def _charge(client: Client, command: AnyCommand, weight: int) -> float | None:
        """Charge the client for a command that costs more than a move.

        Return the seconds to wait before its work. Refuse it, and return None, if the rate limit is used up.
        """
        if weight == 1:
            return 0.0
        refused_s, pause_s = client.charge(weight)
        if not refused_s:
            return pause_s
        text = f"too many messages: {tag_of(type(command))} counts as {weight} of them; wait {refused_s:.1f} seconds"
        client.refuse(command.id, "rate_limited", text, refused_s)
        return None

    def disconnected(self, client: Client) -> None:
        """Forget a client whose connection is lost."""
        if client.player is not None:
            self._presence.remove(client)
        self._feed.disconnect(client)
        self._invitations.disconnect(client)
        self._tournaments.disconnect(client)
        self._reviews.disconnect(client)
        self._membership.disconnect(client)

    async def _answer(self, client: Client, command: Any, handler: Handler, pause_s: float) -> None:
        if pause_s:
            await asyncio.sleep(pause_s)
        try:
            await handler(client, command)
        except Refusal as refusal:
            client.refuse(command.id, refusal.code, str(refusal), refusal.retry_after)
        except Unavailable as error:
            if not isinstance(error, ReadTimeout):
                self._status.store_failed(error)
            client.refuse(command.id, "unavailable", f"the server cannot do this now: {error}", RETRY_AFTER_S)

    # -- commands to a room

    async def _to_loaded_room(self, client: Client, command: RoomCommand) -> None:
        live = await self._registry.find(command.room, client)
        self._to_room(client, live, command)
        self._registry.evict_ended(live)

    def _to_room(self, client: Client, live: LiveRoom, command: RoomCommand) -> None:
        if live.room.id not in client.rooms and type(command) not in (Leave, Rematch):
            self._return_to_seat(client, live)
        try:
            self._check_limits(client, live, command)
        except Refusal as refusal:
            client.refuse(command.id, refusal.code, str(refusal), refusal.retry_after)
            return
        if type(command) is Leave and live.seat_of(client) is None:
            client.send(Ok(id=command.id, room=command.room))
            self._membership.leave(live, client)
        elif type(command) is Leave:
            self._processor.submit(live, client, command, partial(self._membership.vacate, live, client))
        elif type(command) is Rematch:
            self._processor.submit(live, client, command, partial(self._membership.rematch, live, client, command))
        else:
            self._processor.submit(live, client, command)

    def _return_to_seat(self, client: Client, live: LiveRoom) -> None:
        """Attach the client of a seated player again if it sends a command after it has left the room."""
        if live.seat_of(client) is not None:
            self._membership.enter(live, client)
            self._membership.forget_old_rooms(client)

    def _check_limits(self, client: Client, live: LiveRoom, command: RoomCommand) -> None:
        """Raise Refusal if a command to a room is over a limit."""
        if type(command) is Say:
            self._chat.check(live, client, command.text)
        elif type(command) is Rematch and command.accept:
            self._invitations.check_rematch(live, client)
            if live.room.rematch_offer is not None:
                self._admission.check_room_rate(client)
        elif type(command) is Move:
            if len(command.note) > self._settings.note_length:
                raise Refusal("too_long", f"a note has at most {self._settings.note_length} characters")
            if not command.note.isprintable():
                raise Refusal("bad_request", "a note may have only printable characters")

    async def _watch(self, client: Client, command: Watch) -> None:
        live = await self._registry.find(command.room, client)
        try:
            require_access(live.room, player_of(client), command.code)
        except Refusal:
            self._registry.evict_ended(live)
            raise
        seat = self._membership.enter(live, client)
        self._membership.forget_old_rooms(client)
        upto = live.room.horizon if seat is None else live.room.seq
        client.send(Ok(id=command.id, room=command.room, seq=upto, seat=seat))
        missed = upto - command.after
        if command.after and 0 <= missed <= MAX_EVENTS_RESENT:
            if missed:
                client.write(frames_for(live, client, live.events_between(command.after, upto), {}))
        else:
            client.send(live.snapshot(client, seat, self._now()))
            if live.room.ply >= SNAPSHOT_PLIES_PER_MESSAGE:
                client.charge_done(live.room.ply // SNAPSHOT_PLIES_PER_MESSAGE)

    async def _join(self, client: Client, command: Join) -> None:
        live = await self._registry.find(command.room, client)
        try:
            await self._admission.check_room_limit(client)
            await self._admission.join(client, live, command)
        finally:
            self._registry.evict_ended(live)

    # -- new rooms

    async def _create(self, client: Client, command: Create) -> None:
        live = await self._admission.open(client, await self._first_events(client, command))
        self._broadcaster.seat(live, client, command.id)
        for name in invited_names(live.room.setup):
            self._invitations.send(live, name)

    async def _first_events(self, client: Client, command: Create) -> Decision:
        for name in (command.players or (command.invite,)) if command.players or command.invite else ():
            check_name(name, self._settings.name_length + MAX_SUFFIX_CHARS)
        me = fold(player_of(client).name)
        if command.players is None:
            if fold(command.invite) == me:
                raise Refusal("bad_request", "you cannot invite yourself; name another player, or leave `invite` out")
            seat = command.seat if command.seat is not None else random.randrange(2)
            created = await self._admission.created_event(client, command)
            return await self._admission.create_with_seat(client, created, seat)
        if command.invite or command.seat is not None:
            raise Refusal("bad_request", "a room with `players` takes neither `seat` nor `invite`")
        names = {fold(name) for name in command.players}
        if len(names) < 2 or me in names:
            raise Refusal("bad_request", "`players` must name two different players, other than you, the arbiter")
        return creation.create_arbitrated_room(await self._admission.created_event(client, command))
