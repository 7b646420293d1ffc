"""Draw offers, takebacks and rematches."""

from __future__ import annotations

import pytest

from protocol.commands import Abort, AnswerDraw, OfferDraw, Rematch, Resign, Takeback
from protocol.events import Declined, TakenBack
from protocol.types import TimeControl
from tests.server.domain.helpers import ANN, BEN, NOW, arbitrated_running, do, play, refused, running, waiting


def test_draw_needs_both_players() -> None:
    offered = do(running(), ANN, OfferDraw).room
    assert refused(offered, ANN, OfferDraw).code == "bad_request"
    assert refused(offered, ANN, AnswerDraw, accept=True).code == "no_offer"
    for agreed in (do(offered, BEN, AnswerDraw, accept=True).room, do(offered, BEN, OfferDraw).room):
        assert agreed.ended is not None
        assert (agreed.ended.reason, agreed.ended.result) == ("agreed", "1/2-1/2")


def test_draw_offer_ends_with_a_refusal_or_a_move() -> None:
    offered = do(running(), ANN, OfferDraw).room
    (declined,), room = do(offered, BEN, AnswerDraw, accept=False)
    assert isinstance(declined, Declined)
    assert (declined.offer, room.draw_offer) == ("draw", None)
    assert play(offered, "a4b4").draw_offer is None


def test_takeback_needs_both_players_and_returns_to_the_last_turn_of_the_asker() -> None:
    room = play(running(), "a4b4", "d1c1")
    asked = do(room, ANN, Takeback).room
    assert refused(asked, ANN, Takeback).code == "bad_request"
    back = do(asked, BEN, Takeback).room
    assert (back.ply, back.turn, back.status) == (0, 0, "running")
    only_one = do(do(room, BEN, Takeback).room, ANN, Takeback).room
    assert (only_one.ply, only_one.turn) == (1, 1)


def test_takeback_replays_no_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    before = play(running(), "a4b4")
    asked = do(play(before, "d1c1"), BEN, Takeback).room
    monkeypatch.setattr("server.domain.room.states", None)
    assert do(asked, ANN, Takeback).room.state == before.state


def test_takeback_can_be_declined() -> None:
    room = play(running(), "a4b4", "d1c1")
    assert refused(room, BEN, Takeback, accept=False).code == "no_offer"
    asked = do(room, ANN, Takeback).room
    assert do(asked, BEN, Takeback, accept=False).room.takeback_offer is None


def test_takeback_needs_an_own_move() -> None:
    assert refused(running(), ANN, Takeback).code == "too_early"
    assert refused(play(running(), "a4b4"), BEN, Takeback).code == "too_early"


def test_takebacks_that_cross_do_not_accept_each_other() -> None:
    room = play(running(), "a4b4", "d1c1")
    asked = do(room, ANN, Takeback, ply=0).room
    assert refused(asked, BEN, Takeback, ply=1).code == "stale"
    assert do(asked, BEN, Takeback, ply=0).room.ply == 0
    assert refused(room, BEN, Takeback, ply=0).code == "stale", "a late answer is not a new request"


def test_takeback_in_a_row_of_extra_turns_takes_one_move() -> None:
    room = play(running("mancala"), "3", "1")
    back = do(do(room, ANN, Takeback).room, BEN, Takeback).room
    assert (back.ply, back.turn) == (1, 0)


def test_takeback_keeps_the_clocks() -> None:
    room = play(running(clock=TimeControl(kind="fischer", base=9000)), "a4b4", now=NOW + 2000)
    (back,), room = do(do(room, ANN, Takeback, NOW + 2000).room, BEN, Takeback, NOW + 3000)
    assert isinstance(back, TakenBack)
    assert back.left == (7000, 9000)
    assert room.clocks[2] == NOW + 3000, "the turn begins now"


def test_no_takeback_with_an_arbiter() -> None:
    assert refused(play(arbitrated_running(), "a4b4"), ANN, Takeback).code == "bad_request"


def test_rematch_needs_both_players() -> None:
    over = do(running(), ANN, Resign).room
    assert refused(over, BEN, Rematch, accept=False).code == "no_offer"
    offered = do(over, BEN, Rematch).room
    assert refused(offered, BEN, Rematch).code == "bad_request"
    assert do(offered, ANN, Rematch, accept=False).room.rematch_offer is None
    agreed = do(offered, ANN, Rematch).room
    assert agreed.next == "r2"
    late = refused(agreed, ANN, Rematch)
    assert (late.code, str(late)) == ("too_late", "the rematch has been agreed: join room r2")


def test_rematch_needs_a_finished_game_with_an_opponent() -> None:
    assert refused(running(), ANN, Rematch).code == "too_early"
    assert refused(do(waiting().room, ANN, Abort).room, ANN, Rematch).code == "bad_request"
