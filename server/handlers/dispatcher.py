"""The front desk: every message of a client comes here, and goes on to its room or is answered on the spot."""

from __future__ import annotations

import random
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from protocol.commands import (
    AnyCommand,
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
    Ratings,
    Rematch,
    RoomCommand,
    Say,
    Watch,
)
from protocol.replies import Ok
from protocol.usernames import fold
from server.domain import creation
from server.domain.decision import Decision, Refusal
from server.domain.room import Room
from server.handlers.auth import check_name
from server.handlers.hello import Reception
from server.handlers.queries import Lists
from server.lobby.matchmaker import Matchmaker
from server.rooms.admission import Founder
from server.rooms.client import Peer, require
from server.rooms.live_room import Live
from server.rooms.processor import RETRY
from server.rooms.registry import Hall
from server.storage.interface import Unavailable

Waiting = Coroutine[Any, Any, None]
MOST_WAITING = 16  # commands in the queue of a room: then there is no more talk, so that moves do not wait for it


class Desk:
    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.settings = hall.settings
        self.present = hall.present
        self.reception = Reception(hall)
        self._founder = Founder(hall)
        self.matchmaker = Matchmaker(hall, self._founder, self.reception.invite)
        lists = Lists(hall)
        self._slow: dict[type[Any], Callable[[Peer, Any], Waiting]] = {  # what needs the store first
            Hello: self.reception.hello,
            List: lists.list,
            Lobby: lists.lobby,
            Create: self._create,
            Pair: self.matchmaker.pair,
            Join: self._join,
            Watch: self._watch,
            History: lists.history,
            Leaderboard: lists.leaderboard,
            Ratings: lists.ratings,
            Export: lists.export,
        }

    def receive(self, peer: Peer, command: AnyCommand) -> Waiting | None:
        """Deal with a command at once, or return what has to be awaited before the peer's next one."""
        hall = self.hall
        if type(command) is Move and not command.note and peer.player is not None and not hall.draining:  # as most are
            live = peer.rooms.get(command.room)
            if live is not None:
                hall.agenda.submit(live, peer, command)
                return None
        if peer.player is None:
            if type(command) is not Hello:
                peer.refuse(command.id, "hello_first", "say hello first")
                return None
            return self._answer(peer, command, self.reception.hello)
        if hall.draining:
            peer.refuse(command.id, "draining", "the server is about to restart; come back", RETRY)
            return None
        if isinstance(command, RoomCommand) and type(command) not in self._slow:
            live = hall.rooms.get(command.room)
            if live is not None:
                self._pass_on(peer, live, command)
                return None
            return self._answer(peer, command, self._find)
        return self._answer(peer, command, self._slow[type(command)])

    async def _answer(self, peer: Peer, command: Any, how: Callable[[Peer, Any], Waiting]) -> None:
        try:
            await how(peer, command)
        except Refusal as refusal:
            peer.refuse(command.id, refusal.code, str(refusal), refusal.retry_after)
        except Unavailable as error:
            self.hall.fails(error)
            peer.refuse(command.id, "unavailable", f"not done: {error}", RETRY)

    # -- rooms

    def _pass_on(self, peer: Peer, live: Live, command: RoomCommand) -> None:
        if live.room.id not in peer.rooms and type(command) not in (Leave, Rematch):
            self._bring_back(peer, live)
        if type(command) is Move:
            wrong = self._note_problem(command)
            if wrong is not None:
                peer.refuse(command.id, wrong.code, str(wrong))
                return
        elif type(command) is Say:
            wrong = self._chat_problem(peer, live, command)
            if wrong is not None:
                peer.refuse(command.id, wrong.code, str(wrong), wrong.retry_after)
                return
        elif type(command) is Leave and live.room.seat_of(require(peer).id) is None:
            peer.send(Ok(id=command.id, room=command.room))
            self.hall.attendance.leave(live, peer)
            return
        elif type(command) is Leave:
            self.hall.agenda.submit(live, peer, command, partial(self.hall.attendance.give_up, live, peer))
            return
        elif type(command) is Rematch:
            self.hall.agenda.submit(live, peer, command, partial(self.hall.attendance.rematch, live, peer, command))
            return
        self.hall.agenda.submit(live, peer, command)

    def _bring_back(self, peer: Peer, live: Live) -> None:
        """A player who acts at a table is there, though this connection may have left it before."""
        if live.room.seat_of(require(peer).id) is not None:
            self.hall.attendance.arrive(live, peer)
            self.hall.attendance.tidy(peer)

    def _note_problem(self, command: Move) -> Refusal | None:
        if len(command.note) > self.settings.note_length:
            return Refusal("too_long", f"a note has at most {self.settings.note_length} characters")
        if not command.note.isprintable():
            return Refusal("bad_request", "a note is made of printable characters")
        return None

    def _chat_problem(self, peer: Peer, live: Live, command: Say) -> Refusal | None:
        if live.room.id not in peer.rooms:
            return Refusal("not_seated", "join the room or watch it first")
        if len(command.text) > self.settings.text_length:
            return Refusal("too_long", f"a line has at most {self.settings.text_length} characters")
        if len(live.queue) >= MOST_WAITING:
            return Refusal("rate_limited", "everybody speaks at once here; wait a moment", retry_after=RETRY)
        if not command.text.strip() or not command.text.isprintable():
            return Refusal("bad_request", "a line is made of printable characters")
        return None

    async def _find(self, peer: Peer, command: RoomCommand) -> None:
        live = await self.hall.find(command.room)
        self._pass_on(peer, live, command)
        self.hall.let_go(live)

    async def _join(self, peer: Peer, command: Join) -> None:
        live = await self.hall.find(command.room)
        try:
            await self._founder.room_for_one_more(peer)
            await self._founder.seat(peer, live, command)
        finally:
            self.hall.let_go(live)

    async def _watch(self, peer: Peer, command: Watch) -> None:
        live = await self.hall.find(command.room)
        setup, player = live.room.setup, require(peer)
        expected = live.room.status == "waiting" and fold(player.name) in map(fold, invited(live.room))
        known = expected or player.id == setup.by
        if setup.private and command.code != setup.code and live.room.seat_of(player.id) is None and not known:
            self.hall.let_go(live)
            raise Refusal("bad_code", "this room is private and that is not its code")
        seat = self.hall.attendance.arrive(live, peer)
        self.hall.attendance.tidy(peer)
        upto = live.room.horizon if seat is None else live.room.seq
        peer.send(Ok(id=command.id, room=command.room, seq=upto, seat=seat))
        if 0 < command.after <= upto:
            for packet in live.since(command.after, upto):
                peer.write(packet.text if peer.text else packet.binary)
        else:
            peer.send(live.snapshot(peer, self.hall.now()))

    async def _create(self, peer: Peer, command: Create) -> None:
        founded = await self._founded(peer, command)
        live = await self._founder.open(founded)
        self.hall.teller.enter(live, peer, command.id)
        for name in invited(live.room):
            self.reception.invite(live, name)

    async def _founded(self, peer: Peer, command: Create) -> Decision:
        for name in (command.players or (command.invite,)) if command.players or command.invite else ():
            check_name(name, self.settings.name_length + 4)
        me = fold(require(peer).name)
        if command.players is None:
            if fold(command.invite) == me:
                raise Refusal("bad_request", "you cannot invite yourself; name somebody else, or nobody")
            seat = command.seat if command.seat is not None else random.randrange(2)
            return await self._founder.seated(peer, await self._founder.created(peer, command), seat)
        if command.invite or command.seat is not None:
            raise Refusal("bad_request", "with players there is neither a seat for you nor anybody else to invite")
        names = {fold(name) for name in command.players}
        if len(names) < 2 or me in names:
            raise Refusal("bad_request", "the players are two, and neither of them is you, the arbiter")
        return creation.create_arbitrated_room(await self._founder.created(peer, command))

    def goodbye(self, peer: Peer) -> None:
        """The connection is gone."""
        if peer.player is not None:
            self.present.go(peer)
        self.hall.attendance.depart(peer)


def invited(room: Room) -> tuple[str, ...]:
    """For whom a room keeps its seats."""
    setup = room.setup
    return setup.players or ((setup.invite,) if setup.invite else ())
