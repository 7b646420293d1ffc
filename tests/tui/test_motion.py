"""Animated moves: which boards are shown at which time. The clock is an argument or a fake."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import islice

import pytest
from textual.pilot import Pilot

from client.tui.models.motion import BEAD_MS, ROW_MS, SQUARE_MS, STILL, fade_at, motion_of, sown_cells
from client.tui.models.move_picker import cells
from client.tui.render.appearance import Appearance
from client.tui.render.marks import NO_MARKS
from client.tui.screens.table import TableScreen
from client.tui.widgets.board_view import BoardView
from engine.board import Board
from engine.game import Game, State
from engine.registry import GAMES, create
from protocol.commands import Move
from protocol.events import Ended
from protocol.replies import Snapshot
from tests.tui.offline_app import AT, OfflineApp, moved, snapshot_of


def after(game: Game, moves: str) -> State:
    state = game.start()
    for text in moves.split():
        state = game.play(state, game.parse(state, text))
    return state


def counts(board: Board | None, *names: str) -> list[int]:
    assert board is not None
    return [cells(board)[name].count for name in names]


def test_sowing_shows_bead_by_bead() -> None:
    game = create("mancala")
    state = game.start()
    motion = motion_of(game, state, game.parse(state, "3"))
    around = ("B4", "B5", "B6", "B7", "store 1")
    shown = [counts(motion.board_at(BEAD_MS * n + 1), *around) for n in range(4)]
    assert shown == [[0, 4, 4, 4, 0], [0, 5, 4, 4, 0], [0, 5, 5, 4, 0], [0, 5, 5, 5, 0]]
    assert motion.board_at(4 * BEAD_MS) is None  # the position after the move


def test_long_sowing_takes_600_ms() -> None:
    game = create("mancala", {"pits": 3, "stones": 12})
    state = game.start()
    motion = motion_of(game, state, game.parse(state, "1"))
    assert motion.duration_ms == pytest.approx(600)
    assert len(motion.boards) == 12


def test_disc_falls_row_by_row() -> None:
    game = create("maxconnect4")
    state = after(game, "4 4 4")
    motion = motion_of(game, state, game.parse(state, "4"))
    rows = [[cell.name for cell in board.cells() if cell.owner == 1] for board in motion.boards]
    column = [row[3].name for row in game.draw(state).rows if row[3] is not None]
    assert [[name for name in row if name in column[:2]] for row in rows] == [[column[0]], [column[1]]]
    assert motion.step_ms == ROW_MS


def test_stack_runs_square_by_square_and_loses_no_stone() -> None:
    game = create("conga")
    state = game.start()
    motion = motion_of(game, state, game.parse(state, "a4b4"))
    assert [counts(board, "a4", "b4", "c4", "d4") for board in motion.boards] == [[0, 10, 0, 0], [0, 1, 9, 0]]
    assert motion.step_ms == SQUARE_MS


def test_placed_marble_does_not_move() -> None:
    game = create("cohcoh")
    assert motion_of(game, game.start(), game.parse(game.start(), "a1")) == STILL


@pytest.mark.parametrize("rules", ["course", "prose", "standard"])
def test_last_bead_falls_where_the_move_ends(rules: str) -> None:
    game, rng = create("mancala", {"rules": rules}), random.Random(5)
    for _ in range(30):
        state = game.start()
        while moves := game.moves(state):
            move = rng.choice(moves)
            start, end = game.path(state, move)[0], game.end_of(state, move)
            old, new = game.draw(state), game.draw(game.after(state, move))
            beads = cells(old)[start].count
            assert list(islice(sown_cells(old, new, start, end), beads))[-1] == end
            state = game.play(state, move)


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_motions_of_limited_length(name: str) -> None:
    game, rng = create(name), random.Random(7)
    state = game.start()
    while moves := game.moves(state):
        move = rng.choice(moves)
        assert motion_of(game, state, move).duration_ms <= 600
        state = game.play(state, move)


def test_marks_of_the_end_fade_in_over_200_ms() -> None:
    assert [fade_at(ms) for ms in (-1, 0, 100, 200, 900)] == [0, 0, 0.5, 1, 1]


# -- on the screen

DARK = Appearance("dark")
LINE = ("a1", "d4", "a2", "d3", "c1", "b4", "a4", "c2", "a3")  # the last move ends the game


class FakeClock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def table(
    snapshot: Snapshot, appearance: Appearance = DARK
) -> AsyncIterator[tuple[OfflineApp, Pilot[str], BoardView, FakeClock]]:
    app, clock = OfflineApp(snapshot, appearance=appearance), FakeClock()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        view = app.screen.query_one(BoardView)
        view.clock = clock
        yield app, pilot, view, clock


def moving(view: BoardView) -> bool:
    return view.is_moving


def shown(view: BoardView, *names: str) -> list[int]:
    return counts(view._frame()[0], *names)


async def test_move_of_the_opponent_is_animated() -> None:
    async with table(snapshot_of("conga", seat=1)) as (app, _, view, clock):
        app.deliver(moved("conga", ("a4b4",)))
        assert shown(view, "a4", "b4", "c4", "d4") == [0, 10, 0, 0]
        assert view._frame()[1] == NO_MARKS
        clock.now += 0.1
        assert shown(view, "a4", "b4", "c4", "d4") == [0, 1, 9, 0]
        clock.now += 0.1
        assert shown(view, "a4", "b4", "c4", "d4") == [0, 1, 2, 7]
        assert view._frame()[1].last == {"a4", "b4", "c4", "d4"}
        view._next_frame()
        assert view._frames is None  # an idle table has no timer


async def test_a_key_finishes_the_motion_and_is_not_lost() -> None:
    async with table(snapshot_of("conga", seat=1)) as (app, pilot, view, _):
        app.deliver(moved("conga", ("a4b4",)))
        assert moving(view)
        await pilot.press("d", "1", "c", "2")
        assert not moving(view)
        assert shown(view, "d4") == [7]
        await pilot.press("enter")
        assert [command.move for command in app.sent if isinstance(command, Move)] == ["d1c2"]


async def test_position_is_known_before_the_motion_ends() -> None:
    async with table(snapshot_of("conga", seat=1)) as (app, _, view, _clock):
        app.deliver(moved("conga", ("a4b4",)))
        screen = app.screen
        assert isinstance(screen, TableScreen)
        assert moving(view)
        assert screen.model is not None
        assert screen.model.table.my_move
        assert shown(view, "d4") == [0]


@pytest.mark.parametrize(
    "appearance", [Appearance("mono"), Appearance("dark", motion=False), Appearance("dark", ascii_only=True)]
)
async def test_no_motion_without_colours_or_if_it_is_turned_off(appearance: Appearance) -> None:
    async with table(snapshot_of("conga", seat=1), appearance) as (app, _, view, _clock):
        app.deliver(moved("conga", ("a4b4",)))
        assert not moving(view)


async def test_move_is_not_animated_over_a_slow_link(monkeypatch: pytest.MonkeyPatch) -> None:
    async with table(snapshot_of("conga", seat=1)) as (app, _, view, _clock):
        monkeypatch.setattr("client.sdk.session.Session.lag", 0.2)
        app.deliver(moved("conga", ("a4b4",)))
        assert not moving(view)


async def test_end_marks_appear_after_the_move() -> None:
    async with table(snapshot_of("cohcoh", LINE[:-1], seat=1)) as (app, _, view, clock):
        app.deliver(moved("cohcoh", LINE))
        app.deliver(Ended(room="room", seq=14, at=AT, result="0-1", reason="line", winner=1))
        assert view._frame()[1].decisive
        assert view._frame()[1].shown == 0
        clock.now += 0.1
        assert view._frame()[1].shown == pytest.approx(0.5)
        clock.now += 0.2
        assert not moving(view)
        assert view._frame()[1].shown == 1


async def test_stepping_forward_through_a_game_is_animated_and_back_is_not() -> None:
    async with table(snapshot_of("conga", ("a4b4", "d1c2"), seat=None)) as (_, pilot, view, _clock):
        await pilot.press("home")
        assert not moving(view)
        await pilot.press("right")
        assert moving(view)
        await pilot.press("left")
        assert not moving(view)
