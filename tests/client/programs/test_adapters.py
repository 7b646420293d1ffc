"""Adapters: the input of programs, and the moves that their output means."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from client.bots.factory import oneshot_factory
from client.programs.adapters import ADAPTERS
from client.programs.adapters.base import ProgramInput, fill
from client.programs.adapters.mancala import find_turn, state_rows
from client.programs.failure import Failure
from client.programs.limits import Limits
from client.programs.oneshot_bot import OneShotBot
from client.programs.program import Program
from client.programs.workdir import WorkdirFactory
from engine.course.mancala import read_task
from engine.game import Game, State
from engine.record import ending
from engine.registry import create
from tests.client.sample_programs import budget, script
from tests.waiting import TIMEOUT_S

PARLOUR = (sys.executable, "-m", "parlour", "course")
CONGA_PROGRAM = """
import sys
from parlour.conga import Agent, CongaBoard
*rows, player = sys.stdin.read().splitlines()
board = CongaBoard()
for y, row in zip((4, 3, 2, 1), rows):
    for x, cell in zip((1, 2, 3, 4), row.split()):
        board.territory[x][y] = -1 if cell == "." else "bw".index(cell[0])
        board.amount[x][y] = 0 if cell == "." else int(cell[1:])
move = Agent(int(player) - 1, 1, 2).getBestMove(board)
print("%d,%d %d,%d" % (*move["from"], *move["to"]))
"""


def oneshot_bot(
    words: tuple[str, ...], adapter: str, folder: Path, copied: Path | None = None, depth: int = 3
) -> OneShotBot:
    program = Program(words, folder, Limits(grace=0.1), depth=depth, name="homework", forensics=folder / "forensics")
    return OneShotBot(program, ADAPTERS[adapter], WorkdirFactory(copied, program.forensics))


def choose(bot: OneShotBot, game: Game, state: State) -> str:
    return str(bot.choose(game, state, budget(20)).move)


def test_mancala_input_is_a_valid_course_file() -> None:
    game = create("mancala", {"start": "4,0,2/1,0,6 5,7 2"})
    run = ADAPTERS["mancala"].prepare(game, game.start(), 5, 1.0)
    text = run.files["input.txt"]
    assert text == "3\n2\n5\n4 0 2\n1 0 6\n5\n7\n"
    task = read_task(text)
    assert (task.task, task.side, task.depth, task.top, task.bottom, task.stores) == (
        3,
        1,
        5,
        (4, 0, 2),
        (1, 0, 6),
        (5, 7),
    )


@pytest.mark.parametrize("rules", ["course", "prose", "standard"])
def test_every_turn_of_mancala_is_found(rules: str) -> None:
    game, dice = create("mancala", {"rules": rules}), random.Random(rules)
    for _ in range(15):
        state = game.start()
        while game.moves(state):
            before, side = state, state.turn
            while game.moves(state) and state.turn == side:
                state = game.play(state, dice.choice(game.moves(state)))
            turn = find_turn(game, before, state_rows(game, state))
            assert turn is not None
            for move in turn:
                before = game.play(before, move)
            assert state_rows(game, before) == state_rows(game, state)


@pytest.mark.parametrize(
    ("adapter", "options", "words"),
    [
        ("mancala", {"pits": 4, "stones": 3}, ("mancala",)),
        ("maxconnect4", {}, ("maxconnect4",)),
        ("nkcohcoh", {"n": 4, "k": 3}, ("nkcohcoh", "{n}", "{k}", "{board}", "0.3")),
    ],
)
def test_parlour_course_programs_play(
    adapter: str, options: dict[str, object], words: tuple[str, ...], tmp_path: Path
) -> None:
    """A few moves each; tests/e2e plays whole games."""
    game = create(ADAPTERS[adapter].game, options)
    bot, states = oneshot_bot((*PARLOUR, *words), adapter, tmp_path, depth=2), [game.start()]
    while len(states) < 5 and ending(game, states) is None:
        state = states[-1]
        states.append(game.play(state, game.parse(state, choose(bot, game, state))))
    assert bot.cpu > 0
    assert not (tmp_path / "forensics").exists()


def test_conga_program_with_the_course_api_plays(tmp_path: Path) -> None:
    game = create("conga")
    bot = oneshot_bot((sys.executable, *script(tmp_path, CONGA_PROGRAM)[2:]), "conga", tmp_path)
    state = game.start()
    for _ in range(3):
        state = game.play(state, game.parse(state, choose(bot, game, state)))


def test_any_line_ends_are_read(tmp_path: Path) -> None:
    game = create("maxconnect4")
    code = """
    import sys
    rows = open(sys.argv[2]).read().split()
    rows[5] = "1000000"; rows[6] = "2"
    open(sys.argv[3], "w", newline="").write("%s".join(rows))
    """
    for end in ("\\r\\n", "\\r\\r\\n", "\\r", "\\n"):
        bot = oneshot_bot(script(tmp_path, code.replace("%s", end)), "maxconnect4", tmp_path)
        assert choose(bot, game, game.start()) == "1"


def test_source_folder_is_copied_for_each_run(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "answers.txt").write_text("1,4 2,3\n")
    code = "import os; print(open('answers.txt').read()); os.remove('answers.txt'); open('junk', 'w')"
    bot = oneshot_bot(script(tmp_path, code), "conga", tmp_path, copied=work)
    game = create("conga")
    assert choose(bot, game, game.start()) == choose(bot, game, game.start()) == "a4b3"
    assert [path.name for path in work.iterdir()] == ["answers.txt"]


@pytest.mark.parametrize(
    ("adapter", "code", "kind", "why"),
    [
        ("mancala", "pass", "no_output", "it wrote no next_state.txt$"),
        ("mancala", "open('next_state.txt','w').write('a b')", "garbage", "something other than numbers"),
        ("mancala", "open('next_state.txt','w').write('4 4 4\\n')", "garbage", "6 pits and two with a store"),
        ("mancala", "open('next_state.txt','w').write('1 1\\n1 1\\n0\\n0')", "garbage", "expected two lines of 6 pits"),
        ("mancala", "open('next_state.txt','w').write('4 4 4 4 4 4\\n'*2+'0\\n0')", "illegal", "no turn leads to"),
        ("mancala", "import os; os.mkfifo('next_state.txt')", "no_output", "it wrote no"),
        ("maxconnect4", "open('output.txt','w').write('123')", "garbage", "output.txt, line 1: expected 7 digits"),
        ("maxconnect4", "open('output.txt','w').write('0000000\\n'*6+'1')", "illegal", "no legal move leads to"),
        ("mancala", "import os; os.symlink('/etc/hostname', 'next_state.txt')", "no_output", "it wrote no"),
        ("maxconnect4", "print('Pieces other than 0, 1, or 2!')", "no_output", "txt; it printed 'Pieces other than 0"),
        ("nkcohcoh", "pass", "no_output", "it printed nothing"),
        ("nkcohcoh", "print('thinking about it')", "garbage", "16 of the .*, not 'thinking about it'"),
        ("nkcohcoh", "print('.' * 15)", "garbage", "expected the board as the last line"),
        ("nkcohcoh", "print('w' * 16)", "illegal", "no legal move leads to the board"),
        ("nkcohcoh", "print('x'); raise SystemExit(4)", "exited", "it exited with status 4"),
        ("nkcohcoh", "import time; time.sleep(60)", "timeout", "it did not finish within"),
        ("nkcohcoh", "import os, time; os.close(1); os.close(2); time.sleep(60)", "timeout", "closed its output"),
        ("nkcohcoh", "while 1: print('x' * 99999)", "flood", "more than 16 MB"),
        ("conga", "print('one four')", "garbage", "expected a move like 1,4 2,3"),
        ("conga", "print('2,2 2,3')", "illegal", "b2b3 is not legal here"),
    ],
)
def test_failing_program_leaves_a_crash_report(adapter: str, code: str, kind: str, why: str, tmp_path: Path) -> None:
    game = create(ADAPTERS[adapter].game)
    bot = oneshot_bot(script(tmp_path, code), adapter, tmp_path)
    seconds = 2.0 if kind == "timeout" else TIMEOUT_S
    with pytest.raises(Failure, match=why) as caught:
        bot.choose(game, game.start(), budget(seconds))
    assert caught.value.kind == kind
    folder = Path(caught.value.evidence)
    assert {path.name for path in folder.iterdir()} >= {
        "run",
        "reproduce.sh",
        "report.json",
        "position.txt",
        "said.txt",
    }


def test_script_reproduces_the_failure(tmp_path: Path) -> None:
    game = create("mancala")
    code = "import sys; print(sys.argv[1:], open('input.txt').read().split()[0])"
    bot = oneshot_bot((*script(tmp_path, code), "--deep", "{depth}", "{in}"), "mancala", tmp_path)
    with pytest.raises(Failure) as caught:
        bot.choose(game, game.start(), budget(10))
    again = subprocess.run(
        [Path(caught.value.evidence) / "reproduce.sh"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert again.stdout == "['--deep', '3', 'input.txt'] 3\n"


def test_placeholders_are_replaced() -> None:
    run = ProgramInput({"in": "input.txt", "depth": "3"}, {})
    assert fill(["prog"], run, "-i {in}") == ["prog", "-i", "input.txt"]
    assert fill(["prog", "--d={depth}", "{in}"], run, "-i {in}") == ["prog", "--d=3", "input.txt"]
    assert fill(["prog", "{}", "{IN}", '{"a":{"b":1}}'], run, "") == ["prog", "{}", "{IN}", '{"a":{"b":1}}']
    assert fill(["awk", "{{print}}", "{in}"], run, "") == ["awk", "{print}", "input.txt"]
    assert fill(["awk", "{{print}}"], run, "-i {in}") == ["awk", "{print}", "-i", "input.txt"]


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_unknown_placeholder_is_reported_at_once(adapter: str) -> None:
    times = "{seconds} {seconds.3}"
    known = {"conga": f"{{depth}} {{side}} {times}", "nkcohcoh": f"{{n}} {{k}} {{board}} {times} {{depth}} {{side}}"}
    names = known.get(adapter, f"{{in}} {{out}} {{depth}} {{side}} {times}")
    for word in ("{nothing}", "--x={nothing}"):
        with pytest.raises(Failure, match=f"unknown placeholder {{nothing}}: use {re.escape(names)}, or {{{{nothing"):
            oneshot_factory(Program(("true", word)), adapter)
    oneshot_factory(Program(("true", "{{nothing}}", *names.split())), adapter)


def test_seconds_are_whole_unless_asked_for(tmp_path: Path) -> None:
    """Many programs read int(argv[4])."""
    game = create("cohcoh")
    given = ADAPTERS["nkcohcoh"].prepare(game, game.start(), 4, 1.992)
    words = fill(["x", "{seconds}", "{seconds.3}", "{{seconds.3}}"], given, "")
    assert words == ["x", "1", "1.992", "{seconds.3}"]
    assert ADAPTERS["nkcohcoh"].prepare(game, game.start(), 4, 0.2).placeholders["seconds"] == "1"


WRONG_LAST_LINE = """
rows = open('input.txt').read().split()
rows[5] = '1' + rows[5][1:]
open('output.txt', 'w').write('\\n'.join(rows[:6] + ['1']))
"""


@pytest.mark.parametrize(
    ("adapter", "code", "move"),
    [
        ("maxconnect4", WRONG_LAST_LINE, "1"),
        ("mancala", "open('next_state.txt','w').write('4 4 4 4 4 4\\n4 4 0 5 5 5\\n7\\nstore: 1')", None),
        ("nkcohcoh", "print('w' + 15 * '.'); print('Time: 0.1 s')", "a4"),
        ("conga", "print('1,4 2,3'); print('Thank you.')", "a4b3"),
    ],
)
def test_unmistakable_move_counts_if_lenient(adapter: str, code: str, move: str | None, tmp_path: Path) -> None:
    game = create(ADAPTERS[adapter].game)
    strict = oneshot_bot(script(tmp_path, code), adapter, tmp_path)
    with pytest.raises(Failure) as caught:
        strict.choose(game, game.start(), budget(20))
    assert caught.value.kind == "garbage"
    lenient = OneShotBot(replace(strict.program, lenient=True), strict.adapter, WorkdirFactory())
    if move is None:  # an extra turn: the file shows a turn that is not over
        with pytest.raises(Failure):
            lenient.choose(game, game.start(), budget(20))
        return
    thought = lenient.choose(game, game.start(), budget(20))
    assert thought.move == move
    assert "lenient: " in str(thought.note)


def test_wrong_stores_count_if_lenient(tmp_path: Path) -> None:
    game = create("mancala", {"start": "0,3/3,1 5,7 1"})
    then = game.play(game.start(), game.moves(game.start())[0])
    top, bottom, *_ = (" ".join(map(str, row)) for row in state_rows(game, then))
    code = f"open('next_state.txt','w').write('{top}\\n{bottom}\\n0\\n0\\n')"
    strict = oneshot_bot(script(tmp_path, code), "mancala", tmp_path)
    lenient = OneShotBot(replace(strict.program, lenient=True), strict.adapter, WorkdirFactory())
    assert choose(lenient, game, game.start()) == game.format(game.start(), game.moves(game.start())[0])
