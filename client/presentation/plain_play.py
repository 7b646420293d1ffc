"""A game line by line: boards are printed, moves are typed. For screen readers, pipes and terminals that only print."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterable
from io import TextIOWrapper

from client.presentation.launch_plan import LaunchPlan
from client.presentation.plain_watch import Write, lines
from client.presentation.texts import absent_text, left_text, offer_text, pending_text, printable, seat_name
from client.sdk.errors import SessionError
from client.sdk.events import Disconnected, SessionEvent
from client.sdk.room_view import RoomView
from client.sdk.session import Session
from engine.errors import GameError
from protocol.commands import Abort, AnswerDraw, Claim, Command, Lobby, Move, OfferDraw, Resign, Say, Takeback, Watch
from protocol.events import DrawOffered, Event, Presence, Rematched, TakebackOffered
from protocol.replies import LobbyUpdate, Snapshot
from protocol.types import BotInfo

HELP = "type a move, or: moves, say TEXT, draw, yes, no, takeback, resign, abort, claim, quit"
LOBBY = ""  # no room is called that
Heard = SessionEvent | SessionError | str | None  # what happens, the end of it, what is typed, the end of that


class PlainPlay:
    def __init__(self, session: Session, room: str, write: Write, bots: tuple[BotInfo, ...] | None = None) -> None:
        """`bots`: those who were there when we came; None: all will come."""
        self.session, self.room, self.write, self.bots = session, room, write, bots
        self.table: RoomView | None = None

    async def run(self, heard: asyncio.Queue[Heard]) -> None:
        """Until the game is over or nobody types any more; SessionError."""
        early = list[Heard]()  # typed before there was a table
        while True:
            news = await heard.get()
            if isinstance(news, SessionError):
                raise news
            if self.table is None and isinstance(news, str | None):
                early.append(news)
            elif news is None or news == "quit":
                await self.leave()
                return
            elif isinstance(news, str):
                await self.typed(news.strip())
            elif isinstance(news, Disconnected):
                self.write(f"connection lost ({printable(news.reason)}); trying again")
            elif isinstance(news, Rematched) and news.room == self.room and self.waiting:
                await self.go_over(news.next)
            elif getattr(news, "room", None) == self.room and self.happened(news):
                return
            elif self.table is not None:
                put_back(heard, early)
                early.clear()

    @property
    def waiting(self) -> bool:
        return self.table is not None and self.table.status == "waiting"

    async def leave(self) -> None:
        """A game that goes on is offered again; a room in which nobody waits any more is none."""
        if self.table is not None and self.waiting:
            await self.session.abandon([self.table])

    async def go_over(self, room: str) -> None:
        """Pairing has found an opponent in another room."""
        self.room, self.table = room, None
        await self.session.ask(Watch(id=self.session.id(), room=room))

    def happened(self, news: SessionEvent) -> bool:
        """Tell about it; whether the game is over."""
        if isinstance(news, Snapshot):
            self.table = RoomView(news, 0.0)
            self.write(HELP)
            if absent := absent_text(self.table, self.bots):
                self.write(absent)
        elif isinstance(news, Event) and self.table is not None:
            self.table.apply(news, 0.0)
        if self.table is None:
            return False
        for line in lines(news, self.table):
            self.write(line)
        self.ask_or_wait(news, self.table)
        return self.table.status == "ended"

    def ask_or_wait(self, news: SessionEvent, table: RoomView) -> None:
        if offer := offer_text(table):
            self.write(f"{offer}: yes or no?")
        if isinstance(news, DrawOffered | TakebackOffered) and (pending := pending_text(table)):
            self.write(pending)
        if isinstance(news, Presence | Snapshot) and (wait := table.claim_wait(0.0)) is not None:
            self.write(f"{seat_name(table.opponent)} is gone: claim wins the game, from {wait:.0f} s on")

    async def typed(self, text: str) -> None:
        command = self.command(text)
        if command is not None:
            try:
                await self.session.ask(command)
            except SessionError as error:
                self.write(printable(str(error)))

    def command(self, text: str) -> Command | None:
        """What the words ask the server for; nothing if the answer was told on the spot."""
        table, id, room = self.table, self.session.id(), self.room
        word, _, rest = text.partition(" ")
        if table is None or table.game is None or not text:
            return None
        match word:
            case "moves":
                self.write(" ".join(table.game.legal(table.state)) if table.my_move else "it is not your turn")
                return None
            case "help" | "?":
                self.write(HELP)
                return None
            case "say":
                return Say(id=id, room=room, text=rest)
            case "resign":
                return Resign(id=id, room=room)
            case "abort":
                return Abort(id=id, room=room)
            case "claim":
                return Claim(id=id, room=room)
            case "draw":
                return OfferDraw(id=id, room=room)
            case "takeback":
                return Takeback(id=id, room=room, ply=table.last_turn(table.seat))
            case "yes" | "no" if table.seat is not None and table.offers.takeback == 1 - table.seat:
                return Takeback(id=id, room=room, accept=word == "yes", ply=table.last_turn(1 - table.seat))
            case "yes" | "no":
                return AnswerDraw(id=id, room=room, accept=word == "yes")
        return self.move(table, text)

    def move(self, table: RoomView, text: str) -> Command | None:
        assert table.game is not None
        if not table.my_move:
            self.write("it is not your turn")
            return None
        try:
            move = table.game.format(table.state, table.game.parse(table.state, text))
        except GameError as error:
            self.write(str(error))
            return None
        return Move(id=self.session.id(), room=self.room, ply=table.ply, move=move)


async def play_plain(
    session: Session, plan: LaunchPlan, alone: bool, heard: asyncio.Queue[Heard], write: Write
) -> None:
    """Sit down as the plan says, or in a game that was left, and play; `alone`: with bots only. SessionError."""
    hearing = asyncio.create_task(hear(session, heard))
    try:
        bots = await wait_for_state(session, heard, plan.mode == "play" and not alone)
        opening = plan.command(session.id(), alone, bots or ())
        command = await choose_opening(session, opening, heard, write, plan.resigns_unfinished(alone))
        if command is not None:
            room = (await session.ask(command)).room or getattr(command, "room", "")
            await PlainPlay(session, room, write, bots).run(heard)
    finally:
        hearing.cancel()
        await asyncio.gather(hearing, return_exceptions=True)


async def choose_opening(
    session: Session, opening: Command, heard: asyncio.Queue[Heard], write: Write, giving_up: bool
) -> Command | None:
    """To go on with a game that was left, or the opening; None if nobody types any more."""
    left = {str(number): table for number, table in enumerate(session.rooms.unfinished(), 1)}
    for number, table in left.items():
        write(f"{number}: {left_text(table)}")
    while left:
        new = "new, and they are given up" if giving_up else "new"
        write(f"type the number of a game that you left, to go on with it, or {new}")
        while not isinstance(answer := await heard.get(), str | None):
            if isinstance(answer, SessionError):
                raise answer
        if answer is None or answer.strip() == "quit":
            return None
        if answer.strip() in left:
            return Watch(id=session.id(), room=left[answer.strip()].room)
        if answer.strip() == "new":
            if giving_up:
                await session.abandon(left.values())
            return opening
    return None if input_ended(heard) else opening


async def wait_for_state(session: Session, heard: asyncio.Queue[Heard], lobby: bool) -> tuple[BotInfo, ...] | None:
    """Wait until we know how the games stand that were left; with the lobby also for the bots there. SessionError."""
    assert session.welcome is not None
    unknown, typed = set(session.welcome.rooms), list[Heard]()
    bots: tuple[BotInfo, ...] | None = None
    if lobby:
        unknown.add(LOBBY)
        await session.ask(Lobby(id=session.id(), on=True))
    while unknown:
        match news := await heard.get():
            case SessionError():
                raise news
            case str() | None:
                typed.append(news)
            case Snapshot():
                unknown.discard(news.room)
            case LobbyUpdate(full=True):
                unknown.discard(LOBBY)
                bots = news.bots or ()
    if lobby:
        await session.ask(Lobby(id=session.id(), on=False))
    put_back(heard, typed)
    return bots


def put_back(heard: asyncio.Queue[Heard], news: Iterable[Heard]) -> None:
    """In front of all that came since."""
    for each in (*news, *(heard.get_nowait() for _ in range(heard.qsize()))):
        heard.put_nowait(each)


def input_ended(heard: asyncio.Queue[Heard]) -> bool:
    """Whether the input has ended before a line was typed."""
    news = [heard.get_nowait() for _ in range(heard.qsize())]
    put_back(heard, news)
    return next((each for each in news if isinstance(each, str | None)), "") is None


async def hear(session: Session, heard: asyncio.Queue[Heard]) -> None:
    try:
        async for happening in session:
            heard.put_nowait(happening)
    except SessionError as error:
        heard.put_nowait(error)


def read_lines() -> asyncio.Queue[Heard]:
    """Standard input, line by line, from a thread that does not keep the program from ending."""
    loop = asyncio.get_running_loop()
    heard: asyncio.Queue[Heard] = asyncio.Queue()
    if isinstance(sys.stdin, TextIOWrapper):  # bytes that are no text are shown as such
        sys.stdin.reconfigure(errors="replace")

    def read() -> None:
        try:
            for line in sys.stdin or ():  # None: started with no standard input at all
                loop.call_soon_threadsafe(heard.put_nowait, line.rstrip("\n"))
        finally:
            loop.call_soon_threadsafe(heard.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
    return heard
