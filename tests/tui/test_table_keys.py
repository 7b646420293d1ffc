"""The keys of a table: what each of them does, and what it asks first."""

from __future__ import annotations

import re
import time
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from textual import events
from textual.pilot import Pilot

from client.tui.dialogs.confirm import Confirm
from client.tui.dialogs.help import Help
from client.tui.screens.table import TableScreen
from client.tui.screens.table_keys import TABLE_KEYS, table_help
from engine.registry import GAMES
from protocol.commands import Abort, Claim, Command, Move, OfferDraw, Rematch, Resign, Say, Takeback
from protocol.events import Declined, DrawOffered, Ended, Moved, Presence, Said
from protocol.replies import LobbyUpdate, Snapshot
from protocol.types import BotInfo, Offers, TimeControl
from tests.tui.offline_app import AT, OfflineApp, picture_of, snapshot_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MOVES = ("a4b4", "d1c2", "d4c3")
RUNNING = snapshot_of("conga", MOVES, seat=1, names=("search", "alice"))
WAITED_FOR = snapshot_of("conga", MOVES, seat=0, names=("alice", "search"))
FRESH = snapshot_of("conga", seat=0)
ENDED = snapshot_of("conga", MOVES, status="ended", result="1-0", reason="resigned", winner=0)


@asynccontextmanager
async def table(snapshot: Snapshot) -> AsyncIterator[tuple[OfflineApp, Pilot[str], TableScreen]]:
    app = OfflineApp(snapshot)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = TableScreen("room")
        await app.show(screen)
        await pilot.pause()
        yield app, pilot, screen


def test_every_key_does_something_and_is_told_about() -> None:
    for entry in TABLE_KEYS:
        if entry.keys and entry.action != "arrow":
            assert callable(getattr(TableScreen, f"do_{entry.action}"))
    told = " ".join(shown for shown, _ in table_help("a4b3"))
    letters = {key for entry in TABLE_KEYS for key in entry.keys if len(key) == 1}
    assert letters <= set(told.split())


async def test_the_page_of_keys() -> None:
    async with table(RUNNING) as (app, pilot, _):
        await pilot.press("question_mark")
        assert isinstance(app.screen, Help)
        await pilot.press("escape")
        assert isinstance(app.screen, TableScreen)


@pytest.mark.parametrize(
    ("key", "snapshot", "command"),
    [
        ("r", RUNNING, Resign),
        ("o", RUNNING, OfferDraw),
        ("u", RUNNING, Takeback),
        ("v", RUNNING, Claim),
        ("z", FRESH, Abort),
        ("m", ENDED, Rematch),
    ],
)
async def test_what_cannot_be_undone_asks_first(key: str, snapshot: Snapshot, command: type[Command]) -> None:
    async with table(snapshot) as (app, pilot, _):
        for answer in ("n", "escape"):
            await pilot.press(key, answer)
        assert app.sent == []
        await pilot.press(key, "y")
        await pilot.pause()
        assert [type(order) for order in app.sent] == [command]


@pytest.mark.parametrize("word", ["rest", "ready", "zz9", "hello", "order", "unity", "vary", "a4yr", "q"])
@pytest.mark.parametrize("snapshot", [FRESH, RUNNING, WAITED_FOR], ids=["fresh", "running", "the other's turn"])
async def test_words_and_enter_do_nothing_that_cannot_be_undone(word: str, snapshot: Snapshot) -> None:
    async with table(snapshot) as (app, pilot, screen):
        await pilot.press(*word, "enter", "enter", "escape")
        assert app.sent == []
        assert screen.model is not None
        assert screen.model.premove == ""
        assert app.is_running


@pytest.mark.parametrize("word", ["rest", "ready", "zz9", "order", "vary"])
async def test_words_that_come_in_one_go_do_nothing_either(word: str) -> None:
    async with table(FRESH) as (app, pilot, screen):
        for key, character in (*zip(word, word, strict=True), ("enter", "\r")):  # as a terminal sends what was pasted
            app.post_message(events.Key(key, character))
        await pilot.pause()
        assert app.sent == []
        assert app.screen is screen
        assert f"'{word.lstrip(word[0])}' is not a move of conga" in picture_of(app)


@pytest.mark.parametrize("key", "rq")
async def test_the_key_that_asked_is_no_answer_and_no_text(key: str) -> None:
    async with table(RUNNING) as (app, pilot, screen):
        await pilot.press(key, key, key)
        assert app.screen is not screen
        await pilot.press("n")
        assert app.screen is screen
        assert "your move" in picture_of(app)


@pytest.mark.parametrize("alone", [True, False])
async def test_who_leaves_a_game_is_told_how_long_it_waits(alone: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OfflineApp, "bots_only", alone)
    async with table(RUNNING) as (app, pilot, _):
        await pilot.press("q")
        asked = " ".join(picture_of(app).replace("│", "").split())
        assert "parlour play offers to go on with it" in asked
        assert ("unless it is claimed: come back soon." in asked) != alone


async def test_questions_are_answered_with_caps_lock_too() -> None:
    async with table(RUNNING) as (app, pilot, screen):
        await pilot.press("r", "N")
        assert app.screen is screen
        assert app.sent == []
        assert "your move" in picture_of(app)
        await pilot.press("r", "Y")
        await pilot.pause()
        assert [type(order) for order in app.sent] == [Resign]


async def test_an_answer_that_comes_in_one_go_with_the_key_is_one() -> None:
    async with table(FRESH) as (app, pilot, screen):
        for key in "ryy":
            app.post_message(events.Key(key, key))
        await pilot.pause()
        assert [type(order) for order in app.sent] == [Resign]
        assert app.screen is screen


async def test_letters_are_text_once_a_text_is_begun() -> None:
    async with table(RUNNING) as (app, pilot, _):
        await pilot.press(*"hero")
        assert "move: hero_" in picture_of(app)
        await pilot.press("enter")
        assert "'hero' is not a move of conga" in picture_of(app)


async def test_moves_may_begin_with_letters_that_are_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    cohcoh = GAMES["cohcoh"]
    monkeypatch.setattr(cohcoh, "format", lambda game, state, move: f"r{move},-")
    monkeypatch.setattr(cohcoh, "read", lambda game, state, text: int(text[1:].removesuffix(",-")))
    async with table(snapshot_of("cohcoh", seat=0)) as (app, pilot, _):
        await pilot.press("r", "enter")
        assert isinstance(app.screen, Confirm)
        await pilot.press("n", "question_mark")
        assert "r0,-      type a move" in picture_of(app)
        await pilot.press("escape", *"r12,-", "enter")
        await pilot.pause()
        (order,) = app.sent
        assert isinstance(order, Move)
        assert order.move == "r12,-"


async def test_pointing_at_nothing_is_said() -> None:
    async with table(FRESH) as (app, pilot, screen):
        assert screen.model is not None
        turn = "your move (black)"
        nothing = ("no move begins at c2", "no move goes from a4 to d1")
        for cell, words in (("c2", nothing[0]), ("a4", turn), ("d1", nothing[1]), ("a4", turn)):
            screen.model.cursor = cell
            await pilot.press("enter")
            await pilot.pause()
            assert words in picture_of(app)
        assert screen.model.marks().picked == ("a4",)
        await pilot.press("enter")  # lets go of it
        await pilot.pause()
        assert "your move (black)" in picture_of(app)


async def test_a_sentence_that_needs_two_lines_has_them() -> None:
    async with table(RUNNING) as (app, pilot, _):
        assert "?: all keys" in picture_of(app)
        await pilot.press(*"jkl", "enter")
        await pilot.pause()
        *_, first, second = picture_of(app).splitlines()
        assert first.startswith(" 'jkl' is not a move of conga: expected the square moved from")
        assert second == " square of the run, like a4b3"
        await pilot.press("escape")
        await pilot.pause()
        assert "?: all keys" in picture_of(app).splitlines()[-1]


async def test_a_sentence_that_needs_more_says_that_there_is_more() -> None:
    async with table(snapshot_of("cohcoh", ("a1",), options={"n": 12, "k": 5}, seat=1)) as (app, pilot, _):
        await pilot.press(*"a1", "enter")
        await pilot.pause()
        *_, first, second = picture_of(app).splitlines()
        assert first.startswith(" a1 is not legal here; legal: a2")
        assert second.endswith(" …")


async def test_a_text_that_was_begun_before_the_end_gives_way_to_the_result() -> None:
    async with table(RUNNING) as (app, pilot, _):
        await pilot.press(*"a4")
        app.deliver(Ended(room="room", seq=8, at=AT, result="1-0", reason="resigned", winner=0))
        await pilot.pause()
        assert "search (black) wins: resignation   m: rematch" in picture_of(app)
        await pilot.press(*"1a")
        app.deliver(Said(room="room", seq=9, at=AT, name="search", text="gg"))
        await pilot.press("enter")  # the end was known when this one was begun
        assert "'1a' is not the number of a move" in picture_of(app)


@pytest.mark.parametrize(
    ("key", "snapshot"),
    [("r", ENDED), ("z", ENDED), ("z", RUNNING), ("m", RUNNING), ("u", snapshot_of("conga", MOVES, seat=None))],
)
async def test_what_makes_no_sense_is_said(key: str, snapshot: Snapshot) -> None:
    async with table(snapshot) as (app, pilot, screen):
        await pilot.press(key)
        assert app.screen is screen
        assert "game" in picture_of(app).splitlines()[-2]


@pytest.mark.parametrize(("key", "over"), [("m", True), ("r", False)])
async def test_watchers_are_told_what_is_for_players(key: str, over: bool) -> None:
    watched = snapshot_of("conga", MOVES, seat=None, status="ended" if over else "running", reason="agreed")
    async with table(watched) as (app, pilot, _):
        await pilot.press(key)
        assert "that is for players of a " in picture_of(app)


@pytest.mark.parametrize(
    ("keys", "ply"),
    [
        (["pageup"], 2), (["comma", "comma"], 1), (["home"], 0), (["home", "pagedown"], 1), (["home", "full_stop"], 1),
        (["home", "end"], 3), (["home", "1", "enter"], 1), (["pageup", "pagedown"], 3),
    ],
)  # fmt: skip
async def test_looking_back_while_playing(keys: list[str], ply: int) -> None:
    async with table(RUNNING) as (_, pilot, screen):
        await pilot.press(*keys)
        assert screen.model is not None
        assert (screen.model.ply, screen.model.playing) == (ply, ply == 3)


async def test_a_click_on_a_move_goes_there() -> None:
    async with table(ENDED) as (app, pilot, screen):
        await pilot.click("#moves", offset=(3, 0))
        await pilot.pause()
        assert screen.model is not None
        assert screen.model.ply == 1
        assert "move 1 of 3" in picture_of(app)


async def test_what_is_typed_right_behind_the_key_to_talk_is_said() -> None:
    async with table(FRESH) as (app, pilot, _):
        for key in ("t", "h", "i"):  # in one go, as a terminal sends them
            app.post_message(events.Key(key, key))
        await pilot.pause()
        await pilot.press("enter")
        assert [order.text for order in app.sent if isinstance(order, Say)] == ["hi"]


async def test_offers_are_answered() -> None:
    async with table(snapshot_of("conga", MOVES, seat=0, offers=Offers(takeback=1))) as (app, pilot, _):
        assert "search would like to take a move back: y accepts" in picture_of(app)
        await pilot.press("n", "y")
        assert [(type(order), order.accept) for order in app.sent] == [(Takeback, False), (Takeback, True)]  # type: ignore[attr-defined]


async def test_a_notice_hides_neither_an_offer_nor_that_somebody_is_gone() -> None:
    async with table(RUNNING) as (app, pilot, _):
        await pilot.press(*"a1", "enter")
        refused = "a1' is not a move of conga"
        assert refused in picture_of(app)
        app.deliver(Presence(room="room", seq=8, at=AT, seat=0, online=False, claim_at=AT))
        await pilot.pause()
        assert "search is gone   v: claim the game" in picture_of(app)
        assert refused in picture_of(app)
        app.deliver(DrawOffered(room="room", seq=9, at=AT, seat=0))
        await pilot.press("m")
        assert "search offers a draw: y accepts, n declines" in picture_of(app)
        assert "that is for players of a finished game" in " ".join(picture_of(app).split())
        await pilot.press("escape", "pageup")
        app.deliver(Declined(room="room", seq=10, at=AT, seat=1, offer="draw"))
        await pilot.pause()
        assert "move 2 of 3; end: back to the game   search is gone   v: claim the game" in picture_of(app)


async def test_a_game_that_came_back_shorter_is_shown_as_before_until_it_is_heard_of() -> None:
    async with table(RUNNING) as (app, pilot, screen):
        assert app.session is not None
        shorter = snapshot_of("conga", seat=1, seq=99)
        app.session.rooms.apply_snapshot(shorter, time.monotonic())
        screen._tick()
        app.deliver(shorter)
        await pilot.pause()
        assert screen.model is not None
        assert screen.model.ply == 0


@pytest.mark.parametrize(("seat", "told"), [(0, True), (None, False)])
async def test_who_watches_a_room_that_waits_is_not_told_who_is_missing(seat: int | None, told: bool) -> None:
    waiting = snapshot_of("conga", seat=seat, status="waiting", invite="search@8")
    async with table(waiting) as (app, pilot, _):
        assert "waiting for search@8" in picture_of(app)  # nobody knows yet who is there
        app.deliver(LobbyUpdate(rooms=(), bots=()))
        app.deliver(waiting)
        await pilot.pause()
        assert ("there is no search@8 here" in picture_of(app)) == told


async def test_a_hint_that_may_not_be_is_said() -> None:
    async with table(FRESH) as (app, pilot, _):
        await pilot.press("s")
        assert "hints are for games against bots" in picture_of(app)
        app.bots = (BotInfo(name="search", plays=("conga",)),)
        app.deliver(Moved(
            room="room", seq=5, at=AT, ply=1, side=0, move="a4b4", position=snapshot_of("conga", ("a4b4",)).position,
            turn=1, took=1, charged=1,
        ))  # fmt: skip
        await pilot.press("w")
        assert "a hint can be had when it is your turn" in picture_of(app)


async def test_a_board_turned_round() -> None:
    async with table(FRESH) as (app, pilot, _):
        lines = picture_of(app).splitlines()
        assert "b10" in lines[4]
        await pilot.press("x")
        await pilot.pause()
        assert "b10" in picture_of(app).splitlines()[16]
        assert "● alice (you)" in picture_of(app).splitlines()[1]


async def test_a_wide_name_leaves_room_for_the_clock() -> None:
    clock = TimeControl(kind="fischer", base=300_000)
    wide = snapshot_of("conga", names=("日本語の長い名前です", "bob"), clock=clock, left=(300_000, 300_000), running=1)
    async with table(wide) as (app, _, _):
        seats = [line for line in picture_of(app).splitlines() if "● " in line]
        assert [re.search(r" [45]:\d\d$", line) is not None for line in seats] == [True, True]


async def test_who_is_here_and_whose_time_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = TimeControl(kind="fischer", base=300_000, increment=3000)
    async with table(snapshot_of("conga", MOVES, seat=1, clock=clock, left=(299_000, 61_500), running=1)) as (
        app,
        pilot,
        screen,
    ):
        assert screen.table is not None
        later = screen.table._turn_started + 45.0
        monkeypatch.setattr("client.tui.screens.table_view.time", SimpleNamespace(monotonic=lambda: later))
        screen._tick()
        await pilot.pause()
        first, second = (line.split("│")[-1].split() for line in picture_of(app).splitlines() if "● " in line)
        assert (first[-1], second[-1]) == ("16.5", "4:59")
        assert "● alice" in picture_of(app)
        app.deliver(Presence(room="room", seq=8, at=AT, seat=0, online=False, claim_at=AT + 36_000))
        heard = time.monotonic()
        await pilot.pause()
        assert "○ alice" in picture_of(app)
        for seconds, words in ((0, "claim the game, in"), (40, "alice is gone   v: claim the game\n")):
            later = heard + seconds
            screen._tick()
            await pilot.pause()
            assert words in picture_of(app)
