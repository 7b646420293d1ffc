"""Texts about rooms: clocks, results, ratings, offers."""

from __future__ import annotations

from typing import Any

import pytest

from client.bots.builtin.names import NAMES
from client.presentation.texts import (
    absent_text,
    clock_text,
    gone_text,
    has_begun,
    left_text,
    lost_text,
    offer_text,
    pending_text,
    program_text,
    recorded_clock_text,
    room_line,
    situation,
    time_text,
    title,
)
from client.sdk.events import Disconnected
from client.sdk.room_view import RoomView
from client.sdk.time_control import parse_time_control
from protocol.events import Presence
from protocol.types import Offers, RatingChange, Seat, replace
from tests.tui.lobby_samples import room
from tests.tui.offline_app import AT, snapshot_of

LINE_OF_THREE = ("a1", "d4", "a2", "d3", "c1", "b4", "a4", "c2", "a3")  # white completes it and loses


def view(*args: Any, now: float = 0.0, **more: Any) -> RoomView:
    return RoomView(snapshot_of(*args, **more), now)


def ended(reason: str, winner: int | None = 0, **more: Any) -> dict[str, Any]:
    return {"status": "ended", "result": "1-0", "reason": reason, "winner": winner, **more}


@pytest.mark.parametrize("text", ["none", "5+3", "90s+1", "0.5s+0.25", "10/move", "10/move+60"])
def test_clock_text_can_be_parsed_again(text: str) -> None:
    assert parse_time_control(clock_text(parse_time_control(text))) == parse_time_control(text)


@pytest.mark.parametrize(
    ("written", "shown"), [("60+1", "1+1"), ("90+0", "90s+0"), ("10/move", "10/move"), ("none", "none"), ("?", "?")]
)
def test_clock_of_a_record_is_shown_in_minutes(written: str, shown: str) -> None:
    assert recorded_clock_text(written) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(None, ""), (9.57, "9.5"), (0.0, "0.0"), (20.0, "0:20"), (299.9, "4:59"), (3661.0, "1:01:01")],
)
def test_time_is_shown_with_the_right_precision(seconds: float | None, shown: str) -> None:
    assert time_text(seconds) == shown


def test_situation_says_who_is_to_move_or_awaited() -> None:
    assert situation(view("conga")) == "Your move (blue)"
    assert situation(view("conga", seat=1)) == "alice (blue) to move"
    assert situation(view("conga", status="waiting", invite="search")) == "Waiting for search… (room room)"


@pytest.mark.parametrize(
    ("seat", "text"),
    [
        (1, "You win: alice completed a line of 3"),
        (0, "search wins: you completed a line of 3"),
        (None, "search wins: alice completed a line of 3"),
    ],
)
def test_a_completed_line_names_the_loser_and_the_length(seat: int | None, text: str) -> None:
    assert situation(view("cohcoh", LINE_OF_THREE, seat=seat)) == text


@pytest.mark.parametrize(
    ("reason", "own", "others"),
    [
        ("no_moves", "search wins: you have no moves left", "search wins: alice has no moves left"),
        ("resigned", "search wins: you resigned", "search wins: alice resigned"),
        ("time", "search wins: you ran out of time", "search wins: alice ran out of time"),
        ("abandoned", "search wins: you left the game", "search wins: alice left the game"),
    ],
)
def test_losses_name_the_loser(reason: str, own: str, others: str) -> None:
    assert situation(view("conga", **ended(reason, 1))) == own
    assert situation(view("conga", seat=None, **ended(reason, 1))) == others


def test_scores_start_with_the_winners() -> None:
    assert situation(view("mancala", **ended("score", 1, scores=(6, 8)))) == "search wins 8–6"
    assert situation(view("mancala", seat=1, **ended("score", 1, scores=(6, 8)))) == "You win 8–6"
    assert situation(view("mancala", **ended("score", None, scores=(7, 7)))) == "Draw 7–7"


def test_draws_and_aborted_games() -> None:
    assert situation(view("conga", **ended("agreed", None))) == "Draw by agreement"
    assert situation(view("conga", **ended("ply_limit", None))) == "Draw: move limit reached"
    assert situation(view("conga", **ended("aborted", None, result="*"))) == "Game aborted: it does not count"


def test_players_with_the_same_name_are_distinguished_by_side() -> None:
    names = ("search", "search")
    assert situation(view("conga", seat=None, names=names, **ended("resigned"))) == (
        "search (blue) wins: search (red) resigned"
    )


@pytest.mark.parametrize(
    ("awaited", "missed"), [*((name, True) for name in NAMES), ("search@8", True), ("randy", False)]
)
def test_only_house_bots_are_reported_as_absent(awaited: str, missed: bool) -> None:
    waiting = view("conga", status="waiting", invite=awaited)
    assert absent_text(waiting, ()).startswith(f"{awaited} is not connected.") == missed
    assert absent_text(waiting, ()).endswith("--vs anyone.") == missed
    assert absent_text(waiting, None) == ""


def test_rating_changes_follow_the_result() -> None:
    changes = (RatingChange(before=1500, after=1662, deviation=290, provisional=True),
               RatingChange(before=1640, after=1612, deviation=60))  # fmt: skip
    won = ended("resigned", ratings=changes)
    assert situation(view("conga", **won)) == "You win: search resigned. Your rating: 1500 → 1662? (+162)"
    watched = situation(view("conga", seat=None, **won))
    assert watched == "alice wins: search resigned. alice 1500 → 1662? (+162), search 1640 → 1612 (−28)"


def test_only_the_opponents_offers_are_shown_as_offers() -> None:
    assert offer_text(view("conga", offers=Offers(draw=1))) == "search offers a draw"
    assert offer_text(view("conga", offers=Offers(draw=0))) == ""
    assert offer_text(view("conga", offers=Offers(takeback=1), seat=None)) == ""


def test_own_offers_are_shown_as_pending() -> None:
    def pending(**more: Any) -> str:
        return pending_text(view("conga", **more))

    assert pending(offers=Offers(draw=0)) == "You offered a draw; waiting for search"
    assert pending(offers=Offers(takeback=0)) == "You asked to take back a move; waiting for search"
    over, offered = ended("resigned"), Offers(rematch=0)
    assert pending(offers=offered, **over) == "You offered a rematch; waiting for search"
    assert pending(offers=offered, next="other", **over) == ""
    for none in ({}, {"offers": Offers(draw=1)}, {"offers": Offers(draw=0), "seat": None}):
        assert pending(**none) == ""


def test_gone_text_says_when_the_game_can_be_claimed() -> None:
    table = view("conga", now=100.0)
    assert gone_text(table, 100.0) == ""
    table.apply(Presence(room="room", seq=5, at=AT, seat=1, online=False, claim_at=AT + 60_000), 100.0)
    assert gone_text(table, 100.5) == "search has left   v: claim the game in 60 s"
    assert gone_text(table, 160.0) == "search has left   v: claim the game after your move"
    table.turn = 1
    assert gone_text(table, 160.0) == "search has left   v: claim the game"
    table.apply(Presence(room="room", seq=6, at=AT, seat=1, online=True), 161.0)
    assert gone_text(table, 161.0) == ""
    assert gone_text(view("conga", claim_at=(AT + 2000, None), now=100.0), 100.0).endswith(" in 2 s")
    for seat, status in ((1, "running"), (None, "running"), (0, "ended")):
        assert gone_text(view("conga", seat=seat, status=status, claim_at=(AT, None)), 0.0) == ""


def test_title_contains_the_options() -> None:
    table = view("cohcoh", clock=parse_time_control("5+3"), left=(300_000, 300_000), rated=True)
    assert title(table) == "n-k-coh-coh: alice - search, n 4, k 3, clock 5+3, rated"


def test_room_without_an_opponent_is_said_to_wait() -> None:
    table = view("conga", status="waiting")
    table.seats[1] = None
    assert left_text(table) == "Conga, waiting for an opponent"


def test_lost_connection_notice_fits_into_a_line() -> None:
    url = "ws://127.0.0.1:34729/ws"
    for why in (f"no connection to {url}: connection refused", f"no answer from {url}"):
        text = lost_text(Disconnected(why, 1.0), url)
        assert url not in text
        assert len(text) < 79
        assert text in (
            "Connection lost, reconnecting… (connection refused)",
            "Connection lost, reconnecting… (no answer)",
        )


def test_room_line_names_players_moves_and_result() -> None:
    assert "casual conga        alice - bob 1640" in room_line(room("r1", "conga", "alice", "bob"))
    assert room_line(room("r1", "conga", "a", "b", status="running", watchers=3)).endswith("0 moves, 3 watching")
    assert room_line(room("r1", "conga", "a", "b", status="running", ply=1)).endswith("running, 1 move")


def test_bots_are_marked_in_lists_and_titles() -> None:
    seat = Seat(player="p", name="deep", rating=1500, bot=True, engine="mine\x1b", version="2")
    table = view("conga")
    table.seats[1] = seat
    assert "- deep (bot)," in title(table)
    assert program_text(seat) == "deep: mine\\u001b 2"
    assert "deep (bot) 1500" in room_line(replace(room("r", "conga", "", ""), seats=(None, seat)))


def test_rooms_that_never_began_are_not_finished_games() -> None:
    assert not has_begun(room("r1", "conga", "alice", "", status="ended", result="*"))
    assert has_begun(room("r2", "conga", "alice", "bob", status="ended", result="*", ply=1))
    assert has_begun(room("r3", "conga", "alice", "bob", status="ended", result="1-0"))
