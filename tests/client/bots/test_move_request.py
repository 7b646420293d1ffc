from __future__ import annotations

from pathlib import Path

import pytest

from client.bots.move_request import BotSource, request_move, with_times
from client.programs.failure import Failure
from client.sdk.bot import Answer, Bot, Budget, Thought
from client.sdk.note import Note
from engine.game import Game, State
from engine.registry import create
from tests.client.sample_programs import budget
from tests.waiting import TIMEOUT_S

GAME = create("maxconnect4")


class Scripted(Bot):
    """Returns a fixed answer, or raises it."""

    def __init__(self, answer: Answer | Exception) -> None:
        self._answer = answer

    def choose(self, game: Game, state: State, budget: Budget) -> Answer:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


class Hanging(Bot):
    stopped = False

    def choose(self, game: Game, state: State, budget: Budget) -> int:
        budget.cancelled.wait(TIMEOUT_S)
        return 3

    def stop(self) -> None:
        self.stopped = True


async def request(bot: Bot, folder: Path, seconds: float = TIMEOUT_S, cpu_clock: bool = False) -> Thought:
    return await request_move(bot, GAME, GAME.start(), budget(seconds), BotSource(("mine.py",), folder, cpu_clock))


async def test_legal_move_is_returned_as_text(tmp_path: Path) -> None:
    assert (await request(Scripted(3), tmp_path)).move == "4"


async def test_times_are_added_on_request(tmp_path: Path) -> None:
    note = (await request(Scripted(Thought(3, "value +1")), tmp_path, cpu_clock=True)).note
    assert isinstance(note, Note)
    assert note.value == 1.0
    assert note.wall is not None
    assert note.cpu is not None


def test_times_that_a_program_measured_are_kept() -> None:
    thought = Thought("4", Note(cpu=0.5))
    assert with_times(thought, 2.0, 1.0) is thought


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        (99, "illegal", "100 is not legal here"),
        (KeyError("x"), "error", "KeyError: 'x'"),
        (object(), "error", "TypeError: choose"),
    ],
)
async def test_failure_leaves_a_crash_report(answer: Answer | Exception, kind: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(Failure, match=text) as caught:
        await request(Scripted(answer), tmp_path)
    assert caught.value.kind == kind
    assert Path(caught.value.evidence).parent == tmp_path


async def test_late_bot_is_stopped(tmp_path: Path) -> None:
    bot = Hanging()
    with pytest.raises(Failure, match=r"no answer after 0\.1 s") as caught:
        await request(bot, tmp_path, seconds=0.1)
    assert caught.value.kind == "timeout"
    assert bot.stopped


def test_command_reproduces_the_request() -> None:
    source = BotSource(("mine.py", "--seed", "3"))
    state = GAME.after(GAME.start(), 3)
    words = source.reproduce_command(GAME, state, Budget(1.0, 0.0, history=("4",)), 2.0)
    assert words[words.index("bot") + 1 :][:5] == ["mine.py", "--seed", "3", "--ask", "maxconnect4"]
    assert words[-6:] == ["--moves", "4", "--seconds", "1.000", "--deadline", "2.000"]
    words = source.reproduce_command(GAME, state, Budget(1.0, 0.0), 2.0)
    assert words[words.index("--position") + 1] == GAME.dump(state)
