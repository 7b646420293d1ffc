"""People come in: they say who they are, hear where they sit, and which rooms wait for them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from engine.registry import GAMES
from protocol.commands import Hello
from protocol.replies import Invited, Welcome
from protocol.types import BotInfo, Player
from server.domain import snapshots
from server.domain.decision import Refusal
from server.handlers.auth import Identity, identify
from server.rooms.client import Peer, require
from server.rooms.live_room import Live
from server.rooms.processor import RETRY
from server.rooms.registry import Hall
from server.storage.interface import Unavailable


class Reception:
    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._house = {name.strip() for name in hall.settings.house.split(",")}

    async def hello(self, peer: Peer, command: Hello) -> None:
        hall = self._hall
        if peer.player is not None:
            raise Refusal("already_welcome", "you have said hello")
        if hall.draining:
            raise Refusal("draining", "the server is about to restart; come back", retry_after=RETRY)
        identity = await identify(hall.store, hall.settings, command, hall.node)
        sits = await self._register(identity, known=bool(command.resume or command.token))
        peer.player = identity.player
        hall.present.come(peer)
        self._introduce(peer, command.plays)
        peer.send(
            Welcome(
                id=command.id,
                you=identity.player,
                session=identity.secret,
                server="parlour",
                limits=hall.settings.limits,
                games=snapshots.game_list(),
                rooms=tuple(sits),
            )
        )
        for name in sits:
            live = await hall.room(name)
            if live is not None:
                hall.attendance.arrive(live, peer)
                peer.send(live.snapshot(peer, hall.now()))
        with suppress(Unavailable):  # it will be told again who is here; whom a room waits for finds it in lists
            await self._call(peer, identity.player)

    async def _register(self, identity: Identity, known: bool) -> list[str]:
        """Where somebody sits who has been here before."""
        hall, player = self._hall, identity.player
        hall.present.expect(player)
        try:
            await hall.store.save_session(identity.secret, identity.session, hall.now())
            return await hall.sits(player.id) if known else []
        except Unavailable:
            hall.present.let_go(player)
            raise
        finally:
            hall.present.expect_no_more(player)

    def _introduce(self, peer: Peer, games: Sequence[str]) -> None:
        """A bot to everybody who looks for one."""
        player, plays = require(peer), tuple(game for game in GAMES if game in games)
        if plays:
            house = player.account and player.name in self._house
            bot = BotInfo(name=player.name, plays=plays, account=player.account, house=house)
            self._hall.lobby.introduce(peer, bot)

    async def _call(self, peer: Peer, player: Player) -> None:
        """Whoever has come to the rooms that wait for them."""
        hall = self._hall
        await hall.store.mark_present(hall.node, [(player.id, player.name)])
        for name in await hall.store.rooms_waiting_for(player.name):
            waiting = await hall.room(name)
            if waiting is not None and waiting.room.status == "waiting":
                self._invite_late(waiting, peer)

    def invite(self, live: Live, name: str) -> None:
        """Tell somebody that a room waits for them, wherever they are."""
        self.invite_here(live, name)
        self._hall.bus.invite(live.room, name)

    def invite_here(self, live: Live, name: str) -> None:
        for peer in self._hall.present.named(name):
            self._invite_late(live, peer)

    def _invite_late(self, live: Live, peer: Peer) -> None:
        if live.room.seat_of(require(peer).id) is None:
            names = [seat.name for seat in live.room.seats if seat is not None]
            by = live.room.setup.arbiter or names[0]
            peer.send(Invited(by=by, room=snapshots.room_info(live.room)))
