"""Programs that speak the line protocol, good ones and bad ones, and the evidence of what they did."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client.programs import line_protocol
from client.programs.failure import Failure
from client.programs.limits import Limits
from client.programs.line_bot import ExecBot, Pool
from client.programs.program import Program, name_of, split
from client.sdk.bot import Budget, Thought
from client.sdk.note import Note
from engine.game import Outcome
from engine.registry import create
from tests.client.programs import FIRST, budget, program

CONGA = create("conga")

Start = Callable[[Program], ExecBot]


@pytest.fixture
def start() -> Iterator[Start]:
    bots: list[ExecBot] = []

    def begin(program: Program) -> ExecBot:
        bots.append(ExecBot(Pool(program)))
        return bots[-1]

    yield begin
    for bot in bots:
        bot.close()
        bot.pool.close()


def failing(bot: ExecBot, given: Budget | None = None) -> Failure:
    with pytest.raises(Failure) as caught:
        bot.choose(CONGA, CONGA.start(), given or budget())
    return caught.value


def test_it_plays(start: Start, tmp_path: Path) -> None:
    bot = start(program(tmp_path, FIRST))
    thought = bot.choose(CONGA, CONGA.start(), budget())
    assert thought.move == CONGA.legal(CONGA.start())[0]
    assert isinstance(thought.note, Note)
    assert thought.note.wall is not None
    assert not (tmp_path / "forensics").exists()


def test_the_question_says_everything() -> None:
    state = CONGA.play(CONGA.start(), CONGA.parse(CONGA.start(), "a4b3"))
    given = Budget(1.5, time.monotonic() + 10, left=60.0, ply=1, side=1, opponent="alice", room="r1", history=("a4b3",))
    asked = json.loads(line_protocol.question(CONGA, state, given))
    deadline = asked.pop("deadline")
    assert 9 < deadline <= 10
    assert asked == {
        "type": "move",
        "game": "conga",
        "options": {"stones": 10, "max_plies": 400},
        "position": CONGA.dump(state),
        "side": 1,
        "moves": list(CONGA.legal(state)),
        "ply": 1,
        "history": ["a4b3"],
        "seconds": 1.5,
        "left": 60.0,
        "increment": 0.0,
        "opponent": "alice",
        "room": "r1",
    }


@pytest.mark.parametrize(
    ("text", "move", "note"),
    [
        ("a4b3", "a4b3", ""),
        ("  a4b3 \r", "a4b3", ""),
        ('"a4b3"', "a4b3", ""),
        ('{"move": "a4b3"}', "a4b3", ""),
        ('{"move": "a4b3", "note": "ha\\nha", "more": 1}', "a4b3", "ha ha"),
    ],
)
def test_answers(text: str, move: str, note: str) -> None:
    assert line_protocol.answer(CONGA, CONGA.start(), text) == Thought(move, note)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "garbage"),
        ("hello", "garbage"),
        ('{"move": ', "garbage"),
        ("[" * 10_000, "garbage"),
        ("{" + '"a":{' * 10_000, "garbage"),
        ('{"move": null}', "garbage"),
        ('{"move": true}', "garbage"),
        ('{"note": "x"}', "garbage"),
        ('{"move": "a4b3", "note": 7}', "garbage"),
        ("\x00\udcff", "garbage"),
        ("a1a2", "illegal"),
        ('{"error": "KeyError: 3"}', "error"),
    ],
)
def test_answers_that_are_none(text: str, kind: str) -> None:
    with pytest.raises(Failure) as caught:
        line_protocol.answer(CONGA, CONGA.start(), text)
    assert caught.value.kind == kind
    assert "\n" not in str(caught.value)


def test_the_evidence_is_kept_and_the_command_reproduces_the_failure(start: Start, tmp_path: Path) -> None:
    code = "import sys\nprint('thinking', file=sys.stderr)\nline = input()\nprint('a1a2', flush=True)\ninput()"
    failure = failing(start(program(tmp_path, code)), Budget(5, time.monotonic() + 5, room="r1", ply=3))
    assert failure.kind == "illegal"
    assert failure.move == "a1a2"
    folder = Path(failure.evidence)
    assert folder.parent == tmp_path / "forensics"
    assert (folder / "position.txt").read_text().strip() == CONGA.dump(CONGA.start())
    assert (folder / "stderr.txt").read_text() == "thinking\n"
    assert (folder / "said.txt").read_text() == "a1a2\n"
    assert json.loads((folder / "given.txt").read_text())["room"] == "r1"
    report = json.loads((folder / "report.json").read_text())
    assert report["kind"] == "illegal"
    assert report["answered"] == "a1a2"
    assert report["exit"] is not None
    assert report["cpu"] > 0
    again = subprocess.run([folder / "reproduce.sh"], capture_output=True, text=True, cwd="/", timeout=30, check=False)
    assert again.stdout == "a1a2\n"
    assert again.stderr.startswith("thinking\n")


@pytest.mark.parametrize("first", ["", "input()\n"])
def test_lines_without_end_are_a_flood(start: Start, tmp_path: Path, first: str) -> None:
    failure = failing(start(program(tmp_path, f"{first}while 1: print('move ' * 200, flush=True)")))
    assert failure.kind == "flood"
    assert len((Path(failure.evidence) / "said.txt").read_bytes()) <= 64 << 10


def test_one_strange_line_is_no_flood(start: Start, tmp_path: Path) -> None:
    code = "import sys\nprint('loading' * 100)\nfor line in sys.stdin: print('what?' * 100, flush=True)"
    assert failing(start(program(tmp_path, code))).kind == "garbage"


def test_retries_start_it_anew(start: Start, tmp_path: Path) -> None:
    code = FIRST.replace(
        "import json, sys\n", "import json, os, sys\nif not os.path.exists('been'): open('been', 'w'); sys.exit(3)\n"
    )
    assert failing(start(program(tmp_path, code))).kind == "exited"
    (tmp_path / "been").unlink()
    assert start(program(tmp_path, code, retries=1)).choose(CONGA, CONGA.start(), budget()).move
    assert len(list((tmp_path / "forensics").iterdir())) == 2


def test_a_slow_start_is_allowed_for(start: Start, tmp_path: Path) -> None:
    slow = "import time\ntime.sleep(0.6)\n" + FIRST
    assert start(program(tmp_path, slow)).choose(CONGA, CONGA.start(), budget(0.2)).move
    strict = program(tmp_path, slow, Limits(startup=0.1, grace=0.1))
    assert failing(start(strict), budget(0.2)).kind == "timeout"


BUFFERED = """
import json, sys
buffer = [json.loads(line)["moves"][0] for line in sys.stdin]
print(*buffer, sep="\\n")
"""


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, a program has the time to end."""
    monkeypatch.setattr("client.programs.child.LISTENING", 20.0)


@pytest.mark.usefixtures("patient")
def test_an_answer_that_was_not_flushed_is_told_so(start: Start, tmp_path: Path) -> None:
    failure = failing(start(program(tmp_path, BUFFERED, Limits(startup=0.5, grace=0.1))), budget(0.5))
    late = r"no answer after \d\.\d s \(0\.5 s to come up and 0\.\d s to answer\)"  # what was left when it was there
    hint = "it said 'a4a3' only when its input ended: it should flush its output after every line"
    assert failure.kind == "timeout"
    assert re.fullmatch(f"{late}; {hint}", str(failure)), failure
    folder = Path(failure.evidence)
    assert (folder / "said.txt").read_text() == "a4a3\n"
    assert hint in json.loads((folder / "report.json").read_text())["what"]


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("code", ["input()\ninput()", "for line in open(0): pass\nprint('goodbye')"])
def test_who_has_no_answer_is_not_said_to_keep_one_back(start: Start, tmp_path: Path, code: str) -> None:
    failure = failing(start(program(tmp_path, code, Limits(startup=0.5, grace=0.1))), budget(0.5))
    assert failure.kind == "timeout"
    assert "flush" not in str(failure)


@pytest.mark.usefixtures("patient")
def test_a_ready_that_was_not_flushed(tmp_path: Path) -> None:
    silent = program(tmp_path, "open(0).read(); print('ready')", ready=True, limits=Limits(startup=1.0, grace=0.1))
    with pytest.raises(Failure, match="it said 'ready' only when its input ended: it should flush"):
        Pool(silent).warm()


def test_a_silence_is_reproduced_as_one(start: Start, tmp_path: Path) -> None:
    """The input stays open as long as it was waited for, which is put off here: its end would bring out the answer."""
    code = """
    import select, sys
    sys.stdin.readline()
    print(f"{len(select.select([sys.stdin], [], [], 0.2)[0])} ends", file=sys.stderr, flush=True)
    sys.stdin.readline()
    """
    failure = failing(start(program(tmp_path, code, Limits(startup=0.5, grace=0.1))), budget(0.5))
    script = Path(failure.evidence) / "reproduce.sh"
    script.write_text(re.sub(r"sleep \d+", "sleep 600", script.read_text()))
    with subprocess.Popen([script], stderr=subprocess.PIPE, start_new_session=True) as again:
        assert again.stderr is not None
        assert again.stderr.readline() == b"0 ends\n"
        os.killpg(again.pid, signal.SIGKILL)


def test_the_evidence_names_the_move_as_a_record_does(start: Start, tmp_path: Path) -> None:
    code = "import sys; input(); sys.exit(3)"
    failure = failing(start(program(tmp_path, code)), Budget(20, time.monotonic() + 20, ply=5))
    assert "-conga-ply6-exited" in failure.evidence
    assert json.loads((Path(failure.evidence) / "report.json").read_text())["ply"] == 6


def test_ready_is_waited_for(start: Start, tmp_path: Path) -> None:
    bot = start(program(tmp_path, "print('loading')\nprint('ready', flush=True)\n" + FIRST, ready=True))
    bot.pool.warm()
    assert bot.choose(CONGA, CONGA.start(), budget()).move
    never = program(tmp_path, "import time, sys\nprint('no model', file=sys.stderr)\ntime.sleep(60)", ready=True,
                    limits=Limits(startup=2.0, grace=0.1))  # fmt: skip
    with pytest.raises(Failure, match=r"not ready to play: no line after .* \(no model\)"):
        Pool(never).warm()


def test_a_healthy_child_plays_the_next_game(start: Start, tmp_path: Path) -> None:
    code = """
    import os, json
    while True:
        print(json.dumps({"move": json.loads(input())["moves"][0], "note": str(os.getpid())}), flush=True)
    """
    pool = start(program(tmp_path, code)).pool
    seen = set()
    for _ in range(3):
        bot = ExecBot(pool)
        bot.started(CONGA, 0, "alice")
        note = bot.choose(CONGA, CONGA.start(), budget()).note
        assert isinstance(note, Note)
        seen.add(note.text)
        bot.ended(CONGA, Outcome(0, "no_moves"))
        bot.close()
    assert len(seen) == 1


def test_events_are_told_to_who_wants_them(start: Start, tmp_path: Path) -> None:
    code = """
    import json, sys
    for line in sys.stdin:
        said = json.loads(line)
        print(said["type"], file=sys.stderr, flush=True)
        if said["type"] == "move":
            print(said["moves"][0], flush=True)
    """
    bot = start(program(tmp_path, code, events=True))
    bot.started(CONGA, 0, "alice")
    bot.choose(CONGA, CONGA.start(), budget())
    child = bot._child
    assert child is not None
    bot.ended(CONGA, Outcome(0, "no_moves", (3, 4)))
    child.close()
    assert child.errors.text().split() == ["started", "move", "ended"]


def test_stopped_from_outside_leaves_no_evidence(start: Start, tmp_path: Path) -> None:
    bot = start(program(tmp_path, "import time; time.sleep(600)"))
    given = budget(60)

    def stop() -> None:
        given.cancelled.set()
        bot.stop()

    threading.Timer(0.2, stop).start()
    assert failing(bot, given).kind == "stopped"
    assert not (tmp_path / "forensics").exists()


def test_commands_that_cannot_be(tmp_path: Path) -> None:
    for command, why in (
        ("", "the command is empty"),
        ("'oops", "cannot be read: no closing quotation"),
        ("no-such-program-here", "there is no program 'no-such-program-here'"),
        ("./nor-this", "there is no program './nor-this'"),
    ):
        with pytest.raises(Failure, match=why):
            split(command, tmp_path)
    (tmp_path / "mine").write_text("#!/bin/sh\n")
    (tmp_path / "mine").chmod(0o755)
    assert split("./mine -x 'a b'", tmp_path) == (str(tmp_path / "mine"), "-x", "a b")


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("./my_program --fast", "my_program"),
        ("python3 exec_bot.py", "exec_bot"),
        ("/usr/bin/python3.12 -u bots/mine.py {in}", "mine"),
        ("java ExecBot", "ExecBot"),
        ("java -Xmx1g -cp build/classes Main", "Main"),
        ("java -jar target/my-bot.jar", "my-bot"),
        ("node exec_bot.js", "exec_bot"),
        ("python3 -m mybot", "mybot"),
        ("sh -c 'echo a4b3'", "sh"),
        ("python3", "python3"),
        (f"./{'x' * 50}", "x" * 32),
    ],
)
def test_what_a_program_is_called(command: str, name: str) -> None:
    assert name_of(shlex.split(command)) == name
