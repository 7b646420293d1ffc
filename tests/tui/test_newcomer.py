"""What a new player reads and sees: labels of the board, no false positions, sides by name, the end explained."""

from __future__ import annotations

import pytest

from client.sdk.note import Note
from client.tui.render.appearance import Appearance
from client.tui.screens import table_actions
from client.tui.screens.table import TableScreen
from engine.registry import create
from protocol.commands import Move
from protocol.events import Moved
from protocol.types import BotInfo
from tests.tui.offline_app import AT, OfflineApp, picture_of, snapshot_of
from tests.waiting import until

MANCALA = snapshot_of("mancala", ("3", "6", "1"), names=("alice", "greedy"))
LINE_OF_THREE = ("a1", "d4", "a2", "d3", "c1", "b4", "a4", "c2", "a3")


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (("s",), "Hint: look at pit 5."),
        (("w",), "The best move found is 5."),
        (("w", "w"), "Best move 5: 9 moves ahead."),
    ],
)
async def test_hints_use_the_labels_of_the_board(
    keys: tuple[str, ...], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_actions, "think", lambda game, state, past: (game.parse(state, "5"), Note(depth=9)))
    app = OfflineApp(MANCALA)
    async with app.run_test(size=(80, 24)) as pilot:
        app.bots = (BotInfo(name="greedy", plays=("mancala",)),)
        await app.show(TableScreen("room"))
        for key in keys:
            await pilot.press(key)
            await until("the engine has answered", lambda: "Thinking" not in picture_of(app))
        assert words in picture_of(app)


async def test_enter_plays_the_best_move_that_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    note = Note(value=3, depth=9, line=("5", "2", "1"))
    monkeypatch.setattr(table_actions, "think", lambda game, state, past: (game.parse(state, "5"), note))
    app = OfflineApp(MANCALA)
    async with app.run_test(size=(80, 24)) as pilot:
        app.bots = (BotInfo(name="greedy", plays=("mancala",)),)
        screen = TableScreen("room")
        await app.show(screen)
        await pilot.press("w")
        await until("the engine has answered", lambda: "Thinking" not in picture_of(app))
        assert "The best move found is 5. Press enter to play it" in picture_of(app)
        assert screen.model is not None
        assert screen.model.marks().preview
        await pilot.press("w")
        assert "Best move 5: value +3 for you, 9 moves ahead, then 2 1." in picture_of(app)
        await pilot.press("enter")
        assert [command.move for command in app.sent if isinstance(command, Move)] == ["5"]


async def test_new_turn_shows_the_position_and_not_an_old_preview() -> None:
    app = OfflineApp(snapshot_of("mancala", ("2",), seat=1, names=("greedy", "alice")))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = TableScreen("room")
        await app.show(screen)
        await pilot.press("right")
        assert "PREVIEW" in picture_of(app)
        game = create("mancala")
        text, states = "2", [game.play(game.start(), game.parse(game.start(), "2"))]
        for ply in (2, 3):  # our move and the answer
            state = states[-1]
            text = game.legal(state)[0]
            states.append(game.play(state, game.parse(state, text)))
            app.deliver(
                Moved(
                    room="room", seq=ply + 4, at=AT, ply=ply, side=state.turn, move=text,
                    position=game.dump(states[-1]), turn=states[-1].turn, took=1, charged=1,
                )
            )  # fmt: skip
        await pilot.pause()
        assert "PREVIEW" not in picture_of(app)
        assert screen.model is not None
        assert not screen.model.marks().preview
        assert screen.model.marks().cursor is None


@pytest.mark.parametrize("theme", ["dark", "light", "safe", "mono"])
@pytest.mark.parametrize("seat", [0, 1])
async def test_own_name_is_below_and_bullets_differ(seat: int, theme: str) -> None:
    names = ("alice", "search") if seat == 0 else ("search", "alice")
    app = OfflineApp(snapshot_of("conga", seat=seat, names=names), appearance=Appearance(theme))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        lines = picture_of(app).splitlines()
        above, below = (next(n for n, line in enumerate(lines) if f" {name}" in line) for name in ("search", "alice"))
        assert above < below
        bullets = []
        for row in (above, below):
            strip = app.screen._compositor.render_strips()[row]
            bullets.append(next((part.text, part.style) for part in strip if part.text in "●○" and part.text))
        assert bullets[0] != bullets[1]


async def test_end_is_explained_beside_the_board() -> None:
    app = OfflineApp(snapshot_of("cohcoh", LINE_OF_THREE, seat=1, names=("search", "alice")))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = TableScreen("room")
        await app.show(screen)
        await pilot.pause()
        text = " ".join(picture_of(app).replace("│", " ").split())
        assert "You win" in text
        assert "completed four in a row on a1 to a4" in text
        assert "9 moves, 8 s" in text
        assert "m rematch" in text
        assert screen.model is not None
        assert screen.model.marks().decisive >= {"a1", "a2", "a3"}
