"""The replay of a record on the table screen."""

from __future__ import annotations

import pytest

from client.presentation.recorded_room import view_of
from client.tui.app.replay_app import ReplayApp
from client.tui.render.appearance import Appearance
from engine.record import parse
from parlour.cli.transcript import Transcript
from tests.parlour.records import GOOD, MANCALA, long_record
from tests.tui.offline_app import picture_of

SIZE = (120, 40)


def app_of(text: str) -> ReplayApp:
    record = parse(text)
    return ReplayApp(record, Transcript(record), Appearance())


async def last_line(text: str) -> str:
    """Return the footer at the last ply."""
    app = app_of(text)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("end")
        await pilot.pause()
        return next(line for line in picture_of(app).splitlines() if " ply " in line)


async def test_keys_move_through_the_record() -> None:
    app = app_of(long_record(7))
    async with app.run_test(size=SIZE) as pilot:
        for keys, ply in (
            ((), 0),
            (("right",), 1),
            (("down",), 2),
            (("left", "left", "left"), 0),
            (("end",), 7),
            (("right",), 7),
            (("home",), 0),
            (("5", "enter"), 5),
            (("9", "9", "enter"), 7),
        ):
            await pilot.press(*keys)
            await pilot.pause()
            assert f"ply {ply} of 7" in picture_of(app)


async def test_keys_for_players_do_nothing_in_a_record() -> None:
    app = app_of(MANCALA)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*"trouzmvywsn")
        await pilot.press("right")
        await pilot.pause()
        assert "ply 1 of 4" in picture_of(app)


async def test_result_is_shown_in_words() -> None:
    assert "alice wins: bøb has no moves left" in await last_line(GOOD)
    assert "player 2 to move; the record ends here" in await last_line(MANCALA)


async def test_unknown_reason_is_shown_as_it_is() -> None:
    text = "parlour record 1\ngame: conga\nresult: 1-0\nreason: {loser} {0}\n"
    assert "unnamed (black) wins: {loser} {0}" in await last_line(text)


async def test_wrong_record_shows_its_fault() -> None:
    assert "WRONG: ply 3" in await last_line(MANCALA.replace("player2 1", "player2 9"))


async def test_ctrl_c_sets_the_exit_code() -> None:
    app = app_of(GOOD)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("ctrl+c")
    assert app.return_code == 130


@pytest.mark.parametrize("text", [GOOD, MANCALA, long_record(7)])
def test_view_has_every_position(text: str) -> None:
    record = parse(text)
    view = view_of(record)
    assert [played.move for played in view.moves] == [played.move for played in record.moves]
    assert len(view.states) == len(record.moves) + 1
