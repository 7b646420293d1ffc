"""A server that puts one text into every field of its messages that can hold a text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from msgspec.structs import replace
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from protocol.codec import CODECS
from protocol.commands import Command, Create, Export, Hello, History, Join, Leaderboard, List, Lobby, Ratings, Watch
from protocol.events import Ended, Moved, Said
from protocol.replies import Closing, Error, Invited, LobbyUpdate, Ok, Snapshot, Welcome
from protocol.types import (
    BotInfo,
    GameInfo,
    Leader,
    Limits,
    Message,
    OptionInfo,
    PlayedMove,
    Player,
    RatedGame,
    RoomInfo,
    Seat,
    TimeControl,
)
from tests.tui.offline_app import AT, snapshot_of

KNOWN, FOREIGN = "known", "foreign"  # rooms: of a game that clients know, and of one that they do not know
NEVER = 10**17  # a time that no calendar has


class HostileServer:
    """Answers every command with `text` in all its fields. Refuses commands that it does not know with it."""

    def __init__(self, text: str, rooms: tuple[str, ...] = (), welcome: bool = True) -> None:
        """Make a server. `rooms`: unfinished games of the client. `welcome`: whether clients are welcome."""
        self.text, self.rooms, self._welcome = text, rooms, welcome
        self.url = ""
        self._connections: set[ServerConnection] = set()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[HostileServer]:
        protocols = [Subprotocol(name) for name in CODECS]
        async with serve(self._talk, "127.0.0.1", 0, subprotocols=protocols, close_timeout=0.1) as server:
            self.url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"
            yield self

    async def _talk(self, connection: ServerConnection) -> None:
        assert connection.subprotocol is not None
        codec = CODECS[connection.subprotocol]
        self._connections.add(connection)
        async for data in connection:
            command = codec.decode_command(data.encode() if isinstance(data, str) else data)
            for message in self.answer(command):
                reply = codec.encode(message)
                await connection.send(reply.decode() if codec.text else reply)
            if isinstance(command, Watch) and command.room == KNOWN:
                for message in self.events():
                    reply = codec.encode(message)
                    await connection.send(reply.decode() if codec.text else reply)

    async def hang_up(self) -> None:
        """Close all connections with the text as the reason."""
        for connection in self._connections:
            await connection.close(1011, self.text)

    def answer(self, command: Command) -> list[Message]:
        text, id = self.text, command.id
        match command:
            case Hello():
                if not self._welcome:
                    return [Error(id=id, code="bad_token", text=text)]
                return [self.welcome(id), *map(self.snapshot, self.rooms)]
            case Lobby():
                rooms = tuple(self.room(status) for status in ("waiting", "running", "ended"))
                bots = tuple(BotInfo(name=text, plays=plays) for plays in (("conga",), (text,), ()))
                update = LobbyUpdate(rooms=rooms, full=True, bots=bots)
                return [Ok(id=id), update, Invited(by=text, room=self.room("waiting"))]
            case Leaderboard():
                leader = Leader(name=text, rating=1, deviation=1, games=1, at=NEVER)
                return [Ok(id=id, leaders=(leader,))]
            case Ratings():
                return [Ok(id=id, ratings=(RatedGame(room=text, rating=1, deviation=1, games=1, at=NEVER),))]
            case List() | History():
                return [Ok(id=id, rooms=(self.room("ended"),))]
            case Create() | Join():
                return [Ok(id=id, room=KNOWN), self.snapshot(KNOWN)]
            case Watch():
                return [Ok(id=id, room=command.room), self.snapshot(command.room)]
            case Export():
                return [Ok(id=id, text=text)]
        return [Error(id=id, code="bad_request", text=text), Closing(text=text, retry_after=1)]

    def welcome(self, id: int) -> Welcome:
        text = self.text
        limits = Limits(
            message_bytes=1 << 14, messages_per_second=99, burst=99, rooms=99, name_length=32, text_length=99,
            note_length=99,
        )  # fmt: skip
        option = OptionInfo(name=text, default=text, help=text, choices=(text,))
        game = GameInfo(
            name=text, title=text, sides=(text, text), options=(option,), move_form=text, position_form=text
        )
        you = Player(id=text, name=text)
        return Welcome(id=id, you=you, session=text, server=text, limits=limits, games=(game,), rooms=self.rooms)

    def room(self, status: Any) -> RoomInfo:
        seat = Seat(player="p", name=self.text)
        return RoomInfo(
            room=f"{status}{self.text}", game=self.text, options={self.text: self.text}, clock=TimeControl(),
            status=status, seats=(seat, None if status == "waiting" else seat), created_at=AT, invite=self.text,
            players=(self.text, self.text), arbiter=self.text, result="1-0" if status == "ended" else "*",
        )  # fmt: skip

    def snapshot(self, room: str) -> Snapshot:
        text = self.text
        chat = (Said(room=room, seq=2, at=AT, name=text, text=text, seat=1),)
        known = snapshot_of(
            "conga", ("a4b4",), room=room, names=(text, text), notes={1: text}, chat=chat, sides=(text, text)
        )
        if room == KNOWN:
            return known
        move = PlayedMove(ply=1, side=0, move=text, took=1, charged=1, note=text)
        return replace(
            known, game=text, options={text: text}, sides=(text, ""), start=text, position=text, moves=(move,),
            invite=text, players=(text, text),
        )  # fmt: skip

    def events(self) -> list[Message]:
        text = self.text
        common: dict[str, Any] = {"room": KNOWN, "at": AT}
        first = self.snapshot(KNOWN).seq + 1
        after = snapshot_of("conga", ("a4b4", "d1c2"))
        return [
            Said(seq=first, name=text, text=text, **common),
            Moved(
                seq=first + 1, ply=2, side=1, move="d1c2", position=after.position, turn=0, took=1, charged=1,
                note=text, **common,
            ),
            Ended(seq=first + 2, result="1-0", reason="resigned", winner=0, **common),
        ]  # fmt: skip
