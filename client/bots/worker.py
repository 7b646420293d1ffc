"""A bot in its own process: `python -m client.bots.worker SPEC` speaks client/programs/line_protocol.py.

The supervision is the same as for programs that are not ours.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, TextIO

from client.bots.spec import BotSpec
from client.programs.line_protocol import READY
from client.sdk.bot import Bot, Budget, as_thought
from engine.game import Game, Outcome
from engine.registry import create


class Worker:
    """One game after the other, each with a bot of its own."""

    def __init__(self, make: Callable[[], Bot], answers: TextIO) -> None:
        self._make, self._answers = make, answers
        self._bot: Bot | None = None

    def hear(self, said: dict[str, Any]) -> None:
        game = create(said["game"], said["options"])
        if said["type"] == "started" or self._bot is None:
            self._bot = self._make()
        if said["type"] == "started":
            self._bot.started(game, said["side"], said["opponent"])
        elif said["type"] == "ended":
            scores = said["scores"]
            bot, self._bot = self._bot, None
            bot.ended(game, Outcome(said["winner"], said["reason"], tuple(scores) if scores else None))
            bot.close()
        else:
            self._answer(self._choose(self._bot, game, said))

    def _choose(self, bot: Bot, game: Game, said: dict[str, Any]) -> dict[str, str]:
        state = game.load(said["position"])
        budget = Budget(
            seconds=said["seconds"],
            deadline=time.monotonic() + said["deadline"],
            left=said["left"],
            increment=said["increment"],
            ply=said["ply"],
            side=said["side"],
            opponent=said["opponent"],
            room=said["room"],
            history=tuple(said["history"]),
        )
        answer = bot.choose(game, state, budget)
        try:
            thought = as_thought(game, state, answer)
        except (ValueError, TypeError):  # whoever asked says what is wrong with it
            return {"move": str(getattr(answer, "move", answer))}
        return {"move": str(thought.move), "note": str(thought.note)}

    def _answer(self, words: dict[str, str]) -> None:
        print(json.dumps(words), file=self._answers, flush=True)

    def serve(self, lines: TextIO) -> None:
        print(READY, file=self._answers, flush=True)
        for line in lines:
            said = json.loads(line)
            try:
                self.hear(said)
            except Exception as error:
                traceback.print_exc()
                if said["type"] == "move":
                    self._answer({"error": f"{type(error).__name__}: {error}"})


def main() -> None:
    answers, sys.stdout = sys.stdout, sys.stderr  # what a bot prints is no answer
    try:
        Worker(BotSpec.read(sys.argv[1]).maker(), answers).serve(sys.stdin)
    except KeyboardInterrupt:
        pass  # whoever started us is told too
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
