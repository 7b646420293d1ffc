"""The result of a game in words."""

from __future__ import annotations

import pytest

from client.presentation.judgement import balance_text, share_of
from client.presentation.results import result_card
from client.presentation.sides import shown_sides
from client.sdk.room_view import RoomView
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
    assert shown[1].startswith(f"{name} three in a row on a")
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
    title, why, _, _ = card_of(
        "3", game="mancala", status="ended", reason="score", winner=1, result="0-1", scores=(14, 34)
    )
    assert title == "You lose 34 to 14"
    assert why == "14 stones for you (player 1), 34 stones for search (player 2)."


def test_balance_is_a_sentence() -> None:
    sides = ("blue", "red")
    assert balance_text(0.1, sides) == "About even."
    assert balance_text(1.2, sides) == "Blue is a little better."
    assert balance_text(-3, sides) == "Red is better."
    assert balance_text(-90, sides) == "Red is winning."
    assert share_of(0) == 0.5
