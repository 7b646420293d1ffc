"""Play line by line: print boards and read moves. For screen readers, pipes and simple terminals."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import deque
from collections.abc import Iterable
from io import TextIOWrapper

from client.presentation.launch_plan import LaunchPlan
from client.presentation.plain_watch import Write, lines
from client.presentation.texts import absent_text, invited_text, left_text, offer_text, pending_text, resume_text
from client.sdk.errors import SessionError
from client.sdk.events import Disconnected, SessionEvent
from client.sdk.result_text import seat_name
from client.sdk.room_view import RoomView
from client.sdk.session import Session
from engine.errors import GameError
from protocol.commands import Abort, AnswerDraw, Claim, Command, Lobby, Move, OfferDraw, Resign, Say, Takeback, Watch
from protocol.events import DrawOffered, Event, Presence, Rematched, TakebackOffered
from protocol.replies import Invited, LobbyUpdate, Snapshot
from protocol.types import BotInfo

HELP = "Type a move, or: moves, say TEXT, draw, takeback, yes, no, resign, abort, claim, help, quit"
NOT_YOUR_TURN = "It is not your turn"
ANY_TIME = ("help", "?", "say", "quit")  # these need no running game
GAME_COMMANDS = ("resign", "abort", "claim", "draw", "takeback", "yes", "no")  # these need no turn
LOBBY = ""  # stands for the lobby in a set of rooms; no room has an empty name
Input = SessionEvent | SessionError | str | None  # an event, the end of the session, a typed line, the end of the input


class InputEnded(Exception):
    """The input ended before the game began. The text says what to do."""


class PlainPlay:
    """One game, played line by line.

    With `in_order`, as for a pipe, a line waits until the game is ready for it: a move waits for the player's turn. So
    a script may send all its moves at once. A person at a terminal gets an answer to every line at once.
    """

    def __init__(
        self,
        session: Session,
        room: str,
        write: Write,
        bots: tuple[BotInfo, ...] | None = None,
        *,
        in_order: bool = True,
        resume: str = "",
    ) -> None:
        """Play in a room. `bots`: the connected bots; None if every invited bot is started.

        `resume`: how to resume the game, if the player leaves it.
        """
        self.session, self.room, self.write, self.bots = session, room, write, bots
        self.table: RoomView | None = None
        self._in_order, self._resume = in_order, resume
        self._typed: deque[str] = deque()  # lines that are not handled yet
        self._input_ended = False
        self._awaited_seq = 0  # the event of our latest command; until it comes, no other line is handled

    async def run(self, inputs: asyncio.Queue[Input]) -> None:
        """Play until the game is over or the input ends. Raises SessionError if the session ends."""
        while True:
            item = await inputs.get()
            if isinstance(item, SessionError):
                raise item
            if item is None:
                self._input_ended = True
            elif isinstance(item, str):
                self._typed.append(item.strip())
            elif isinstance(item, Disconnected):
                self.write(f"Connection lost ({item.reason}); reconnecting")
            elif isinstance(item, Invited):
                self.write(f"{invited_text(item)}: parlour play --room {item.room.room}")
            elif isinstance(item, Rematched) and item.room == self.room and self.waiting:
                await self.change_room(item.next)
            elif getattr(item, "room", None) == self.room and self.handle_event(item):
                return
            if await self._handle_typed():
                return

    async def _handle_typed(self) -> bool:
        """Handle the typed lines that are due. Return whether the player leaves."""
        while self.table is not None and self._typed and self._is_due(self._typed[0], self.table):
            text = self._typed.popleft()
            if text == "quit":
                await self.leave()
                return True
            await self.handle_line(text)
        if self.table is None or not self._input_ended or not self._is_stuck(self.table):
            return False
        self.write(self._ended_text(self.table))
        await self.leave()
        return True

    def _is_due(self, text: str, table: RoomView) -> bool:
        """Return whether to handle a line now."""
        word = text.partition(" ")[0]
        if not self._in_order or not text:
            return True
        if table.seq < self._awaited_seq:
            return False
        return word in ANY_TIME or (table.status == "running" and (word in GAME_COMMANDS or table.my_move))

    def _is_stuck(self, table: RoomView) -> bool:
        """Return whether nothing more can happen after the input has ended: no line is left that the game awaits."""
        if not self._in_order:
            return True
        absent = table.opponent is not None and not table.opponent.online
        idle = table.status == "waiting" or absent or table.my_move
        return not self._typed and table.seq >= self._awaited_seq and idle

    def _ended_text(self, table: RoomView) -> str:
        """Return what happens because the input has ended."""
        if table.status == "waiting":
            return "Input ended: you have left, and the room is closed."
        return f"Input ended: you have left the game in room {table.room}."

    @property
    def waiting(self) -> bool:
        return self.table is not None and self.table.status == "waiting"

    async def leave(self) -> None:
        """Close a room that still waits for an opponent. A running game can be resumed later."""
        if self.table is not None and self.waiting:
            await self.session.abandon([self.table])
        elif self._resume:
            self.write(self._resume)

    async def change_room(self, room: str) -> None:
        """Move to the room in which quick pairing has found an opponent."""
        self.room, self.table = room, None
        await self.session.ask(Watch(id=self.session.id(), room=room))

    def handle_event(self, event: SessionEvent) -> bool:
        """Print an event. Return whether the game is over."""
        if isinstance(event, Snapshot):
            self.table = RoomView(event, 0.0)
            self.write(HELP)
            if absent := absent_text(self.table, self.bots):
                self.write(absent)
        elif isinstance(event, Event) and self.table is not None:
            self.table.apply(event, 0.0)
        if self.table is None:
            return False
        for line in lines(event, self.table):
            self.write(line)
        self.write_offers(event, self.table)
        return self.table.status == "ended"

    def write_offers(self, event: SessionEvent, table: RoomView) -> None:
        if offer := offer_text(table):
            self.write(f"{offer}: yes or no?")
        if isinstance(event, DrawOffered | TakebackOffered) and (pending := pending_text(table)):
            self.write(pending)
        if isinstance(event, Presence | Snapshot) and (wait := table.claim_wait(0.0)) is not None:
            when = f" in {wait:.0f} s" if wait else ""
            self.write(f"{seat_name(table.opponent)} has left: type claim to claim the game{when}")

    async def handle_line(self, text: str) -> None:
        command = self.command(text)
        if command is None:
            return
        try:
            self._awaited_seq = (await self.session.ask(command)).seq
        except SessionError as error:
            self.write(str(error))

    def command(self, text: str) -> Command | None:
        """Return the command for a typed line. Return None if it was answered here.

        There is no question after `resign`: a whole line is not typed by mistake, and scripts send lines too. But a
        sentence that begins with such a word is meant for the opponent.
        """
        table, id, room = self.table, self.session.id(), self.room
        word, _, rest = text.partition(" ")
        if table is None or table.game is None or not text:
            return None
        if rest and word in GAME_COMMANDS:
            self.write(f"Nothing done: type only {word}, or say {text}")
            return None
        match word:
            case "moves":
                self.write(" ".join(table.game.legal(table.state)) if table.my_move else NOT_YOUR_TURN)
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
            self.write(NOT_YOUR_TURN)
            return None
        try:
            move = table.game.format(table.state, table.game.parse(table.state, text))
        except GameError as error:
            self.write(str(error))
            return None
        return Move(id=self.session.id(), room=self.room, ply=table.ply, move=move)


async def play_plain(
    session: Session,
    plan: LaunchPlan,
    bots_only: bool,
    inputs: asyncio.Queue[Input],
    write: Write,
    *,
    in_order: bool = True,
    keeps_games: bool = True,
) -> None:
    """Start the planned game, or resume an unfinished one, and play it. `in_order`: as for `PlainPlay`.

    `keeps_games`: an unfinished game can be resumed later.

    Raises SessionError if the session ends, and InputEnded if the input ended before the game began.
    """
    reader = asyncio.create_task(read_events(session, inputs))
    try:
        bots = await wait_for_state(session, inputs, plan.mode == "play" and not bots_only)
        opening = plan.command(session.id(), bots_only, bots or ())
        command = await choose_opening(session, opening, inputs, write, plan.resigns_unfinished(bots_only))
        if command is not None:
            room = (await session.ask(command)).room or getattr(command, "room", "")
            resume = resume_text(plan.resume_command(bots_only), bots_only) if keeps_games else ""
            play = PlainPlay(session, room, write, bots, in_order=in_order, resume=resume)
            await play.run(inputs)
    finally:
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)


async def choose_opening(
    session: Session, opening: Command, inputs: asyncio.Queue[Input], write: Write, resigning: bool
) -> Command | None:
    """Return the command that resumes an unfinished game, or `opening`. Return None if the player quits.

    With `resigning`, choosing a new game resigns the unfinished ones. Raises InputEnded if no line can be typed.
    """
    unfinished = {str(number): table for number, table in enumerate(session.rooms.unfinished(), 1)}
    for number, table in unfinished.items():
        write(f"{number}: {left_text(table)}")
    while unfinished:
        new = "new to start a new game and resign these" if resigning else "new to start a new game"
        write(f"Type the number of a game to resume it, or {new}")
        while not isinstance(answer := await inputs.get(), str | None):
            if isinstance(answer, SessionError):
                raise answer
        if answer is None or answer.strip() == "quit":
            return None
        if answer.strip() in unfinished:
            return Watch(id=session.id(), room=unfinished[answer.strip()].room)
        if answer.strip() == "new":
            if resigning:
                await session.abandon(unfinished.values())
            return opening
    if input_ended(inputs):
        raise InputEnded("standard input is empty: play in a terminal, or send your moves through a pipe")
    return opening


async def wait_for_state(session: Session, inputs: asyncio.Queue[Input], lobby: bool) -> tuple[BotInfo, ...] | None:
    """Wait for the snapshots of our unfinished games. With `lobby`, also wait for the connected bots and return them.

    Raises SessionError if the session ends.
    """
    assert session.welcome is not None
    missing, typed = set(session.welcome.rooms), list[Input]()
    bots: tuple[BotInfo, ...] | None = None
    if lobby:
        missing.add(LOBBY)
        await session.ask(Lobby(id=session.id(), on=True))
    while missing:
        match item := await inputs.get():
            case SessionError():
                raise item
            case str() | None:
                typed.append(item)
            case Snapshot():
                missing.discard(item.room)
            case LobbyUpdate(full=True):
                missing.discard(LOBBY)
                bots = item.bots or ()
    if lobby:
        await session.ask(Lobby(id=session.id(), on=False))
    put_back(inputs, typed)
    return bots


def put_back(inputs: asyncio.Queue[Input], items: Iterable[Input]) -> None:
    """Put items at the front of the queue."""
    for item in (*items, *(inputs.get_nowait() for _ in range(inputs.qsize()))):
        inputs.put_nowait(item)


def input_ended(inputs: asyncio.Queue[Input]) -> bool:
    """Return whether the input ended before a line was typed."""
    items = [inputs.get_nowait() for _ in range(inputs.qsize())]
    put_back(inputs, items)
    return next((item for item in items if isinstance(item, str | None)), "") is None


async def read_events(session: Session, inputs: asyncio.Queue[Input]) -> None:
    """Put the events of the session into the queue, and the error that ends it."""
    try:
        async for event in session:
            inputs.put_nowait(event)
    except SessionError as error:
        inputs.put_nowait(error)


def read_lines() -> asyncio.Queue[Input]:
    """Return a queue of the lines of standard input. They are read in a thread that does not block the exit."""
    loop = asyncio.get_running_loop()
    inputs: asyncio.Queue[Input] = asyncio.Queue()
    if isinstance(sys.stdin, TextIOWrapper):  # show bytes that cannot be decoded as replacement characters
        sys.stdin.reconfigure(errors="replace")

    def read() -> None:
        try:
            for line in sys.stdin or ():  # None if the process was started without a standard input
                loop.call_soon_threadsafe(inputs.put_nowait, line.rstrip("\n"))
        finally:
            loop.call_soon_threadsafe(inputs.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
    return inputs
