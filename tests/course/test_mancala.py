"""The output of the Mancala course program: hand-made cases, official cases (if available), random cases."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.course.lines import CourseFileError
from engine.course.mancala import Task, next_state, read_task, solve
from engine.game import State
from engine.games.mancala import Mancala
from tests.course.reference_mancala import Board, Program

OFFICIAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "mancala-course"

# top 1 1, bottom 1 1, depth 2, by hand. B2 goes to B3; A2 then goes to the store and moves again at depth 2; A3 then
# falls into the empty A2 and captures (nothing lies opposite), which empties the row: 2 and 2. B3 goes to the store and
# moves again at depth 1; B2 falls into the empty B3 and captures A3, which empties the row: 3 and 1.
FIRST = """Node,Depth,Value,Alpha,Beta
root,0,-Infinity,-Infinity,Infinity
B2,1,Infinity,-Infinity,Infinity
A2,2,Infinity,-Infinity,Infinity
A3,2,0,-Infinity,Infinity
A2,2,0,-Infinity,0
B2,1,0,-Infinity,0
A3,2,0,-Infinity,0
B2,1,0,-Infinity,0
root,0,0,0,Infinity
B3,1,-Infinity,0,Infinity
B2,1,2,0,Infinity
B3,1,2,2,Infinity
root,0,2,2,Infinity
"""
# The same board for player 2: A2 goes to the store at once, A3 captures B2. After A3 first, B2 is enough: 0 <= alpha 2.
SECOND = """Node,Depth,Value,Alpha,Beta
root,0,-Infinity,-Infinity,Infinity
A2,1,-Infinity,-Infinity,Infinity
A3,1,2,-Infinity,Infinity
A2,1,2,2,Infinity
root,0,2,2,Infinity
A3,1,Infinity,2,Infinity
B2,2,0,2,Infinity
A3,1,0,2,Infinity
root,0,2,2,Infinity
"""
# One pit each: the only move ends the game.
ONLY = """Node,Depth,Value
root,0,-Infinity
B2,1,0
root,0,0
"""
# A row is empty before the first move: each side sweeps its own row, nothing is searched.
OVER = """Node,Depth,Value
root,0,-Infinity
root,0,-3
"""


@pytest.mark.parametrize(
    ("text", "log", "state"),
    [
        ("3\n1\n2\n1 1\n1 1\n0\n0\n", FIRST, "0 0\n0 0\n1\n3\n"),
        ("3\n2\n2\n1 1\n1 1\n0\n0\n", SECOND, "0 0\n0 0\n3\n1\n"),
        ("2\n1\n1\n1\n1\n0\n0\n", ONLY, "0\n0\n1\n1\n"),
        ("1\n1\n7\n1 1\n1 1\n0\n0\n", "", "0 0\n0 0\n1\n3\n"),
        ("2\n1\n4\n2 1\n0 0\n1\n1\n", OVER, "0 0\n0 0\n4\n1\n"),
    ],
)
def test_log_is_as_written_by_hand(text: str, log: str, state: str) -> None:
    lines: list[str] = []
    assert solve(read_task(text), lines.append) == state
    assert "".join(line + "\n" for line in lines) == log


@pytest.mark.skipif(not OFFICIAL.is_dir(), reason="the shared data is missing")
def test_official_cases_are_solved() -> None:
    inputs = sorted(OFFICIAL.glob("testInput_*.txt"))
    assert inputs
    for path in inputs:
        number = path.name.removeprefix("testInput_")
        lines: list[str] = []
        state = solve(read_task(path.read_bytes().decode()), lines.append)
        assert state == (OFFICIAL / f"next_state_{number}").read_text(), path.name
        log = OFFICIAL / f"traverse_log_{number}"
        expected = log.read_text().splitlines() if log.exists() else []
        assert lines == [line for line in expected if not line.endswith("OPTIONAL")], path.name


pit = st.one_of(st.integers(0, 3), st.integers(0, 12), st.integers(0, 1000))


@settings(max_examples=300)
@given(
    task=st.integers(1, 3),
    player=st.integers(1, 2),
    depth=st.integers(1, 3),
    rows=st.integers(1, 5).flatmap(lambda n: st.tuples(*[st.lists(pit, min_size=n, max_size=n)] * 2)),
    stores=st.tuples(st.integers(0, 50), st.integers(0, 50)),
)
def test_output_agrees_with_the_reference_program(
    task: int, player: int, depth: int, rows: tuple[list[int], list[int]], stores: tuple[int, int]
) -> None:
    board = Board(*rows, *stores)
    if board.over():
        rows[0][0] = rows[1][0] = 1
        board = Board(*rows, *stores)
    program = Program(task, player, depth)
    expected = program.run(board)
    lines: list[str] = []
    given_text = [task, player, depth, " ".join(map(str, rows[0])), " ".join(map(str, rows[1])), *stores]
    assert solve(read_task("\n".join(map(str, given_text))), lines.append) == expected
    assert lines == (program.lines if task > 1 else [])


def turns(game: Mancala, state: State) -> Iterator[State]:
    """Yield every state after one turn, including extra moves."""
    for move in game.moves(state):
        after = game.play(state, move)
        if after.turn == state.turn and game.moves(after):
            yield from turns(game, after)
        else:
            yield after


@settings(max_examples=100)
@given(
    task=st.integers(1, 3),
    player=st.integers(1, 2),
    rows=st.tuples(*[st.lists(st.integers(1, 6), min_size=4, max_size=4)] * 2),
)
def test_next_state_is_the_end_of_a_turn(task: int, player: int, rows: tuple[list[int], list[int]]) -> None:
    given_task = Task(task, player - 1, 2, tuple(rows[0]), tuple(rows[1]), (0, 0))
    game = given_task.game()
    assert solve(given_task, lambda line: None) in {next_state(game, end) for end in turns(game, game.start())}


INPUT = "2\n1\n3\n0 0 0 1 1\n1 0 0 0 1\n7\n5\n"


@pytest.mark.parametrize(
    "text",
    [
        INPUT,
        INPUT.rstrip("\n"),
        INPUT.replace("\n", "\r\n"),
        INPUT.replace("\n", "\r\n").rstrip(),
        INPUT.replace("\n", "\r\r\n"),
        INPUT.replace("\n", "\r"),
        INPUT.replace("\n", " \n"),
        INPUT.replace("1 1\n", "1 1 \t\n").replace(" ", "  "),
        INPUT + "\n\n",
    ],
    ids=repr,
)
def test_line_ends_and_spaces(text: str) -> None:
    assert read_task(text) == Task(2, 0, 3, (0, 0, 0, 1, 1), (1, 0, 0, 0, 1), (7, 5))


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (1, "4", r"line 1: expected the task, 1 \(greedy\), 2 \(minimax\) or 3 \(alpha-beta\), not '4'"),
        (1, "", "line 1: expected the task"),
        (2, "3", "line 2: expected my player, 1 or 2, not '3'"),
        (3, "0", "line 3: expected the cut-off depth, a whole number from 1"),
        (3, "2.5", "line 3: expected the cut-off depth"),
        (4, "", "line 4: expected player 2's row, 1 to 10 pits"),
        (4, "1 " * 11, "line 4: expected player 2's row, 1 to 10 pits"),
        (4, "1 2 3 4 x", "line 4: .* not '1 2 3 4 x'"),
        (4, "1 2 3 4 -5", "line 4: "),
        (4, "1 2 3 4 1001", "line 4: .* of 0 to 1000 stones"),
        (5, "1 2 3 4", "line 5: expected player 1's row, 5 pits like player 2's"),
        (6, "-1", "line 6: expected player 2's store"),
        (7, "one", "line 7: expected player 1's store, a whole number from 0 to 20000, not 'one'"),
    ],
)
def test_errors_name_the_line_and_what_was_expected(line: int, text: str, message: str) -> None:
    lines = INPUT.splitlines()
    lines[line - 1] = text
    with pytest.raises(CourseFileError, match=message) as caught:
        read_task("\n".join(lines))
    assert caught.value.line == line


@pytest.mark.parametrize("count", range(7))
def test_file_that_ends_too_early_is_rejected(count: int) -> None:
    with pytest.raises(CourseFileError, match=f"line {count + 1}: expected .*, but the file ends before it"):
        read_task("".join(INPUT.splitlines(keepends=True)[:count]))


def test_extra_lines_are_rejected() -> None:
    with pytest.raises(CourseFileError, match="line 8: expected nothing after line 7, not '9'"):
        read_task(INPUT + "9\n")


def test_log_of_70000_lines_takes_less_than_3_seconds() -> None:
    lines: list[str] = []
    begun = time.process_time()
    solve(read_task("2\n1\n5\n4 4 4 4 4 4\n4 4 4 4 4 4\n0\n0\n"), lines.append)
    spent = time.process_time() - begun
    assert len(lines) > 70_000
    assert spent < 3
