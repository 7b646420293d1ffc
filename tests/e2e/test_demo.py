"""Two bots play on a private server of the client, and the user watches."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from client.tui.app.demo_app import Demo, DemoApp, DemoBot, DemoServer
from client.tui.render.appearance import Appearance
from client.tui.screens.demo import DemoScreen
from parlour.cli.commands.watch import demo_bots
from parlour.cli.main import main, parser_of
from parlour.errors import UserError
from tests.e2e.tui import settled
from tests.tui.offline_app import picture_of

OWN_BOT = """
from parlour import Bot


class Mine(Bot):
    games = ("mancala",)

    def choose(self, game, state, budget):
        return game.moves(state)[0]
"""
FAST = ("--pace", "bot", "--seed", "7")


def ended(app: DemoApp) -> bool:
    screen = app.screen
    return isinstance(screen, DemoScreen) and screen.table is not None and screen.table.status == "ended"


def is_gone(folder: str) -> bool:
    return not Path(folder).exists()


async def test_bots_play_games_and_change_sides() -> None:
    bots = (DemoBot("greedy", ("greedy", *FAST)), DemoBot("random", ("random", *FAST)))
    app = DemoApp(Demo("cohcoh", bots, {"n": 5, "k": 4}), Appearance("mono"))
    try:
        async with app.run_test(size=(100, 30)) as pilot:
            await settled(pilot, "a game has ended", lambda: ended(app))
            screen = app.screen
            assert isinstance(screen, DemoScreen)
            await settled(pilot, "the result is shown", lambda: "next game" in picture_of(app))
            assert screen.table is not None
            assert [seat.name for seat in screen.table.seats if seat is not None] == ["greedy", "random"]
            assert screen.table.setup.options["n"] == 5
            first = screen.room
            await pilot.press("m")
            await settled(pilot, "the next game has ended", lambda: screen.room != first and ended(app))
            assert [seat.name for seat in screen.table.seats if seat is not None] == ["random", "greedy"]
            await pilot.press("q")
            await pilot.pause()
            assert app.return_code == 0
    finally:
        await app.close()
    server = app.server
    assert isinstance(server, DemoServer)
    assert is_gone(server._temporary.name)
    assert server._supervisors
    assert all(task.done() for task in asyncio.all_tasks() if task is not asyncio.current_task())


def demo_of(*words: str) -> tuple[DemoBot, DemoBot]:
    return demo_bots(parser_of("watch").parse_args(["--demo", *words]))


def test_equal_bots_get_different_names_and_seeds() -> None:
    first, second = demo_of("conga", "greedy", "greedy", "--seed", "5")
    assert (first.name, second.name) == ("greedy", "greedy-2")
    assert first.args == ("greedy", "--pace", "human", "--seed", "5")
    assert second.args == ("greedy", "--pace", "human", "--seed", "6")


def test_own_bot_has_the_name_of_its_class(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OWN_BOT)
    assert demo_of("mancala", str(file), "random")[0].name == "Mine"
    with pytest.raises(UserError, match="does not play conga; it plays mancala"):
        demo_of("conga", str(file), "random")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--demo", "conga", "greedyy", "random"], "there is no bot 'greedyy'; use random, greedy"),
        (["--demo", "chess", "greedy", "random"], "there is no game 'chess'; choose one of"),
        (["--demo", "conga", "greedy"], "--demo: expected 3 arguments"),
        (["--demo", "conga", "greedy", "random", "--url", "x"], "--demo cannot be used with --url"),
        (["--demo", "conga", "greedy", "random"], "--demo needs a terminal"),
        (["--seed", "3"], "--seed needs --demo"),
    ],
)
def test_wrong_demo_gets_one_sentence(words: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert why in err
