"""The result of a game in words."""

from __future__ import annotations

import pytest

from client.presentation.results import result_card
from client.sdk.room_view import RoomView
from client.sdk.sides import shown_sides
from protocol.events import Ended
from protocol.types import RatingChange
from tests.tui.offline_app import snapshot_of

LINE_OF_THREE = ("a1", "d4", "a2", "d3", "c1", "b4", "a4", "c2", "a3")
RATINGS = (RatingChange(before=1498, after=1511, deviation=60), RatingChange(before=1600, after=1589, deviation=60))


def card_of(*moves: str, game: str = "cohcoh", seat: int | None = 0, **more: object) -> tuple[str, str, str, str]:
    table = RoomView(snapshot_of(game, moves, seat=seat, **more), 0.0)  # type: ignore[arg-type]
    title, why, rating, _, tone = result_card(table, shown_sides(table))
    return title, why, rating, tone


@pytest.mark.parametrize(
    ("seat", "title", "name", "tone"),
    [(0, "You lose", "You (white) completed", "bad"), (1, "You win", "alice (white) completed", "good")],
)
def test_line_is_named_with_its_cells(seat: int, title: str, name: str, tone: str) -> None:
    shown = card_of(*LINE_OF_THREE, seat=seat)
    assert shown[0] == title
    assert shown[1].startswith(f"{name} four in a row on a1 to a4")
    assert shown[3] == tone


def test_watcher_reads_the_winner_and_both_ratings() -> None:
    title, why, rating, tone = card_of(*LINE_OF_THREE, seat=None, rated=True, ratings=RATINGS)
    assert title == "search wins"
    assert "loses" in why
    assert rating == "alice 1498 → 1511 (+13), search 1600 → 1589 (−11)"
    assert tone == "plain"


@pytest.mark.parametrize(
    ("reason", "winner", "title", "why"),
    [
        ("resigned", 1, "You lose", "You (blue) resigned."),
        ("time", 0, "You win", "search (red) ran out of time."),
        ("agreed", None, "A draw", "Both players agreed."),
        ("repetition", None, "A draw", "The same position came up three times."),
    ],
)
def test_reasons_are_sentences(reason: str, winner: int | None, title: str, why: str) -> None:
    result = "1/2-1/2" if winner is None else ("1-0", "0-1")[winner]
    shown = card_of("a4b4", game="conga", status="ended", reason=reason, winner=winner, result=result)
    assert shown[:2] == (title, why)


def test_aborted_game_does_not_count() -> None:
    assert card_of("a4b4", game="conga", status="ended", reason="aborted", result="*")[0] == "Not counted"


def test_score_of_the_winner_comes_first() -> None:
    title, _, _, _ = card_of(
        "3", game="mancala", status="ended", reason="score", winner=1, result="0-1", scores=(14, 34)
    )
    assert title == "You lose 34 to 14"


@pytest.mark.parametrize(
    ("start", "move", "seat", "why"),
    [
        ("0,0,3/0,0,1 5,6 1", "3", 0, "Your side is empty: the stones of the other side go to search (player 2)."),
        ("0,0,3/0,0,1 5,6 1", "3", 1, "The side of alice (player 1) is empty: the stones of the other side go to you"),
        ("0,1,0/1,0,3 5,5 1", "1", 0, "The side of search (player 2) is empty: the stones of the other side go to you"),
    ],
)
def test_empty_side_ends_mancala(start: str, move: str, seat: int, why: str) -> None:
    assert card_of(move, game="mancala", options={"start": start}, seat=seat)[1].startswith(why)


def test_full_board_and_shut_in_stones_are_explained() -> None:
    full = "0212222/2221111/2221111/2221221/1111111/2121122 2"
    assert card_of("1", game="maxconnect4", options={"start": full}, seat=None)[1].startswith("The board is full: ")
    shut = ".,.,.,./.,.,.,b1/b1,b2,b2,./w6,b2,b2,w4 b"
    shown = card_of("d3d2", game="conga", options={"start": shut}, seat=1)
    assert shown[1] == "You (red) cannot move: your 10 stones are shut in."
    assert card_of("a1", game="cohcoh", options={"n": 1, "k": 2})[1] == "The board is full, and no line was completed."


@pytest.mark.parametrize(
    ("k", "moves", "why"),
    [
        (4, ("a1", "d1", "b1", "d2", "b2", "d3", "a2", "d4"), "four in a row on d1 to d4"),
        (3, ("a1", "d1", "b1", "d2", "b2", "d4", "a2", "d3"), "four in a row on d1 to d4"),
        (3, ("a1", "a3", "d4", "b2", "b3", "c1"), "three in a row on a3 to c1"),
    ],
)
def test_length_of_the_line_is_counted(k: int, moves: tuple[str, ...], why: str) -> None:
    assert why in card_of(*moves, options={"n": 4, "k": k})[1]


def test_length_lasts_until_the_end_of_the_game() -> None:
    table = RoomView(snapshot_of("conga", ("a4b4",), started_at=1000), 0.0)
    table.apply(Ended(room="room", seq=6, at=126_000, result="0-1", reason="resigned", winner=1), 0.0)
    assert result_card(table, shown_sides(table)).length == "1 move, 2 min 5 s"
    ended = snapshot_of(
        "conga", ("a4b4",), status="ended", result="0-1", reason="resigned", winner=1, started_at=1, ended_at=9001
    )
    assert result_card(RoomView(ended, 0.0), ("blue", "red")).length == "1 move, 9 s"
