"""The replay of a record on the table screen."""

from __future__ import annotations

import pytest

from client.presentation.recorded_room import view_of
from client.presentation.review_texts import annotations_of, shares_of
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
    assert "unnamed (blue) wins: {loser} {0}" in await last_line(text)


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


REVIEWED = """\
parlour record 1
game: mancala

1 player1 3 ; value +10 proved | best: keeps the win
2 player1 6 ; value -2 proved | blunder: turns a win into a loss, drops 12 stones; best 4 2
3 player2 1 ; depth 9 value +1.000 | fine: loses about 1 stone, about 3 % of the winning chances; best 2
4 player1 4 ; depth 9 value -5.000 | mistake: loses about 5 stones, about 15 % of the winning chances; best 2
"""


async def test_reviewed_record_has_marks_and_a_graph_of_the_whole_game() -> None:
    app = app_of(REVIEWED)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        start = picture_of(app)
        assert "6??" in start
        assert "4?" in start
        assert "F2 goes to the next mistake" in start
        await pilot.press("f2")
        await pilot.pause()
        assert "ply 2 of 4" in picture_of(app)
        assert "Blunder: turns a win into a loss" in picture_of(app)
        await pilot.press("f2")
        await pilot.pause()
        assert "ply 4 of 4" in picture_of(app)
        await pilot.press("f2")
        await pilot.pause()
        assert "There is no further mistake." in picture_of(app)


async def test_record_without_review_says_how_to_get_one() -> None:
    app = app_of(MANCALA)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("f2")
        await pilot.pause()
        assert "This record has no review" in picture_of(app)


def test_chances_of_a_review_are_those_of_the_first_side() -> None:
    record = parse(REVIEWED)
    view = view_of(record)
    assert view.game is not None
    shares = shares_of(view.game, view.moves, annotations_of(view.moves))
    assert shares[:2] == [1.0, 0.0]
    assert shares[2] < 0.5
