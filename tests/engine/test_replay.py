"""Replays, and the endings that depend on earlier moves: repetition and the ply limit."""

from __future__ import annotations

from engine.game import Game, State
from engine.registry import create
from engine.replay import Replay, ending

WON = "w9,.,b1,./b1,b1,b3,b1/b1,b1,.,./w1,b1,.,. b"  # black wins with c3b4
ROUND = ["a4a3", "d1d2", "a3a4", "d2d1"]  # with one stone each: back to the start


def states(game: Game, moves: list[str]) -> list[State]:
    replayed = Replay.of(game, moves)
    assert replayed.error == ""
    return list(replayed.states)


def test_third_occurrence_of_a_position_is_a_draw() -> None:
    game = create("conga", {"stones": 1})
    assert ending(game, states(game, ROUND)) is None  # the start for the second time
    assert ending(game, states(game, ROUND + ROUND[:3])) is None
    outcome = ending(game, states(game, ROUND + ROUND))
    assert outcome is not None
    assert (outcome.result, outcome.reason) == ("1/2-1/2", "repetition")
    assert Replay.of(game, [*ROUND, *ROUND, "a4a3"]).error == "ply 9: the game was already over (1/2-1/2 repetition)"


def test_repetition_counts_all_earlier_positions() -> None:
    game = create("conga", {"stones": 1})
    detour = ["a4b4", "d1d2", "b4a4", "d2d1"]
    replayed = Replay.of(game, ["a4a3", "d1d2", "a3a4", "d2d1", *detour])
    assert replayed.ended is not None
    assert replayed.ended.reason == "repetition"


def test_repetition_requires_the_same_side_to_move() -> None:
    game = create("conga", {"stones": 1})
    black = game.load("b1,.,.,./.,.,.,./.,.,.,./.,.,.,w1 b")
    white = game.load("b1,.,.,./.,.,.,./.,.,.,./.,.,.,w1 w")
    assert ending(game, [black, white, black, white]) is None
    assert ending(game, [black, white, black, white, black]) is not None


def test_ply_limit_is_a_draw() -> None:
    game = create("conga", {"max_plies": 2})
    assert Replay.of(game, ["a4a3"]).ended is None
    outcome = Replay.of(game, ["a4a3", "d1d2"]).ended
    assert outcome is not None
    assert (outcome.result, outcome.reason) == ("1/2-1/2", "ply_limit")
    assert ending(game, states(game, ["a4a3", "d1d2"])) == outcome


def test_win_on_the_last_ply_is_a_win() -> None:
    outcome = Replay.of(create("conga", {"max_plies": 1, "start": WON}), ["c3b4"]).ended
    assert outcome is not None
    assert (outcome.result, outcome.reason) == ("1-0", "no_moves")


def test_other_games_have_no_repetition_rule_or_ply_limit() -> None:
    for name in ("mancala", "maxconnect4", "cohcoh"):
        spec = create(name).spec
        assert (spec.repetition, spec.max_plies) == (None, None)


def test_replay_stops_at_the_first_illegal_move() -> None:
    replayed = Replay.of(create("conga"), ["a4a3", "a3a4", "d1d2"])
    assert len(replayed.states) == 2
    assert replayed.error.startswith("ply 2: a3a4 is not legal here; legal: d1c1")
    assert [replayed.side(ply) for ply in (0, 1, 2, 3)] == ["?", "black", "white", "?"]


def test_replay_names_the_same_side_after_an_extra_turn() -> None:
    replayed = Replay.of(create("mancala"), ["3", "6", "1"])
    assert [replayed.side(ply) for ply in (1, 2, 3)] == ["player1", "player1", "player2"]
