"""The keys of a table: what they do, and which ask for confirmation."""

from __future__ import annotations

import re
import time
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from textual import events
from textual.pilot import Pilot

from client.tui.dialogs.help import Help
from client.tui.screens.table import TableScreen
from client.tui.screens.table_keys import TABLE_KEYS, table_help
from engine.registry import GAMES, create
from protocol.commands import Abort, Claim, Command, Move, OfferDraw, Resign, Say, Takeback
from protocol.events import Declined, DrawOffered, Ended, Moved, Presence, Said
from protocol.replies import Invited, LobbyUpdate, Snapshot
from protocol.types import BotInfo, Offers, TimeControl
from tests.tui.lobby_samples import room
from tests.tui.offline_app import AT, OfflineApp, picture_of, snapshot_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

MOVES = ("a4b4", "d1c2", "d4c3")
RUNNING = snapshot_of("conga", MOVES, seat=1, names=("search", "alice"))
OPPONENTS_TURN = snapshot_of("conga", MOVES, seat=0, names=("alice", "search"))
FRESH = snapshot_of("conga", seat=0)
ENDED = snapshot_of("conga", MOVES, status="ended", result="1-0", reason="resigned", winner=0)


@asynccontextmanager
async def table(
    snapshot: Snapshot, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[OfflineApp, Pilot[str], TableScreen]]:
    app = OfflineApp(snapshot)
    async with app.run_test(size=size) as pilot:
        screen = TableScreen("room")
        await app.show(screen)
        await pilot.pause()
        yield app, pilot, screen


def test_every_key_has_an_action_and_a_help_line() -> None:
    for entry in TABLE_KEYS:
        if entry.keys and entry.action != "arrow":
            assert callable(getattr(TableScreen, f"do_{entry.action}"))
    shown = " ".join(keys for keys, _ in table_help("a4b3"))
    letters = {key for entry in TABLE_KEYS for key in entry.keys if len(key) == 1}
    assert letters <= set(shown.split())


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40)])
async def test_help_shows_its_last_row_and_scrolls_if_it_must(size: tuple[int, int]) -> None:
    last = TABLE_KEYS[-1].meaning
    async with table(RUNNING, size) as (app, pilot, _):
        await pilot.press("question_mark")
        await pilot.pause()
        fits = last in picture_of(app)
        assert ("up down: more lines" in picture_of(app)) != fits
        assert "esc: close" in picture_of(app)
        await pilot.press("end")
        await pilot.pause()
        assert last in picture_of(app)
        assert fits or size == (80, 24)


async def test_help_opens_and_closes() -> None:
    async with table(RUNNING) as (app, pilot, _):
        await pilot.press("question_mark")
        assert isinstance(app.screen, Help)
        await pilot.press("escape")
        assert isinstance(app.screen, TableScreen)


@pytest.mark.parametrize(
    ("key", "snapshot", "command"),
    [
        ("R", RUNNING, Resign),
        ("o", RUNNING, OfferDraw),
        ("u", RUNNING, Takeback),
        ("v", RUNNING, Claim),
        ("Z", FRESH, Abort),
    ],
)
async def test_actions_ask_first_and_only_ctrl_y_says_yes(key: str, snapshot: Snapshot, command: type[Command]) -> None:
    async with table(snapshot) as (app, pilot, screen):
        for answer in ("n", "escape", "enter", key, "space"):
            await pilot.press(key, "y", "Y")
            assert "y alone is not enough. ctrl+y means yes" in picture_of(app)
            assert "ctrl+y yes" in picture_of(app)
            await pilot.press(answer)
            assert screen.question is None
        assert app.sent == []
        await pilot.press(key, "ctrl+y")
        await pilot.pause()
        assert [type(command) for command in app.sent] == [command]


async def test_cancelled_question_leaves_no_old_message() -> None:
    async with table(FRESH) as (app, pilot, _):
        await pilot.press(*"zz", "enter")
        assert "zz is not a legal move" in picture_of(app)
        await pilot.press("R", "n")
        assert "zz" not in picture_of(app)
        assert "Your move." in picture_of(app)


@pytest.mark.parametrize(("size", "more"), [((80, 24), ()), ((100, 30), ("F1 rules",))])
async def test_key_bar_has_hint_and_take_back_where_they_apply(size: tuple[int, int], more: tuple[str, ...]) -> None:
    async with table(RUNNING, size) as (app, pilot, screen):
        assert "s hint" not in picture_of(app)  # alice plays a person
        app.bots = (BotInfo(name="search", plays=("conga",)),)
        screen.refresh_view()
        await pilot.pause()
        keys = picture_of(app).splitlines()[-1]
        for words in ("enter play", "s hint", "u take back", "R resign", "? all keys", "q leave", *more):
            assert words in keys
    async with table(FRESH, size) as (app, _, _):
        assert "u take back" not in picture_of(app)


async def test_typed_move_is_previewed() -> None:
    async with table(FRESH) as (app, pilot, screen):
        await pilot.press(*"a4b4")
        await pilot.pause()
        assert "a4b4_   1 to b4, 2 to c4, 7 to d4." in picture_of(app)
        assert screen.model is not None
        assert set(screen.model.marks().preview) == {"a4", "b4", "c4", "d4"}
        await pilot.press("backspace")
        await pilot.pause()
        assert "1 to b4" not in picture_of(app)


@pytest.mark.parametrize("word", ["rye", "rest", "ready", "Rye", "zz9", "hello", "order", "unity", "vary", "a4yr", "q"])
@pytest.mark.parametrize("snapshot", [FRESH, RUNNING, OPPONENTS_TURN], ids=["fresh", "running", "opponent's turn"])
async def test_typing_words_does_nothing_irreversible(word: str, snapshot: Snapshot) -> None:
    async with table(snapshot) as (app, pilot, screen):
        await pilot.press(*word, "enter", "enter", "escape")
        assert app.sent == []
        assert screen.model is not None
        assert screen.model.premove == ""
        assert app.is_running


@pytest.mark.parametrize("word", ["rest", "ready", "zz9", "Order", "Vary"])
async def test_pasting_words_does_nothing_irreversible(word: str) -> None:
    async with table(FRESH) as (app, pilot, screen):
        for key, character in (*zip(word, word, strict=True), ("enter", "\r")):  # as a terminal sends pasted text
            app.post_message(events.Key(key, character))
        await pilot.pause()
        assert app.sent == []
        assert app.screen is screen
        assert f"{word} is not a legal move. Try a4a3, a4b3 or a4b4." in picture_of(app)


@pytest.mark.parametrize("bots_only", [True, False])
async def test_leaving_warns_about_claims_by_people(bots_only: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OfflineApp, "bots_only", bots_only)
    async with table(RUNNING) as (app, pilot, _):
        await pilot.press("q")
        asked = " ".join(picture_of(app).replace("│", "").split())
        assert ("You can resume it later." in asked) == bots_only
        assert ("Come back soon, or it can be claimed." in asked) != bots_only
        assert "ctrl+y yes, leave" in asked


async def test_letters_belong_to_a_started_text() -> None:
    async with table(RUNNING) as (app, pilot, _):
        await pilot.press(*"hero")
        assert " MOVE  hero_" in picture_of(app)
        await pilot.press("enter")
        assert "hero is not a legal move. Try a4a3" in picture_of(app)


async def test_moves_may_start_with_letters_that_are_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    cohcoh = GAMES["cohcoh"]
    monkeypatch.setattr(cohcoh, "format", lambda game, state, move: f"o{move},-")
    monkeypatch.setattr(cohcoh, "read", lambda game, state, text: int(text[1:].removesuffix(",-")))
    async with table(snapshot_of("cohcoh", seat=0)) as (app, pilot, _):
        await pilot.press("o", "enter")
        assert "Do you offer a draw?" in picture_of(app)
        await pilot.press("n", "question_mark")
        assert "o0,-      type a move" in picture_of(app)
        await pilot.press("escape", *"o12,-", "enter")
        await pilot.pause()
        (command,) = app.sent
        assert isinstance(command, Move)
        assert command.move == "o12,-"


async def test_pointing_at_a_useless_cell_shows_a_notice() -> None:
    async with table(FRESH) as (app, pilot, screen):
        assert screen.model is not None
        picked = "PICKED  a4 is picked (10 stones). Now choose a3, b3 or b4."
        nothing = ("c2 is empty. Choose one of your stones: a4.", "a4 cannot go to d1. Try a3, b3 or b4.")
        for cell, words in (("c2", nothing[0]), ("a4", picked), ("d1", nothing[1]), ("a4", picked)):
            screen.model.hover(cell)
            await pilot.press("enter")
            await pilot.pause()
            assert words in picture_of(app)
        assert screen.model.marks().picked == ("a4",)
        screen.model.hover("a4")
        await pilot.press("enter")  # unpicks it
        await pilot.pause()
        assert screen.model.marks().picked == ()


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
async def test_long_message_leaves_out_sentences_and_never_the_keys(size: tuple[int, int]) -> None:
    async with table(RUNNING, size) as (app, pilot, screen):
        screen.show_notice(f"{'First sentence ' * 4}ends. A second one is far too long to have a place here, too.")
        await pilot.pause()
        *_, status, keys = picture_of(app).splitlines()
        assert status.strip() == f"{'First sentence ' * 4}ends."
        assert "? all keys" in keys
        screen.show_notice("word " * 40)
        await pilot.pause()
        *_, status, keys = picture_of(app).splitlines()
        assert status.endswith("…")
        assert "? all keys" in keys


async def test_end_of_the_game_discards_typed_text() -> None:
    async with table(RUNNING) as (app, pilot, _):
        await pilot.press(*"a4")
        app.deliver(Ended(room="room", seq=8, at=AT, result="1-0", reason="resigned", winner=0))
        await pilot.pause()
        assert "You (red) resigned." in picture_of(app)
        await pilot.press(*"1a")
        app.deliver(Said(room="room", seq=9, at=AT, name="search", text="gg"))
        await pilot.press("enter")  # typed after the end
        assert "'1a' is not the number of a move" in picture_of(app)


@pytest.mark.parametrize(
    ("key", "snapshot"),
    [("R", ENDED), ("Z", ENDED), ("Z", RUNNING), ("m", RUNNING), ("u", snapshot_of("conga", MOVES, seat=None))],
)
async def test_unavailable_action_shows_a_notice(key: str, snapshot: Snapshot) -> None:
    async with table(snapshot) as (app, pilot, screen):
        await pilot.press(key)
        assert app.screen is screen
        assert "game" in picture_of(app).splitlines()[-2]


@pytest.mark.parametrize(("key", "over"), [("m", True), ("R", False)])
async def test_watchers_cannot_use_actions_of_players(key: str, over: bool) -> None:
    watched = snapshot_of("conga", MOVES, seat=None, status="ended" if over else "running", reason="agreed")
    async with table(watched) as (app, pilot, _):
        await pilot.press(key)
        assert "Only players can do this, " in picture_of(app)


@pytest.mark.parametrize(
    ("keys", "ply"),
    [
        (["pageup"], 2), (["comma", "comma"], 1), (["home"], 0), (["home", "pagedown"], 1), (["home", "full_stop"], 1),
        (["home", "end"], 3), (["home", "1", "enter"], 1), (["pageup", "pagedown"], 3),
    ],
)  # fmt: skip
async def test_keys_look_back_while_playing(keys: list[str], ply: int) -> None:
    async with table(RUNNING) as (_, pilot, screen):
        await pilot.press(*keys)
        assert screen.model is not None
        assert (screen.model.ply, screen.model.playing) == (ply, ply == 3)


async def test_clicking_a_move_goes_there() -> None:
    async with table(ENDED) as (app, pilot, screen):
        await pilot.click("#moves", offset=(3, 1))
        await pilot.pause()
        assert screen.model is not None
        assert screen.model.ply == 1
        assert "Move 1 of 3" in picture_of(app)


async def test_text_pasted_with_the_chat_key_is_sent() -> None:
    async with table(FRESH) as (app, pilot, _):
        for key in ("t", "h", "i"):  # at once, as a terminal sends pasted text
            app.post_message(events.Key(key, key))
        await pilot.pause()
        await pilot.press("enter")
        assert [command.text for command in app.sent if isinstance(command, Say)] == ["hi"]


async def test_offers_are_answered() -> None:
    async with table(snapshot_of("conga", MOVES, seat=0, offers=Offers(takeback=1))) as (app, pilot, _):
        assert "TAKE BACK?  search asks to take back a move." in picture_of(app)
        assert "y accept" in picture_of(app)
        await pilot.press("n", "y")
        assert [(type(command), command.accept) for command in app.sent] == [(Takeback, False), (Takeback, True)]  # type: ignore[attr-defined]


async def test_notice_hides_neither_an_offer_nor_a_possible_claim() -> None:
    async with table(RUNNING, (100, 30)) as (app, pilot, _):
        await pilot.press(*"a1", "enter")
        refused = "a1 is not a legal move."
        assert refused in picture_of(app)
        app.deliver(Presence(room="room", seq=8, at=AT, seat=0, online=False, claim_at=AT))
        await pilot.pause()
        assert "search has left" in picture_of(app)
        assert refused in " ".join(picture_of(app).split())
        app.deliver(DrawOffered(room="room", seq=9, at=AT, seat=0))
        await pilot.press("m")
        assert "DRAW?  search offers a draw." in picture_of(app)
        assert "y accept" in picture_of(app), "no notice covers the keys that answer"
        await pilot.press("escape", "pageup")
        app.deliver(Declined(room="room", seq=10, at=AT, seat=1, offer="draw"))
        await pilot.pause()
        assert "Move 2 of 3.   search has left" in picture_of(app)


async def test_clock_tick_survives_a_snapshot_with_fewer_moves() -> None:
    async with table(RUNNING) as (app, pilot, screen):
        assert app.session is not None
        shorter = snapshot_of("conga", seat=1, seq=99)
        app.session.rooms.apply_snapshot(shorter, time.monotonic())
        screen._tick()
        app.deliver(shorter)
        await pilot.pause()
        assert screen.model is not None
        assert screen.model.ply == 0


@pytest.mark.parametrize(("seat", "notified"), [(0, True), (None, False)])
async def test_only_players_are_told_about_an_absent_bot(seat: int | None, notified: bool) -> None:
    waiting = snapshot_of("conga", seat=seat, status="waiting", invite="search@8")
    async with table(waiting) as (app, pilot, _):
        assert "Waiting for search@8" in picture_of(app)  # the bots are not known yet
        app.deliver(LobbyUpdate(rooms=(), bots=()))
        app.deliver(waiting)
        await pilot.pause()
        assert ("search@8 is not connected. Wait, or leave" in picture_of(app)) == notified


async def test_invitations_are_shown_at_a_table() -> None:
    async with table(ENDED) as (app, pilot, _):
        app.deliver(Invited(by="spring cup", room=room("r7", "conga", "", "")))
        await pilot.pause()
        assert "spring cup invites you to Conga in room r7" in picture_of(app)


async def test_refused_hint_shows_the_reason() -> None:
    async with table(FRESH) as (app, pilot, _):
        await pilot.press("s")
        assert "Hints are available only against bots." in picture_of(app)
        app.bots = (BotInfo(name="search", plays=("conga",)),)
        app.deliver(Moved(
            room="room", seq=5, at=AT, ply=1, side=0, move="a4b4", position=snapshot_of("conga", ("a4b4",)).position,
            turn=1, took=1, charged=1,
        ))  # fmt: skip
        await pilot.press("w")
        assert "Hints are available only on your turn." in picture_of(app)


async def test_flipped_board_has_the_own_side_on_top() -> None:
    async with table(FRESH) as (app, pilot, _):
        lines = picture_of(app).splitlines()
        own = next(number for number, line in enumerate(lines) if "● alice you" in line)
        stones = next(number for number, line in enumerate(lines) if "●10" in line)
        assert own > stones > len(lines) // 2  # the own side is below
        await pilot.press("x")
        await pilot.pause()
        lines = picture_of(app).splitlines()
        assert "● alice you" in lines[1]
        assert next(number for number, line in enumerate(lines) if "●10" in line) < len(lines) // 2


async def test_wide_name_leaves_space_for_the_clock() -> None:
    clock = TimeControl(kind="fischer", base=300_000)
    wide = snapshot_of("conga", names=("日本語の長い名前です", "bob"), clock=clock, left=(300_000, 300_000), running=1)
    async with table(wide) as (app, _, _):
        seats = [line for line in picture_of(app).splitlines() if re.search(r"[●○] (日本|bob)", line)]
        assert [re.search(r" [45]:\d\d( |$)", line) is not None for line in seats] == [True, True]


async def test_own_name_you_is_shown_once() -> None:
    async with table(snapshot_of("conga", names=("you", "bob"), seat=0)) as (app, _, _):
        assert "you you" not in picture_of(app)


async def test_panel_shows_presence_and_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
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
        assert re.search(r"● alice +4:59", picture_of(app))
        assert re.search(r"○ search you +your move +16\.5", picture_of(app))
        app.deliver(Presence(room="room", seq=8, at=AT, seat=0, online=False, claim_at=AT + 36_000))
        left_at = time.monotonic()
        await pilot.pause()
        assert "● alice away" in picture_of(app)
        for seconds, words in ((0, "claim the game in"), (40, "alice has left   v: claim the game after your move")):
            later = left_at + seconds
            screen._tick()
            await pilot.pause()
            assert words in picture_of(app)


@pytest.mark.parametrize("game", GAMES)
async def test_every_game_explains_how_to_move_until_the_first_move(game: str) -> None:
    for _ in range(2):  # not only the first time
        async with table(snapshot_of(game)) as (app, _, _):
            assert "Your move. Use the arrows and enter, click, or type a move such as" in picture_of(app)
    rules = create(game)
    first = rules.start()
    second = rules.play(first, rules.parse(first, rules.legal(first)[0]))
    moves = (rules.legal(first)[0], rules.legal(second)[0])
    async with table(snapshot_of(game, moves)) as (app, _, _):
        assert "Use the arrows" not in picture_of(app)
