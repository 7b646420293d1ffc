"""A server that puts one text into every field of its messages that can hold a text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from msgspec.structs import replace
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from engine.record import Record, write
from engine.record_move import Played
from protocol.codec import CODECS
from protocol.commands import (
    Command,
    Create,
    Export,
    Hello,
    History,
    Join,
    Leaderboard,
    List,
    Lobby,
    Ratings,
    Review,
    Watch,
    WatchTournament,
)
from protocol.events import Ended, Moved, Said
from protocol.replies import (
    Closing,
    Error,
    Invited,
    LobbyUpdate,
    Ok,
    ReviewUpdate,
    Snapshot,
    TournamentUpdate,
    Welcome,
)
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
    ReviewedMove,
    ReviewSummary,
    RoomInfo,
    Seat,
    TimeControl,
    TournamentGame,
    TournamentGoal,
    TournamentReport,
    TournamentRow,
)
from tests.tui.offline_app import AT, snapshot_of

KNOWN, FOREIGN = "known", "foreign"  # rooms: of a game that clients know, and of one that they do not know
MOVE, BETTER = "a4b4", "a4a3"  # of the known game
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
                return [Ok(id=id, text=self.record() if command.room == KNOWN else text)]
            case Review():
                return [Ok(id=id), ReviewUpdate(room=command.room, state="queued", why=text), self.review(command.room)]
            case WatchTournament():
                return [Ok(id=id), TournamentUpdate(name=text, by=text, age=0, report=self.tournament())]
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
            "conga", (MOVE,), room=room, names=(text, text), notes={1: text}, chat=chat, sides=(text, text)
        )
        if room == KNOWN:
            return known
        move = PlayedMove(ply=1, side=0, move=text, took=1, charged=1, note=text)
        return replace(
            known, game=text, options={text: text}, sides=(text, ""), start=text, position=text, moves=(move,),
            invite=text, players=(text, text),
        )  # fmt: skip

    def record(self) -> str:
        """Return the game of the known room, which has ended."""
        played = Played(MOVE, note=self.text)
        return write(Record("conga", seats=(self.text, self.text), result="1-0", reason="resigned", moves=(played,)))

    def review(self, room: str) -> ReviewUpdate:
        """Return a review that fits the game of the known room."""
        move = ReviewedMove(
            ply=1, side=0, move=MOVE, best=BETTER, line=(BETTER,), value=1.0, value_proved=True, played=-1.0,
            played_proved=True, loss=2.0, chance=0.0, cost=1.0, judgement="blunder", words=self.text,
            also=(self.text,), path=(self.text,),
        )  # fmt: skip
        summary = ReviewSummary(accuracy=(50.0, None), turning_points=(1,))
        return ReviewUpdate(room=room, state="done", done=1, total=1, why=self.text, summary=summary, moves=(move,))

    def tournament(self) -> TournamentReport:
        """Return the last report on a tournament."""
        text = self.text
        game = TournamentGame(number=1, first=text, second=text, room=text, result="1-0", why=text)
        rows = (TournamentRow(name=text, points=1.0), TournamentRow(name=text, points=0.0))
        goal = TournamentGoal(student=text, goal=text, verdict="pass", evidence=text)
        return TournamentReport(
            title=text, game=text, format=text, players=2, options={text: text}, finished=True, rows=rows,
            crosstable=((text, text), (text, text)), running=(game,), latest=(game,), next=(game,), goals=(goal,),
        )  # fmt: skip

    def events(self) -> list[Message]:
        text = self.text
        common: dict[str, Any] = {"room": KNOWN, "at": AT}
        first = self.snapshot(KNOWN).seq + 1
        after = snapshot_of("conga", (MOVE, "d1c2"))
        return [
            Said(seq=first, name=text, text=text, **common),
            Moved(
                seq=first + 1, ply=2, side=1, move="d1c2", position=after.position, turn=0, took=1, charged=1,
                note=text, **common,
            ),
            Ended(seq=first + 2, result="1-0", reason="resigned", winner=0, **common),
        ]  # fmt: skip
