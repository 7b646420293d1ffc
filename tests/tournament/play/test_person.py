"""A person plays in a tournament from the lobby of the terminal client."""

from __future__ import annotations

import asyncio
from pathlib import Path

from client.sdk.room_view import RoomView
from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Contestant
from client.tui.screens.table import TableScreen
from tests.e2e.bots import builtin, running_bot
from tests.e2e.local_server import running_server
from tests.e2e.tui import at_table, by_typing, client, lobby_rows, settled
from tests.tournament.live import Recorder, plan_of, run, table
from tests.waiting import TIMEOUT_S


async def test_person_is_invited_to_each_game(tmp_path: Path) -> None:
    folder, recorder = Folder(tmp_path / "cup"), Recorder()
    folder.create(plan_of("match", (Contestant("robot"), Contestant("alice")), games=2, game="mancala"))
    async with running_server(tmp_path) as server, running_bot(server.url, builtin("greedy", seed=1), name="robot"):
        tournament = asyncio.create_task(run(folder, server.url, recorder))
        async with client(server.url, tmp_path) as (app, pilot):
            for number in (1, 2):
                await settled(
                    pilot,
                    "an invitation",
                    lambda: "waiting" in str(lobby_rows(app)),
                )
                if number == 1:
                    await pilot.press(*"alice waiting")  # the filter stays as it is
                await pilot.press("enter")
                screen = await at_table(app, pilot)
                assert now(screen).setup.players == (("robot", "alice") if number == 1 else ("alice", "robot"))
                await settled(pilot, "it is our move", lambda: now(screen).my_move)  # noqa: B023
                before = now(screen)
                assert before.game is not None
                ply, move = before.ply, before.game.legal(before.state)[0]
                await by_typing(pilot, screen, move)
                await settled(pilot, "the move", lambda: now(screen).ply > ply)  # noqa: B023
                await pilot.press("R", "ctrl+y")
                await settled(pilot, "the result", lambda: len(recorder.ended()) == number)  # noqa: B023
                await pilot.press("q")
            await asyncio.wait_for(tournament, TIMEOUT_S)
    assert [(row[0], row[1]) for row in table(folder)] == [("robot", 2.0), ("alice", 0.0)]
    assert {result.reason for result in folder.state().results.values()} == {"resigned"}
    assert not any(result.forfeit for result in folder.state().results.values())


def now(screen: TableScreen) -> RoomView:
    assert screen.table is not None
    return screen.table
