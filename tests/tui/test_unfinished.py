"""Who comes for the first time is told how to move; who comes back is asked about the games that were left."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.presentation.launch_plan import GameRequest, LaunchPlan, Mode, mark_first_game
from client.tui.screens.table import TableScreen
from protocol.commands import Leave, Resign
from tests.tui.offline_app import OfflineApp, picture_of, snapshot_of

LEFT = [
    snapshot_of("conga", ("a4b4",), room="r1", names=("alice", "bob")),
    snapshot_of("mancala", room="r2", names=("alice", "greedy")),
    snapshot_of("cohcoh", ("a1", "d4"), room="r3", names=("alice", "[red]")),
    snapshot_of("conga", room="r4", status="waiting"),
]


async def line_of_a_first_table(*keys: str) -> str:
    app = OfflineApp(snapshot_of("conga"))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.press(*keys)
        return picture_of(app).splitlines()[-2]


async def test_how_to_move_is_told_in_the_first_game_only() -> None:
    assert "new here?" in await line_of_a_first_table()
    assert await line_of_a_first_table() == " your move (black)"


async def test_who_has_moved_knows_how_to() -> None:
    assert "new here?" not in await line_of_a_first_table(*"a4b4", "enter")


def test_where_nothing_can_be_kept_every_game_is_the_first(state: Path) -> None:
    state.write_text("not a folder")
    assert [mark_first_game(), mark_first_game()] == [True, True]


class Back(OfflineApp):
    """Somebody who comes back to games that were left."""

    def __init__(self, mode: Mode, games: int, alone: bool) -> None:
        super().__init__(*LEFT[:games])
        self.plan = LaunchPlan(mode, request=GameRequest("conga"))
        self.came_for = 0
        self._alone = alone

    @property
    def bots_only(self) -> bool:
        return self._alone

    def _start_mode(self) -> None:
        self.came_for += 1

    @property
    def given_up(self) -> list[str]:
        return [order.room for order in self.sent if isinstance(order, Resign)]

    @property
    def left(self) -> list[str]:
        return [order.room for order in self.sent if isinstance(order, Leave)]


async def test_several_games_are_a_choice() -> None:
    app = Back("play", 3, alone=False)
    async with app.run_test(size=(80, 24)) as pilot:
        app._offer_unfinished()
        await pilot.pause()
        shown = picture_of(app)
        assert "You left 3 games." in shown
        assert "n-k-coh-coh against [red] after 2 moves" in shown
        await pilot.press("down", "enter")
        await pilot.pause()
        assert isinstance(app.screen, TableScreen)
        assert (app.screen.room, app.came_for, app.given_up) == ("r2", 0, [])


@pytest.mark.parametrize(
    ("mode", "alone", "given_up"),
    [("play", True, ["r1", "r2"]), ("play", False, []), ("lobby", True, [])],
)
async def test_games_are_given_up_only_where_nobody_waits(mode: Mode, alone: bool, given_up: list[str]) -> None:
    app = Back(mode, 2, alone)
    async with app.run_test(size=(80, 24)) as pilot:
        app._offer_unfinished()
        await pilot.press("up", "enter")
        await pilot.pause()
        assert (app.came_for, app.given_up) == (1, given_up)


async def test_a_game_that_has_not_begun_is_left() -> None:
    app = Back("play", 4, alone=True)
    async with app.run_test(size=(80, 24)) as pilot:
        app._offer_unfinished()
        await pilot.press("up", "enter")
        await pilot.pause()
        assert (app.came_for, app.given_up, app.left) == (1, ["r1", "r2", "r3"], ["r4"])


@pytest.mark.parametrize("games", [1, 2])
async def test_no_answer_changes_nothing(games: int) -> None:
    app = Back("play", games, alone=True)
    async with app.run_test(size=(80, 24)) as pilot:
        app._offer_unfinished()
        await pilot.press("escape")
        await pilot.pause()
        assert (app.came_for, app.given_up, app.return_code) == (0, [], 0)


@pytest.mark.parametrize(("key", "came_for"), [("y", 0), ("n", 1)])
async def test_one_game_is_a_question(key: str, came_for: int) -> None:
    app = Back("play", 1, alone=True)
    async with app.run_test(size=(80, 24)) as pilot:
        app._offer_unfinished()
        await pilot.pause()
        assert "You left a game of Conga against bob after 1 move." in " ".join(picture_of(app).split())
        await pilot.press(key)
        await pilot.pause()
        assert (app.came_for, app.given_up) == (came_for, ["r1"] * came_for)
