"""Line-by-line play without a server: what is printed, and which commands typed lines become."""

from __future__ import annotations

import asyncio

import pytest

from client.presentation.plain_play import Input, InputEnded, PlainPlay, choose_opening
from client.sdk.events import SessionEvent
from client.sdk.session import Session
from protocol.commands import Claim, Command, Create, Leave, Move, Resign, Say
from protocol.events import Moved, Presence, Started, TakebackOffered
from protocol.replies import Ok
from tests.tui.offline_app import AT, OfflineSession, snapshot_of
from tests.waiting import settle


def test_offers_and_claims_are_printed() -> None:
    printed: list[str] = []
    play = PlainPlay(Session("ws://127.0.0.1:1/ws"), "room", printed.append)
    play.handle_event(snapshot_of("conga", ("a4b4", "d1c2")))
    play.handle_event(TakebackOffered(room="room", seq=7, at=AT, seat=0, ply=0))
    assert printed[-1] == "You asked to take back a move; waiting for search"
    play.handle_event(TakebackOffered(room="room", seq=8, at=AT, seat=1, ply=1))
    assert printed[-1] == "search asks to take back a move: yes or no?"
    play.handle_event(Presence(room="room", seq=9, at=AT, seat=1, online=False, claim_at=AT + 60_000))
    assert printed[-1] == "search has left: type claim to claim the game in 60 s"
    assert isinstance(play.command("claim"), Claim)


def test_only_a_line_with_nothing_else_resigns() -> None:
    printed: list[str] = []
    play = PlainPlay(Session("ws://127.0.0.1:1/ws"), "room", printed.append)
    play.handle_event(snapshot_of("conga", ("a4b4",)))
    for line in ("resign or play on?", "abort the match", "yes I know"):
        assert play.command(line) is None
        assert printed[-1] == f"Nothing done: type only {line.split()[0]}, or say {line}"
    assert isinstance(play.command("resign"), Resign)
    assert isinstance(play.command("say resign"), Say)


def queue_of(*items: Input) -> asyncio.Queue[Input]:
    queue: asyncio.Queue[Input] = asyncio.Queue()
    for item in items:
        queue.put_nowait(item)
    return queue


async def test_lines_typed_before_the_snapshot_are_handled_after_it() -> None:
    printed: list[str] = []
    play = PlainPlay(Session("ws://127.0.0.1:1/ws"), "room", printed.append)
    await play.run(queue_of("moves", "a9", None, snapshot_of("conga")))
    assert printed[-3] == "a4a3 a4b3 a4b4"
    assert printed[-2].startswith("'a9' is not a move of conga")
    assert printed[-1] == "Input ended: you have left the game in room room."


LINE = ("a4b4", "d1c2", "d4c3", "a4a3")


def moved(ply: int) -> Moved:
    after = snapshot_of("conga", LINE[:ply])
    return Moved(
        room="room", seq=ply + 5, at=AT, ply=ply, side=(ply - 1) % 2, move=LINE[ply - 1], position=after.position,
        turn=after.turn, took=1, charged=1,
    )  # fmt: skip


def sent_moves(sent: list[Command]) -> list[tuple[int, str]]:
    return [(command.ply, command.move) for command in sent if isinstance(command, Move)]


class ScriptedSession(OfflineSession):
    """A session whose server appends one event for every move."""

    async def ask(self, command: Command, within: float | None = None) -> Ok:
        await super().ask(command, within)
        return Ok(id=command.id, seq=command.ply + 6 if isinstance(command, Move) else 0)


async def test_piped_moves_wait_for_the_opponent_and_for_the_turn() -> None:
    sent: list[Command] = []
    printed: list[str] = []
    play = PlainPlay(ScriptedSession(sent), "room", printed.append)
    inputs = queue_of("a4b4", "d4c3", None)
    playing = asyncio.create_task(play.run(inputs))
    waiting = snapshot_of("conga", status="waiting", your_move=False)
    steps: list[tuple[SessionEvent, int]] = [  # an event, and how many moves are sent after it
        (waiting, 0),
        (Started(room="room", seq=5, at=AT, position=waiting.position, turn=0), 1),
        (moved(1), 1),
        (moved(2), 2),
        (moved(3), 2),
    ]
    for event, count in steps:
        inputs.put_nowait(event)
        await settle()
        assert sent_moves(sent) == [(0, "a4b4"), (2, "d4c3")][:count]
    assert not playing.done()  # the opponent may still end the game
    inputs.put_nowait(moved(4))
    await playing
    assert "It is not your turn" not in printed
    assert printed[-1].startswith("Input ended")


async def test_end_of_the_input_closes_a_room_that_waits() -> None:
    sent: list[Command] = []
    printed: list[str] = []
    await PlainPlay(OfflineSession(sent), "room", printed.append).run(
        queue_of(snapshot_of("conga", status="waiting", your_move=False), None)
    )
    assert printed[-1] == "Input ended: you have left, and the room is closed."
    assert [type(command) for command in sent] == [Leave]


async def test_a_person_at_a_terminal_is_answered_at_once() -> None:
    printed: list[str] = []
    play = PlainPlay(OfflineSession([]), "room", printed.append, in_order=False, resume="Resume it: parlour play")
    await play.run(queue_of(snapshot_of("conga", ("a4b4",)), "d4c3", None))
    assert printed[-3] == "It is not your turn"
    assert printed[-1] == "Resume it: parlour play"


async def test_no_room_is_created_if_the_input_has_ended() -> None:
    session = Session("ws://127.0.0.1:1/ws")
    opening = Create(id=1, game="conga")
    with pytest.raises(InputEnded, match="standard input is empty: play in a terminal, or send your moves"):
        await choose_opening(session, opening, queue_of(None), print, False)
    assert await choose_opening(session, opening, queue_of("moves", None), print, False) is opening
    assert await choose_opening(session, opening, queue_of(), print, False) is opening
