"""A game of another package on a server: bots play it for ratings, and players read how it ended."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path

from client.presentation.results import why_text
from client.sdk.result_text import result_text
from client.sdk.room_view import RoomView
from client.sdk.sides import shown_sides
from engine.record import parse, verify
from protocol.commands import Export
from protocol.types import TimeControl
from server.domain.glicko2 import Rating
from tests.e2e.accounts import account
from tests.e2e.bots import builtin, finished_games, run_bot, seek
from tests.e2e.local_server import play, running_server, seat_two, session, until
from tests.engine.plugin_folder import installed, write_package

SOURCE = Path(__file__).parents[2] / "examples" / "games" / "connect-four" / "connect_four.py"
CLOCK = TimeControl(kind="fischer", base=300_000)
COLUMN_OF_FOUR = tuple("1213141")


def is_over(table: RoomView) -> bool:
    return table.status == "ended"


async def test_bots_play_an_installed_game_for_ratings(tmp_path: Path) -> None:
    write_package(tmp_path / "site", "connect4", SOURCE.read_text(encoding="utf-8"), module="connect_four")
    with installed(tmp_path / "site"):
        async with running_server(tmp_path) as server:
            seeks = (replace(seek("connect4", clock=CLOCK), rated=True),)
            bots = [
                run_bot(server.url, builtin(bot, seed=1), token=await account(server, bot), seeks=seeks, games=1)
                for bot in ("greedy", "random")
            ]
            assert await asyncio.gather(*bots) == [1, 1]
            async with session(server.url) as guest:
                [info] = await finished_games(guest)
                record = parse((await guest.ask(Export(id=guest.id(), room=info.room))).text)
            verify(record)
            assert (info.game, info.rated, {*record.seats}) == ("connect4", True, {"greedy", "random"})
            known = await server.app.store.ratings("connect4", ["p-greedy", "p-random"])
        assert [row.games for row in known.values()] == [1, 1]
        assert sum(row.rating > Rating().rating for row in known.values()) == (record.result != "1/2-1/2")


async def test_line_that_wins_is_told_of_the_winner(tmp_path: Path) -> None:
    write_package(tmp_path / "site", "connect4", SOURCE.read_text(encoding="utf-8"), module="connect_four")
    with installed(tmp_path / "site"):
        async with (
            running_server(tmp_path) as server,
            session(server.url, "ann") as ann,
            session(server.url, "ben") as ben,
        ):
            room = await seat_two(ann, ben, "connect4")
            await play((ann, ben), room, COLUMN_OF_FOUR)
            for player, told, why in (
                (ann, "You win: you completed a line", "You (red) completed four in a row on a1 to a4 and win."),
                (ben, "ann wins: ann completed a line", "ann (red) completed four in a row on a1 to a4 and wins."),
            ):
                table = player.rooms[room]
                await until("the game is over", partial(is_over, table))
                outcome = table.outcome()
                assert outcome is not None
                assert (result_text(table, outcome), why_text(table, shown_sides(table))) == (told, why)
