"""The front desk: every message of a client comes here, and goes on to its room or is answered on the spot."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from engine.record import to_json, write
from engine.registry import GAMES
from protocol import messages as m
from protocol.messages import AnyCommand, Created, LobbyUpdate, Player, RoomCommand, RoomInfo
from protocol.wire import read_part
from server import found, rating, view
from server.auth import check_name, identify
from server.decide import Decision, Refusal, decide
from server.hall import RETRY, Hall
from server.index import whole
from server.live import Live
from server.names import new_code, new_room
from server.peer import Peer, require
from server.room import Room
from server.store import Conflict, Unavailable, appended

LISTED = 200  # rooms in a list or in the lobby
Waiting = Coroutine[Any, Any, None]


class Desk:
    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.settings = hall.settings
        self.present: dict[str, dict[Peer, None]] = {}  # who is here, by name
        self._pairing = asyncio.Lock()  # so that two who look for an opponent find each other

    def receive(self, peer: Peer, command: AnyCommand) -> Waiting | None:
        """Deal with a command at once, or return what has to be awaited before the peer's next one."""
        if type(command) is m.Move and peer.player is not None and not self.hall.draining:  # what most messages are
            live = self.hall.rooms.get(command.room)
            if live is not None and len(command.note) <= self.settings.note_length:
                self.hall.submit(live, peer, command)
                return None
        if peer.player is None:
            if type(command) is not m.Hello:
                peer.refuse(command.id, "hello_first", "say hello first")
                return None
            return self._answer(peer, command, self._hello)
        if self.hall.draining:
            peer.refuse(command.id, "draining", "the server is about to restart; come back", RETRY)
            return None
        if isinstance(command, RoomCommand) and type(command) not in SLOW:
            live = self.hall.rooms.get(command.room)
            if live is not None:
                self._pass_on(peer, live, command)
                return None
            return self._answer(peer, command, self._find)
        return self._answer(peer, command, getattr(self, SLOW[type(command)]))

    async def _answer(self, peer: Peer, command: Any, how: Callable[[Peer, Any], Waiting]) -> None:
        try:
            await how(peer, command)
        except Refusal as refusal:
            peer.refuse(command.id, refusal.code, str(refusal), refusal.retry_after)
        except Unavailable as error:
            self.hall.failing = str(error)
            peer.refuse(command.id, "unavailable", f"not done: {error}", RETRY)

    # -- rooms

    def _pass_on(self, peer: Peer, live: Live, command: RoomCommand) -> None:
        if type(command) is m.Move:
            if len(command.note) > self.settings.note_length:
                most = self.settings.note_length
                peer.refuse(command.id, "too_long", f"a note has at most {most} characters")
                return
        elif type(command) is m.Say:
            wrong = self._chat_problem(peer, live, command)
            if wrong is not None:
                peer.refuse(command.id, wrong.code, str(wrong))
                return
        elif type(command) is m.Leave and live.room.seat_of(require(peer).id) is None:
            live.detach(peer)
            peer.send(m.Ok(id=command.id, room=command.room))
            self.hall.let_go(live)
            return
        self.hall.submit(live, peer, command)

    def _chat_problem(self, peer: Peer, live: Live, command: m.Say) -> Refusal | None:
        if live.room.id not in peer.rooms:
            return Refusal("not_seated", "join the room or watch it first")
        if len(command.text) > self.settings.text_length:
            return Refusal("too_long", f"a line has at most {self.settings.text_length} characters")
        if not command.text.strip() or not command.text.isprintable():
            return Refusal("bad_request", "a line is made of printable characters")
        return None

    async def _room(self, name: str) -> Live:
        live = await self.hall.room(name)
        if live is None:
            raise Refusal("no_room", f"there is no room {name[:40]!r}")
        return live

    async def _find(self, peer: Peer, command: RoomCommand) -> None:
        live = await self._room(command.room)
        self._pass_on(peer, live, command)
        self.hall.let_go(live)

    async def _join(self, peer: Peer, command: m.Join) -> None:
        live = await self._room(command.room)
        await self._room_for_one_more(peer)
        await self._seat(peer, live, command)

    async def _seat(self, peer: Peer, live: Live, command: m.Join) -> None:
        who = await self._rated(peer, live.room.setup.game, live.room.setup.options)
        self.hall.submit(live, peer, command, lambda room, at: decide(room, who, command, at))

    async def _rated(self, peer: Peer, game: str, options: m.Options) -> Player:
        """Who somebody is, with the rating at this game."""
        player = require(peer)
        if not player.account:
            return player
        known = await self.hall.store.ratings(rating.profile(game, options), [player.id])
        return rating.known_as(player, known.get(player.id), self.hall.now())

    async def _watch(self, peer: Peer, command: m.Watch) -> None:
        live = await self._room(command.room)
        setup, player = live.room.setup, require(peer)
        known = player.id == setup.by or player.name.casefold() in map(str.casefold, invited(live.room))
        if setup.private and command.code != setup.code and live.room.seat_of(player.id) is None and not known:
            raise Refusal("bad_code", "this room is private and that is not its code")
        seat = self.hall.arrive(live, peer)
        upto = live.room.horizon if seat is None else live.room.seq
        peer.send(m.Ok(id=command.id, room=command.room, seq=upto, seat=seat))
        if 0 < command.after <= upto:
            for packet in live.since(command.after, upto):
                peer.write(packet.text if peer.text else packet.binary)
        else:
            peer.send(live.snapshot(peer, self.hall.now()))

    async def _create(self, peer: Peer, command: m.Create) -> None:
        founded = await self._founded(peer, command)
        live = await self._open(founded)
        self.hall.teller.enter(live, peer, command.id)
        self.invite_here(live)
        for name in invited(live.room):
            self.hall.bus.invite(live.room, name)

    async def _founded(self, peer: Peer, command: m.Create) -> Decision:
        for name in (command.players or (command.invite,)) if command.players or command.invite else ():
            check_name(name, self.settings.name_length + 4)
        if command.players is None:
            seat = command.seat if command.seat is not None else random.randrange(2)
            return await self._sit_first(peer, await self._found(peer, command, False), seat)
        if command.invite or command.seat is not None:
            raise Refusal("bad_request", "with players there is neither a seat for you nor anybody else to invite")
        names = {name.casefold() for name in command.players}
        if len(names) < 2 or require(peer).name.casefold() in names:
            raise Refusal("bad_request", "the players are two, and neither of them is you, the arbiter")
        return found.arbitrated(await self._found(peer, command, False))

    async def _sit_first(self, peer: Peer, created: Created, seat: int) -> Decision:
        return found.found(created, await self._rated(peer, created.game, created.options), seat)

    async def _found(self, peer: Peer, command: m.Create | m.Pair, paired: bool) -> Created:
        options = found.settle(command.game, command.options, command.clock)
        full = command if isinstance(command, m.Create) else m.Create(id=0, game=command.game)
        if command.rated:
            found.check_rated(options, require(peer) if full.players is None else None)
        await self._room_for_one_more(peer)
        now = self.hall.now()
        return Created(
            room=new_room(now),
            seq=1,
            at=now,
            game=command.game,
            options=options,
            clock=command.clock,
            by=require(peer).id,
            private=full.private,
            code=new_code() if full.private else "",
            invite=full.invite,
            rated=command.rated,
            paired=paired,
            delay=full.delay,
            illegal=full.illegal,
            players=full.players,
            arbiter=require(peer).name if full.players else "",
            expiry=int(self.settings.expiry * 1000),
        )

    async def _open(self, founded: Decision) -> Live:
        try:
            await appended(self.hall.store, whole(founded))
        except Conflict:  # one chance in 2 ** 25 a second
            raise Refusal("unavailable", "that name was taken; try again", retry_after=0) from None
        return self.hall.admit(founded)

    async def _pair(self, peer: Peer, command: m.Pair) -> None:
        async with self._pairing, self.hall.store.alone("pair"):
            options = found.settle(command.game, command.options, command.clock)
            for data in await self.hall.store.rooms(command.game, "waiting", LISTED):
                info = read_part(data, RoomInfo)
                same = (info.paired, info.options, info.clock, info.rated) == (
                    True,
                    options,
                    command.clock,
                    command.rated,
                )
                live = await self.hall.room(info.room) if same else None
                if live is not None and self._waits_for(live, peer):
                    await self._room_for_one_more(peer)
                    await self._seat(peer, live, m.Join(id=command.id, room=info.room))
                    await self._decided(live)  # the next one to look, on any node, finds the seat taken
                    return
            created = await self._found(peer, command, True)
            live = await self._open(await self._sit_first(peer, created, random.randrange(2)))
            self.hall.teller.enter(live, peer, command.id)

    async def _decided(self, live: Live) -> None:
        """Once everything before has had its turn in this room."""
        turn = asyncio.Event()

        def reached(room: Room, at: int) -> Decision:
            turn.set()
            return Decision((), room)

        self.hall.act(live, reached)
        with suppress(TimeoutError):
            await asyncio.wait_for(turn.wait(), RETRY)

    def _waits_for(self, live: Live, peer: Peer) -> bool:
        room = live.room
        free = room.status == "waiting" and None in room.seats and room.away == (None, None) and not live.busy
        return free and room.seat_of(require(peer).id) is None

    async def _room_for_one_more(self, peer: Peer) -> None:
        most = self.settings.rooms_per_player
        if len(await self.hall.store.rooms_of(require(peer).id)) >= most:
            raise Refusal("too_many_rooms", f"you sit in {most} open rooms already")
        if sum(1 for live in peer.rooms.values() if arbitrates(peer, live.room)) >= most:
            raise Refusal("too_many_rooms", f"you are the arbiter of {most} open rooms already")

    def invite_here(self, live: Live) -> None:
        """Tell whom a room waits for, if that one is here."""
        for name in invited(live.room):
            for peer in self.present.get(name.casefold(), ()):
                self._invite_late(live, peer)

    # -- lists

    async def _infos(self, game: str, status: str) -> tuple[RoomInfo, ...]:
        stored = [read_part(data, RoomInfo) for data in await self.hall.store.rooms(game, status, LISTED)]
        known = self.hall.rooms
        shared = self.hall.store.shared  # then a room that nobody attends here may have gone on elsewhere
        fresh = {name for name, live in known.items() if not (shared and live.empty)}
        return tuple(view.info(known[info.room].room) if info.room in fresh else info for info in stored)

    async def _list(self, peer: Peer, command: m.List) -> None:
        rooms = await self._infos(command.game, command.status or "")
        peer.send(m.Ok(id=command.id, rooms=rooms))

    async def _lobby(self, peer: Peer, command: m.Lobby) -> None:
        if not command.on:
            self.hall.lobby.leave(peer)
            peer.send(m.Ok(id=command.id))
            return
        self.hall.lobby.enter(peer)
        rooms = await self._infos("", "")
        peer.send(m.Ok(id=command.id))
        peer.send(LobbyUpdate(rooms=rooms, full=True, bots=self.hall.lobby.bots()))

    async def _history(self, peer: Peer, command: m.History) -> None:
        store = self.hall.store
        games = await store.history(command.game, command.player, command.before, command.limit)
        rooms = tuple(read_part(data, RoomInfo) for _, data in games)
        before = games[-1][0] if len(games) == command.limit else None
        peer.send(m.Ok(id=command.id, rooms=rooms, before=before))

    async def _export(self, peer: Peer, command: m.Export) -> None:
        live = await self._room(command.room)
        room, player = live.room, require(peer)
        self.hall.let_go(live)
        if room.setup.private and room.seat_of(player.id) is None and player.id != room.setup.by:
            raise Refusal("bad_code", "this room was private")
        if room.status != "ended":
            raise Refusal("too_early", "the game is not over")
        record = view.record(room)
        text = write(record) if command.format == "text" else json.dumps(to_json(record), ensure_ascii=False)
        peer.send(m.Ok(id=command.id, room=command.room, text=text))

    # -- people

    async def _hello(self, peer: Peer, command: m.Hello) -> None:
        if peer.player is not None:
            raise Refusal("already_welcome", "you have said hello")
        if self.hall.draining:
            raise Refusal("draining", "the server is about to restart; come back", retry_after=RETRY)
        hall = self.hall
        identity = await identify(hall.store, self.settings, command, self.is_here, hall.now())
        await hall.store.arrived(hall.node, [identity.player.id])
        peer.player = identity.player
        self.present.setdefault(identity.player.name.casefold(), {})[peer] = None
        plays = tuple(game for game in GAMES if game in command.plays)
        if plays:
            player = identity.player
            hall.lobby.introduce(peer, m.BotInfo(name=player.name, plays=plays, account=player.account))
        sits = await hall.store.rooms_of(identity.player.id) if command.resume or command.token else []
        peer.send(
            m.Welcome(
                id=command.id,
                you=identity.player,
                session=identity.session,
                server="parlour",
                limits=self.settings.limits,
                games=view.games(),
                rooms=tuple(sits),
            )
        )
        for name in sits:
            live = await hall.room(name)
            if live is not None:
                hall.arrive(live, peer)
                peer.send(live.snapshot(peer, hall.now()))
        if hall.store.shared:
            await self._load_invitations(identity.player.name)
        me = identity.player.name.casefold()
        for live in list(hall.rooms.values()):
            if live.room.status == "waiting" and me in map(str.casefold, invited(live.room)):
                self._invite_late(live, peer)

    def _invite_late(self, live: Live, peer: Peer) -> None:
        if live.room.seat_of(require(peer).id) is None:
            names = [seat.name for seat in live.room.seats if seat is not None]
            by = live.room.setup.arbiter or names[0]
            peer.send(m.Invited(by=by, room=view.info(live.room)))

    async def _load_invitations(self, name: str) -> None:
        """Rooms of other nodes that wait for this name."""
        for data in await self.hall.store.rooms("", "waiting", LISTED):
            info = read_part(data, RoomInfo)
            if name.casefold() in map(str.casefold, info.players or (info.invite,)):
                await self.hall.room(info.room)

    def is_here(self, name: str) -> bool:
        return name.casefold() in self.present

    def players(self) -> list[str]:
        return sorted({require(peer).id for peers in self.present.values() for peer in peers})

    def goodbye(self, peer: Peer) -> None:
        """The connection is gone."""
        if peer.player is not None:
            name = peer.player.name.casefold()
            peers = self.present.get(name, {})
            peers.pop(peer, None)
            if not peers:
                self.present.pop(name, None)
            if self.hall.store.shared and not any(require(other).id == peer.player.id for other in peers):
                self.hall.spawn(self._left(peer.player.id))
        self.hall.depart(peer)

    async def _left(self, player: str) -> None:
        with suppress(Unavailable):  # then it looks as if the player had been here when this node ends
            await self.hall.store.left(self.hall.node, player)


def invited(room: Room) -> tuple[str, ...]:
    """For whom a room keeps its seats."""
    setup = room.setup
    return setup.players or ((setup.invite,) if setup.invite else ())


def arbitrates(peer: Peer, room: Room) -> bool:
    return room.setup.players is not None and room.setup.by == require(peer).id and room.status != "ended"


SLOW: dict[type[Any], str] = {
    m.Hello: "_hello",
    m.List: "_list",
    m.Lobby: "_lobby",
    m.Create: "_create",
    m.Pair: "_pair",
    m.Join: "_join",
    m.Watch: "_watch",
    m.History: "_history",
    m.Export: "_export",
}  # what needs the store first
