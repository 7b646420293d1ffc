"""What is said: clocks, outcomes, rooms, graphs, appearance."""

from __future__ import annotations

from typing import Any

import pytest

from client.bots.builtin.names import NAMES
from client.presentation.texts import (
    REASONS,
    absent_text,
    clock_text,
    gone_text,
    lost_text,
    offer_text,
    pending_text,
    printable,
    room_line,
    situation,
    time_text,
    title,
)
from client.sdk.events import Disconnected
from client.sdk.room_view import RoomView
from client.sdk.time_control import parse_time_control
from client.tui.models.bot_values import graph, values
from client.tui.models.hints import hint_refusal
from client.tui.models.lobby_rooms import LobbyRooms
from client.tui.render.appearance import Appearance
from client.tui.screens.wall import layout
from client.tui.widgets.move_list import initials
from client.tui.widgets.note_view import note_text
from protocol.events import Presence
from protocol.replies import LobbyUpdate
from protocol.types import END_REASONS, Offers, RatingChange
from tests.tui.lobby_samples import news, room
from tests.tui.offline_app import AT, snapshot_of


@pytest.mark.parametrize("text", ["none", "5+3", "90s+1", "0.5s+0.25", "10/move", "10/move+60"])
def test_clocks_are_written_as_they_are_read(text: str) -> None:
    assert parse_time_control(clock_text(parse_time_control(text))) == parse_time_control(text)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(None, ""), (9.57, "9.5"), (0.0, "0.0"), (20.0, "0:20"), (299.9, "4:59"), (3661.0, "1:01:01")],
)
def test_what_a_clock_shows(seconds: float | None, shown: str) -> None:
    assert time_text(seconds) == shown


def test_there_are_words_for_every_end() -> None:
    assert set(REASONS) == set(END_REASONS)


def test_what_there_is_to_do() -> None:
    assert situation(RoomView(snapshot_of("conga"), 0.0)) == "your move (black)"
    assert situation(RoomView(snapshot_of("conga", seat=1), 0.0)) == "alice (black) to move"
    lost = snapshot_of("cohcoh", ("a1", "d4", "a2", "d3", "c1", "b4", "a4", "c2", "a3"), seat=1)
    assert situation(RoomView(lost, 0.0)) == "you win: a line was made"
    drawn = snapshot_of("conga", result="1/2-1/2", status="ended", reason="agreed")
    assert situation(RoomView(drawn, 0.0)) == "a draw: agreed"
    aborted = snapshot_of("conga", result="*", status="ended", reason="aborted")
    assert situation(RoomView(aborted, 0.0)) == "the game does not count: aborted"
    waiting = snapshot_of("conga", status="waiting", invite="search")
    assert situation(RoomView(waiting, 0.0)) == "waiting for search… (room room)"


@pytest.mark.parametrize(
    ("awaited", "missed"), [*((name, True) for name in NAMES), ("search@8", True), ("randy", False)]
)
def test_only_bots_of_the_house_can_be_missed(awaited: str, missed: bool) -> None:
    waiting = RoomView(snapshot_of("conga", status="waiting", invite=awaited), 0.0)
    assert (absent_text(waiting, ()) == f"there is no {awaited} here") == missed
    assert absent_text(waiting, None) == ""


def test_ratings_are_told_with_what_has_changed() -> None:
    changes = (RatingChange(before=1500, after=1662, deviation=290, provisional=True),
               RatingChange(before=1640, after=1612, deviation=60))  # fmt: skip
    won: dict[str, Any] = {"status": "ended", "result": "1-0", "reason": "resigned", "winner": 0, "ratings": changes}
    assert situation(RoomView(snapshot_of("conga", **won), 0.0)).endswith("resignation; your rating is 1662? (+162)")
    watched = situation(RoomView(snapshot_of("conga", seat=None, **won), 0.0))
    assert watched == "alice (black) wins: resignation; alice 1662? (+162), search 1612 (-28)"


def test_offers_are_told_to_whom_they_concern() -> None:
    assert offer_text(RoomView(snapshot_of("conga", offers=Offers(draw=1)), 0.0)) == "search offers a draw"
    assert offer_text(RoomView(snapshot_of("conga", offers=Offers(draw=0)), 0.0)) == ""
    assert offer_text(RoomView(snapshot_of("conga", offers=Offers(takeback=1), seat=None), 0.0)) == ""


def test_offers_of_our_own_wait_for_an_answer() -> None:
    def pending(**more: Any) -> str:
        return pending_text(RoomView(snapshot_of("conga", **more), 0.0))

    assert pending(offers=Offers(draw=0)) == "you have offered a draw, search has not answered yet"
    assert pending(offers=Offers(takeback=0)) == "you have asked to take a move back, search has not answered yet"
    over: dict[str, Any] = {"status": "ended", "result": "1-0", "reason": "resigned", "winner": 0}
    offered = Offers(rematch=0)
    assert pending(offers=offered, **over) == "you have offered a rematch, search has not answered yet"
    assert pending(offers=offered, next="other", **over) == ""
    for none in ({}, {"offers": Offers(draw=1)}, {"offers": Offers(draw=0), "seat": None}):
        assert pending(**none) == ""


def test_one_who_is_gone_can_be_claimed_against_after_a_while() -> None:
    table = RoomView(snapshot_of("conga"), 100.0)
    assert gone_text(table, 100.0) == ""
    table.apply(Presence(room="room", seq=5, at=AT, seat=1, online=False, claim_at=AT + 60_000), 100.0)
    assert gone_text(table, 100.5) == "search is gone   v: claim the game, in 60 s"
    assert gone_text(table, 160.0) == "search is gone   v: claim the game"
    table.apply(Presence(room="room", seq=6, at=AT, seat=1, online=True), 161.0)
    assert gone_text(table, 161.0) == ""
    assert gone_text(RoomView(snapshot_of("conga", claim_at=(AT + 2000, None)), 100.0), 100.0).endswith(", in 2 s")
    for seat, status in ((1, "running"), (None, "running"), (0, "ended")):
        assert gone_text(RoomView(snapshot_of("conga", seat=seat, status=status, claim_at=(AT, None)), 0.0), 0.0) == ""


def test_a_title_has_the_options() -> None:
    clock = parse_time_control("5+3")
    table = RoomView(snapshot_of("cohcoh", clock=clock, left=(300_000, 300_000), rated=True), 0.0)
    assert title(table) == "n-k-coh-coh: alice - search, n 4, k 3, clock 5+3, rated"


def test_a_lost_connection_fits_into_a_line() -> None:
    url = "ws://127.0.0.1:34729/ws"
    for why in (f"no connection to {url}: connection refused", f"no answer from {url}"):
        text = lost_text(Disconnected(why, 1.0), url)
        assert url not in text
        assert len(text) < 79
        assert why.rpartition(" ")[2] in text or "no answer" in text


def test_a_stranger_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b[2Jb\n") == "a?[2Jb?"


def test_rooms_are_sorted_and_filtered() -> None:
    rooms = LobbyRooms()
    rooms.update(news())
    assert [line.key for line in rooms.lines("")] == ["r2", "r1", "r5", "bot greedy", "bot search", "r3", "r4"]
    assert [line.key for line in rooms.lines("SEARCH coh")] == ["r3"]
    assert [line.key for line in rooms.lines("waiting conga")] == ["r1", "r5"]
    assert rooms.running() == ("r3",)
    assert rooms.bots_for("cohcoh") == ["search"]
    rooms.update(LobbyUpdate(rooms=(room("r1", "conga", "alice", "bob", status="running"),), bots=()))
    assert rooms.running() == ("r1", "r3") or rooms.running() == ("r3", "r1")
    assert [line.key for line in rooms.lines("bot")] == []
    rooms.update(LobbyUpdate(rooms=(room("r2", "mancala", "", "bob", status="ended"),)))
    assert "r2" not in [line.key for line in rooms.lines("")]
    assert "casual conga        alice - bob 1640" in room_line(room("r1", "conga", "alice", "bob"))
    assert room_line(room("r1", "conga", "a", "b", status="running", watchers=3)).endswith("0 moves, 3 watching")
    assert room_line(room("r1", "conga", "a", "b", status="running", ply=1)).endswith("running, 1 move")
    assert room_line(room("r1", "conga", "a", "b", status="running", ply=1)).endswith("running, 1 move")


def test_values_are_for_the_first_side() -> None:
    notes = {1: "depth 3 value +2", 2: "value +1.5", 3: "hello"}
    table = RoomView(snapshot_of("conga", ("a4b4", "d1c2", "d4c3"), notes=notes), 0.0)
    assert values(table.moves) == [2.0, -1.5, None]
    assert note_text(table, 2).startswith("search d1c2: +1.5")
    assert note_text(table, 3) == "alice d4c3: hello"
    assert note_text(table, 0) == ""


def test_a_note_that_tells_nothing_is_not_shown() -> None:
    notes = {1: "wall 0.012 cpu 0.010", 2: "value +1", 3: "nodes 4"}
    table = RoomView(snapshot_of("conga", ("a4b4", "d1c2", "d4c3"), notes=notes), 0.0)
    assert [note_text(table, ply) for ply in (1, 2, 3)] == ["", "search d1c2: +1", "search d1c2: +1"]


def test_the_graph_has_its_size_and_its_middle() -> None:
    lines = graph([4.0, 0.0, -4.0, None], 10, 2)
    assert lines == ["█   ", "██  "]
    assert graph([None, 4.0, None, -4.0], 10, 1) == [" ██ "]
    assert graph([1.0] * 50, 10, 3)[0] == "█" * 10
    assert all(line.isascii() for line in graph([1.0, -0.5], 5, 3, ascii_only=True))
    assert graph([], 0, 2) == ["", ""]


def test_sides_are_told_apart() -> None:
    assert initials(("black", "white")) == ("b", "w")
    assert initials(("player 1", "player 2")) == ("p1", "p2")


def test_hints_are_for_casual_games_against_bots() -> None:
    bots = frozenset({"search"}).__contains__
    assert hint_refusal(RoomView(snapshot_of("conga"), 0.0), bots) == ""
    assert "rated" in hint_refusal(RoomView(snapshot_of("conga", rated=True), 0.0), bots)
    assert "against bots" in hint_refusal(RoomView(snapshot_of("conga"), 0.0), frozenset().__contains__)
    assert "your turn" in hint_refusal(RoomView(snapshot_of("conga", ("a4b4",)), 0.0), bots)


def test_looks_follow_the_terminal() -> None:
    good = {"TERM": "xterm-256color", "LANG": "en_US.UTF-8"}
    assert Appearance.choose("", False, good) == Appearance("classic", False)
    assert Appearance.choose("", False, {**good, "NO_COLOR": "1"}) == Appearance("mono", False)
    assert Appearance.choose("safe", False, {**good, "NO_COLOR": "1"}) == Appearance("safe", False)
    assert Appearance.choose("", False, {"TERM": "dumb"}) == Appearance("mono", True)
    assert Appearance.choose("", False, {**good, "LC_ALL": "en_US.ISO-8859-1"}) == Appearance("classic", True)
    assert Appearance.choose("", True, good).ascii_only


def test_walls_are_square_as_long_as_they_fit() -> None:
    assert layout(4, (120, 37), (24, 7)) == (2, 18)
    assert layout(9, (120, 37), (24, 7)) == (3, 11)
    assert layout(9, (80, 21), (34, 7)) == (2, 7)
    assert layout(60, (120, 37), (24, 7)) == (4, 7)
    assert layout(1, (20, 5), (24, 7)) == (1, 7)
