"""The Conga API of the course, used as in its readme."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import GameError, IllegalMove
from parlour.conga import Agent, CongaBoard

TRANSITIONS = Path(__file__).resolve().parents[3] / "shared" / "data" / "conga" / "transitions.jsonl"


def board(**tiles: tuple[int, int]) -> CongaBoard:
    """Return a board with these tiles only: a4=(0, 10) gives player 1 ten stones on a4."""
    new = CongaBoard()
    for x in range(1, 5):
        for y in range(1, 5):
            new.territory[x][y], new.amount[x][y] = tiles.get(f"{'abcd'[x - 1]}{y}", (-1, 0))
    return new


def owned(board: CongaBoard, player: int) -> dict[tuple[int, int], int]:
    places = [(x, y) for x in range(1, 5) for y in range(1, 5)]
    return {(x, y): board.amount[x][y] for x, y in places if board.territory[x][y] == player}


def test_start_position() -> None:
    start = CongaBoard()
    assert owned(start, 0) == {(1, 4): 10}
    assert owned(start, 1) == {(4, 1): 10}
    assert owned(start, -1) == {(x, y): 0 for x in range(1, 5) for y in range(1, 5) if (x, y) not in ((1, 4), (4, 1))}


def test_move_returns_a_new_board() -> None:
    start = CongaBoard()
    after = Agent(0, 0, 3).makeMove([1, 4], [2, 4], 0, start)
    assert owned(after, 0) == {(2, 4): 1, (3, 4): 2, (4, 4): 7}
    assert owned(after, 1) == {(4, 1): 10}
    assert start == CongaBoard()
    assert after != start


def test_run_ends_before_the_opponent() -> None:
    before = board(a4=(0, 5), c4=(1, 5))
    assert owned(Agent(0, 0, 1).makeMove([1, 4], [2, 4], 0, before), 0) == {(2, 4): 5}
    before = board(a4=(0, 2), a1=(0, 3), d4=(1, 5))
    assert owned(Agent(0, 0, 1).makeMove([1, 4], [2, 4], 0, before), 0) == {(2, 4): 1, (3, 4): 1, (1, 1): 3}


@pytest.mark.parametrize(
    ("start", "to", "error"),
    [
        ([4, 1], [3, 1], IllegalMove),  # stones of the opponent
        ([2, 2], [2, 3], IllegalMove),  # an empty square
        ([1, 4], [3, 4], GameError),  # not adjacent
        ([1, 4], [0, 4], GameError),  # not on the board
        ([1, 4], [1, 5], GameError),
        ([1], [1, 3], GameError),
    ],
)
def test_illegal_moves_are_rejected(start: list[int], to: list[int], error: type[Exception]) -> None:
    with pytest.raises(error):
        Agent(0, 0, 1).makeMove(start, to, 0, CongaBoard())


@pytest.mark.skipif(not TRANSITIONS.exists(), reason="the shared data is missing")
def test_recorded_moves() -> None:
    lines = TRANSITIONS.read_text().splitlines()
    assert lines
    agent = Agent(0, 0, 1)
    for line in lines[::10]:
        case = json.loads(line)
        before, after = (
            board(**{f"{'abcd'[x - 1]}{y}": ("BW".index(owner), count) for x, y, owner, count in case[name]})
            for name in ("board", "result")
        )
        start, to = case["move"]
        assert agent.makeMove(start, to, "BW".index(case["player"]), before) == after


@pytest.mark.parametrize("player", [0, 1])
def test_random_moves_are_legal(player: int) -> None:
    agent, now = Agent(0, 1, 1), CongaBoard()
    seen = []
    for _ in range(40):
        move = agent.getRandomMove(player, now)
        assert set(move) == {"from", "to"}
        agent.makeMove(move["from"], move["to"], player, now)
        seen.append(tuple(move["to"]))
    assert set(seen) == ({(1, 3), (2, 3), (2, 4)} if player == 0 else {(3, 1), (3, 2), (4, 2)})


def blocked_board() -> CongaBoard:
    """Return a board on which player 2 has no move."""
    return board(a1=(1, 10), a2=(0, 4), b1=(0, 3), b2=(0, 3))


def test_no_move_is_an_empty_dict() -> None:
    loser = Agent(1, 1, 3)
    assert loser.getRandomMove(1, blocked_board()) == {}
    assert loser.getBestMove(blocked_board()) == {}
    assert Agent(0, 1, 3).getBestMove(blocked_board()) != {}


@pytest.mark.parametrize("hfunc", [0, 1, "neighbour"])
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_best_move_wins_at_once_if_possible(hfunc: int | str, depth: int) -> None:
    now = board(c4=(0, 1), a3=(0, 1), b3=(0, 2), c3=(0, 1), b2=(0, 1), a1=(1, 10), b1=(0, 1), c1=(0, 1), d1=(0, 2))
    agent = Agent(0, hfunc, depth)
    move = agent.getBestMove(now)
    after = agent.makeMove(move["from"], move["to"], 0, now)
    assert Agent(1, 0, 1).getRandomMove(1, after) == {}


def test_search_assumes_the_best_reply() -> None:
    """The value of a move is the minimum over the replies of the opponent."""
    agent = Agent(0, 0, 2)
    move = agent.getBestMove(CongaBoard())
    worth = {}
    for to in ([1, 3], [2, 3], [2, 4]):
        after = agent.makeMove([1, 4], to, 0, CongaBoard())
        game, state = after.state(1)
        answers = [game.after(state, answer) for answer in game.moves(state)]
        worth[tuple(to)] = min(game.evaluate("hfunc0", answer, 0) for answer in answers)
    assert agent.bestValue == max(worth.values())
    assert worth[tuple(move["to"])] == agent.bestValue


def test_build_tree_searches_the_board_of_the_agent() -> None:
    agent = Agent(1, 1, 2)
    agent.updateBoard(blocked_board())
    agent.buildTree()
    assert agent.bestMove == {}
    agent.updateBoard(CongaBoard())
    agent.buildTree()
    assert agent.numExplored > 3
    found = agent.getBestMove()
    assert found == agent.bestMove
    assert found["from"] == [4, 1]


def test_a_board_changed_in_place_is_searched_again() -> None:
    now, agent = CongaBoard(), Agent(0, 1, 1)
    first = agent.getBestMove(now)
    now.territory[1][4], now.amount[1][4] = -1, 0
    now.territory[2][1], now.amount[2][1] = 0, 10
    assert first["from"] == [1, 4]
    assert agent.getBestMove(now)["from"] == [2, 1]


@pytest.mark.parametrize("words", [(2, 0, 3), (0, 2, 3), (0, "best", 3), (0, 0, -1)])
def test_invalid_agents_are_rejected(words: tuple[int, int | str, int]) -> None:
    with pytest.raises(GameError):
        Agent(*words)


def test_invalid_boards_are_rejected() -> None:
    lopsided = CongaBoard()
    lopsided.amount[1][4] = 9
    with pytest.raises(GameError, match="player 1 has 9 stones and player 2 has 10"):
        Agent(0, 0, 1).getBestMove(lopsided)


def test_draw_colours_the_tiles(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    CongaBoard().draw()
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith(" ") and "|" in line]
    yellow = "\x1b[93m  0  \x1b[0m"
    assert rows[0] == f" 4 |\x1b[94m 10  \x1b[0m|{yellow}|{yellow}|{yellow}|"
    assert rows[3] == f" 1 |{yellow}|{yellow}|{yellow}|\x1b[91m 10  \x1b[0m|"


def test_draw_without_colours(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    CongaBoard().draw()
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert " 4 | b10 |   0 |   0 |   0 |\n" in out
    assert " 1 |   0 |   0 |   0 | w10 |\n" in out


def test_move_to_a_distant_tile_is_illegal() -> None:
    with pytest.raises(IllegalMove, match=r"\[1, 4\] to \[4, 1\] is not legal: toTile must be next to fromTile"):
        Agent(0, 1, 3).makeMove([1, 4], [4, 1], 0, CongaBoard())


def test_unequal_stones_are_reported_where_the_board_is_set_up() -> None:
    sentence = "player 1 has 3 stones and player 2 has 2: both must have the same number"
    with pytest.raises(GameError, match=sentence):
        CongaBoard({1: {1: 0}, 2: {2: 1}}, {1: {1: 3}, 2: {2: 2}})
    changed = CongaBoard({1: {1: 0}, 2: {2: 1}}, {1: {1: 3}, 2: {2: 3}})
    changed.amount[2][2] = 2
    with pytest.raises(GameError, match=sentence):
        Agent(0, 1, 3).updateBoard(changed)
