"""Bots that speak the line protocol."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from select import select

import pytest

from client.programs.child import Child
from client.programs.failure import Failure
from client.programs.limits import Limits
from client.programs.line_bot import LineBot, ProgramPool
from client.sdk.bot import Budget
from client.sdk.note import Note
from engine.game import Outcome
from engine.registry import create
from tests.client.programs.conftest import Start
from tests.client.sample_programs import FIRST, budget, program
from tests.waiting import TIMEOUT_S

CONGA = create("conga")


def failing(bot: LineBot, given: Budget | None = None) -> Failure:
    with pytest.raises(Failure) as caught:
        bot.choose(CONGA, CONGA.start(), given or budget())
    return caught.value


def test_program_plays(start: Start, tmp_path: Path) -> None:
    bot = start(program(tmp_path, FIRST))
    thought = bot.choose(CONGA, CONGA.start(), budget())
    assert thought.move == CONGA.legal(CONGA.start())[0]
    assert isinstance(thought.note, Note)
    assert thought.note.wall is not None
    assert not (tmp_path / "forensics").exists()


@pytest.mark.parametrize("first", ["", "input()\n"])
def test_endless_lines_are_a_flood(start: Start, tmp_path: Path, first: str) -> None:
    failure = failing(start(program(tmp_path, f"{first}while 1: print('move ' * 200, flush=True)")))
    assert failure.kind == "flood"
    assert len((Path(failure.evidence) / "said.txt").read_bytes()) <= 64 << 10


def test_one_wrong_line_is_not_a_flood(start: Start, tmp_path: Path) -> None:
    code = "import sys\nprint('loading' * 100)\nfor line in sys.stdin: print('what?' * 100, flush=True)"
    assert failing(start(program(tmp_path, code))).kind == "garbage"


def test_retry_starts_the_program_again(start: Start, tmp_path: Path) -> None:
    code = FIRST.replace(
        "import json, sys\n", "import json, os, sys\nif not os.path.exists('been'): open('been', 'w'); sys.exit(3)\n"
    )
    assert failing(start(program(tmp_path, code))).kind == "exited"
    (tmp_path / "been").unlink()
    assert start(program(tmp_path, code, retries=1)).choose(CONGA, CONGA.start(), budget()).move
    assert len(list((tmp_path / "forensics").iterdir())) == 2


def test_startup_time_is_allowed_in_addition(start: Start, tmp_path: Path) -> None:
    slow = "import time\ntime.sleep(0.6)\n" + FIRST
    patient = program(tmp_path, slow, Limits(startup=TIMEOUT_S, grace=0.1))
    assert start(patient).choose(CONGA, CONGA.start(), budget(0.2)).move
    strict = program(tmp_path, slow, Limits(startup=0.1, grace=0.1))
    assert failing(start(strict), budget(0.2)).kind == "timeout"


BUFFERED = """
import json, sys
buffer = [json.loads(line)["moves"][0] for line in sys.stdin]
print(*buffer, sep="\\n")
"""


@pytest.fixture
def long_listening(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a program time to exit, however slow the machine is."""
    monkeypatch.setattr("client.programs.child.LAST_LINES_TIMEOUT_S", TIMEOUT_S)


@pytest.mark.usefixtures("long_listening")
def test_unflushed_answer_is_reported(start: Start, tmp_path: Path) -> None:
    failure = failing(start(program(tmp_path, BUFFERED, Limits(startup=0.5, grace=0.1))), budget(0.5))
    late = r"no answer after \d\.\d s \(0\.5 s to start and 0\.\d s to answer\)"  # the time left after its start
    hint = "it printed 'a4a3' only when its input ended: flush the output after every line"
    assert failure.kind == "timeout"
    assert re.fullmatch(f"{late}; {hint}", str(failure)), failure
    folder = Path(failure.evidence)
    assert (folder / "said.txt").read_text() == "a4a3\n"
    assert hint in json.loads((folder / "report.json").read_text())["what"]


@pytest.mark.usefixtures("long_listening")
@pytest.mark.parametrize("code", ["input()\ninput()", "for line in open(0): pass\nprint('goodbye')"])
def test_silent_program_is_not_reported_as_unflushed(start: Start, tmp_path: Path, code: str) -> None:
    failure = failing(start(program(tmp_path, code, Limits(startup=0.5, grace=0.1))), budget(0.5))
    assert failure.kind == "timeout"
    assert "flush" not in str(failure)


@pytest.mark.usefixtures("long_listening")
def test_unflushed_ready_is_reported(tmp_path: Path) -> None:
    silent = program(tmp_path, "open(0).read(); print('ready')", ready=True, limits=Limits(startup=1.0, grace=0.1))
    with pytest.raises(Failure, match="it printed 'ready' only when its input ended: flush"):
        ProgramPool(silent).warm()


def test_pool_waits_for_ready(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = start(program(tmp_path, "print('loading')\nprint('ready', flush=True)\n" + FIRST, ready=True))
    bot.pool.warm()
    assert bot.choose(CONGA, CONGA.start(), budget()).move
    listen = Child.listen

    def listen_after_an_error(child: Child, seconds: float) -> str:
        """Let the time to start run out once the program has complained, however slow the machine is."""
        assert select([child.stderr], [], [], TIMEOUT_S)[0]
        return listen(child, 0.1)

    monkeypatch.setattr(Child, "listen", listen_after_an_error)
    never = program(tmp_path, "import time, sys\nprint('no model', file=sys.stderr)\ntime.sleep(600)", ready=True)
    with pytest.raises(Failure, match=r"not ready to play: no line after .* \(no model\)"):
        ProgramPool(never).warm()


def test_healthy_child_plays_the_next_game(start: Start, tmp_path: Path) -> None:
    code = """
    import os, json
    while True:
        print(json.dumps({"move": json.loads(input())["moves"][0], "note": str(os.getpid())}), flush=True)
    """
    pool = start(program(tmp_path, code)).pool
    seen = set()
    for _ in range(3):
        bot = LineBot(pool)
        bot.started(CONGA, 0, "alice")
        note = bot.choose(CONGA, CONGA.start(), budget()).note
        assert isinstance(note, Note)
        seen.add(note.text)
        bot.ended(CONGA, Outcome(0, "no_moves"))
        bot.close()
    assert len(seen) == 1


def test_stopped_program_does_not_play_the_next_game(start: Start, tmp_path: Path) -> None:
    """A game may end while its program is about to answer. The killed program takes a moment to exit."""
    pool = start(program(tmp_path, FIRST)).pool
    for _ in range(5):
        bot = LineBot(pool)
        assert bot.choose(CONGA, CONGA.start(), budget()).move
        bot.stop()
        bot.close()


def test_events_are_sent_if_wanted(start: Start, tmp_path: Path) -> None:
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


def test_stopped_program_leaves_no_report(start: Start, tmp_path: Path) -> None:
    bot = start(program(tmp_path, "import time; time.sleep(600)"))
    given = budget(60)

    def stop() -> None:
        given.cancelled.set()
        bot.stop()

    threading.Timer(0.2, stop).start()
    assert failing(bot, given).kind == "stopped"
    assert not (tmp_path / "forensics").exists()
