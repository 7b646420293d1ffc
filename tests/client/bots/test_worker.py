from __future__ import annotations

import io
import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from client.bots.factory import spec_factory
from client.bots.spec import BotSpec
from client.bots.worker import Worker
from client.programs.failure import Failure
from client.sdk.bot import Bot, Budget, as_thought
from client.sdk.note import Note
from engine.game import Game, Outcome, State
from engine.registry import create
from tests.client.sample_programs import budget

GAME = create("maxconnect4")


class Recorder(Bot):
    calls: list[str] = []

    def started(self, game: Game, side: int, opponent: str) -> None:
        self.calls.append(f"started {side} {opponent}")

    def choose(self, game: Game, state: State, budget: Budget) -> int:
        if budget.ply == 7:
            raise ValueError("ply 7")
        return 99 if budget.ply == 9 else 3

    def ended(self, game: Game, outcome: Outcome) -> None:
        self.calls.append(f"ended {outcome.reason}")

    def close(self) -> None:
        self.calls.append("close")


def message(kind: str, **more: object) -> dict[str, Any]:
    move = {
        "position": GAME.dump(GAME.start()), "seconds": 1.0, "deadline": 2.0, "left": None, "increment": 0.0, "ply": 0,
        "side": 0, "opponent": "alice", "room": "r", "history": [],
    }  # fmt: skip
    return {"type": kind, "game": "maxconnect4", "options": {}, **move, **more}


def answers(*messages: dict[str, Any]) -> list[dict[str, str]]:
    """Return the worker's answers, without the line that says it is ready."""
    output = io.StringIO()
    lines = io.StringIO("".join(json.dumps(message) + "\n" for message in messages))
    Worker(Recorder, output).serve(lines)
    return [json.loads(line) for line in output.getvalue().splitlines()[1:]]


def test_moves_and_errors_become_answers() -> None:
    assert answers(message("move"), message("move", ply=7), message("move", ply=9)) == [
        {"move": "4", "note": ""},
        {"error": "ValueError: ply 7"},
        {"move": "99"},
    ]


def test_hooks_are_called_and_each_game_gets_a_new_bot() -> None:
    Recorder.calls.clear()
    ended = message("ended", winner=0, reason="score", scores=[3, 1])
    assert answers(message("started"), ended, message("started", side=1)) == []
    assert Recorder.calls == ["started 0 alice", "ended score", "close", "started 1 alice"]


def test_bot_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "apart.py"
    path.write_text(
        textwrap.dedent(
            """
            import os
            from parlour import Bot, Note, Thought

            class Apart(Bot):
                isolation = "process"
                def started(self, game, side, opponent):
                    self.opponent = opponent
                def choose(self, game, state, budget):
                    print("this is not an answer")
                    if budget.ply == 7:
                        raise ValueError("ply 7")
                    if budget.ply == 9:
                        return 999
                    return Thought(game.moves(state)[0], Note(value=1.5, text=f"{os.getpid()} {self.opponent}"))
            """
        )
    )
    factory = spec_factory(BotSpec(str(path)), tmp_path / "forensics")
    game = create("conga")
    bot = factory.make()
    try:
        bot.started(game, 0, "alice")
        thought = as_thought(game, game.start(), bot.choose(game, game.start(), budget(20)))
        assert isinstance(thought.note, Note)
        assert thought.note.value == 1.5
        assert thought.note.cpu is not None
        pid, opponent = thought.note.text.split()
        assert opponent == "alice"
        assert Path(f"/proc/{pid}").exists() or not Path("/proc").exists()
        with pytest.raises(Failure, match="ValueError: ply 7") as caught:
            bot.choose(game, game.start(), Budget(5, budget(20).deadline, ply=7))
        assert caught.value.kind == "error"
        assert 'raise ValueError("ply 7")' in (Path(caught.value.evidence) / "stderr.txt").read_text()
        with pytest.raises(Failure) as caught:
            bot.choose(game, game.start(), Budget(5, budget(20).deadline, ply=9))
        assert caught.value.kind == "garbage"
    finally:
        bot.close()
        factory.close()
