"""The prompt to resume unfinished games."""

from __future__ import annotations

import pytest

from client.presentation.launch_plan import GameRequest, LaunchPlan, Mode
from client.tui.screens.table import TableScreen
from protocol.commands import Leave, Resign
from tests.tui.offline_app import OfflineApp, picture_of, snapshot_of

UNFINISHED = [
    snapshot_of("conga", ("a4b4",), room="r1", names=("alice", "bob")),
    snapshot_of("mancala", room="r2", names=("alice", "greedy")),
    snapshot_of("cohcoh", ("a1", "d4"), room="r3", names=("alice", "[red]")),
    snapshot_of("conga", room="r4", status="waiting"),
]


class ReturningApp(OfflineApp):
    """The client of a player with unfinished games."""

    def __init__(self, mode: Mode, games: int, bots_only: bool) -> None:
        super().__init__(*UNFINISHED[:games])
        self.plan = LaunchPlan(mode, request=GameRequest("conga"))
        self.started = 0
        self._bots_only = bots_only

    @property
    def bots_only(self) -> bool:
        return self._bots_only

    def _start_mode(self) -> None:
        self.started += 1

    @property
    def resigned(self) -> list[str]:
        return [command.room for command in self.sent if isinstance(command, Resign)]

    @property
    def left(self) -> list[str]:
        return [command.room for command in self.sent if isinstance(command, Leave)]


async def test_several_games_are_offered_as_a_choice() -> None:
    app = ReturningApp("play", 3, bots_only=False)
    async with app.run_test(size=(80, 24)) as pilot:
        app._offer_unfinished()
        await pilot.pause()
        shown = picture_of(app)
        assert "You have 3 unfinished games." in shown
        assert "n-k-coh-coh against [red] after 2 moves" in shown
        await pilot.press("down", "enter")
        await pilot.pause()
        assert isinstance(app.screen, TableScreen)
        assert (app.screen.room, app.started, app.resigned) == ("r2", 0, [])


@pytest.mark.parametrize(
    ("mode", "bots_only", "resigned"),
    [("play", True, ["r1", "r2"]), ("play", False, []), ("lobby", True, [])],
)
async def test_new_game_resigns_others_only_on_a_private_server(
    mode: Mode, bots_only: bool, resigned: list[str]
) -> None:
    app = ReturningApp(mode, 2, bots_only)
    async with app.run_test(size=(80, 24)) as pilot:
        app._offer_unfinished()
        await pilot.press("up", "enter")
        await pilot.pause()
        assert (app.started, app.resigned) == (1, resigned)


async def test_waiting_room_is_left_instead_of_resigned() -> None:
    app = ReturningApp("play", 4, bots_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        app._offer_unfinished()
        await pilot.press("up", "enter")
        await pilot.pause()
        assert (app.started, app.resigned, app.left) == (1, ["r1", "r2", "r3"], ["r4"])


@pytest.mark.parametrize("games", [1, 2])
async def test_escape_goes_on_and_keeps_the_games(games: int) -> None:
    app = ReturningApp("play", games, bots_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        app._offer_unfinished()
        await pilot.pause()
        assert f"esc: keep {'it' if games == 1 else 'them'} for later" in words_of(app)
        await pilot.press("escape")
        await pilot.pause()
        assert (app.started, app.resigned, app.left, app.return_code) == (1, [], [], None)


@pytest.mark.parametrize(("key", "started"), [("y", 0), ("n", 1)])
async def test_one_game_is_a_yes_or_no_prompt(key: str, started: int) -> None:
    app = ReturningApp("play", 1, bots_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        app._offer_unfinished()
        await pilot.pause()
        assert "You have an unfinished game: Conga against bob after 1 move." in words_of(app)
        await pilot.press(key)
        await pilot.pause()
        assert (app.started, app.resigned) == (started, ["r1"] * started)


def words_of(app: OfflineApp) -> str:
    """Return the words in the dialog, without its borders and line breaks."""
    return " ".join(picture_of(app).replace("│", "").split())
