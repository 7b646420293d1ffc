"""Worker process of a bot: `python -m client.bots.worker SPEC` speaks the line protocol.

It is supervised like an external program.
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
    """Play one game after the other, each with a new bot."""

    def __init__(self, construct: Callable[[], Bot], output: TextIO) -> None:
        self._construct, self._output = construct, output
        self._bot: Bot | None = None

    def handle(self, message: dict[str, Any]) -> None:
        """Handle a message of the line protocol: `started`, `move` or `ended`."""
        game = create(message["game"], message["options"])
        if message["type"] == "started" or self._bot is None:
            self._bot = self._construct()
        if message["type"] == "started":
            self._bot.started(game, message["side"], message["opponent"])
        elif message["type"] == "ended":
            scores = message["scores"]
            bot, self._bot = self._bot, None
            bot.ended(game, Outcome(message["winner"], message["reason"], tuple(scores) if scores else None))
            bot.close()
        else:
            self._answer(self._choose(self._bot, game, message))

    def _choose(self, bot: Bot, game: Game, message: dict[str, Any]) -> dict[str, str]:
        state = game.load(message["position"])
        budget = Budget(
            seconds=message["seconds"],
            deadline=time.monotonic() + message["deadline"],
            left=message["left"],
            increment=message["increment"],
            ply=message["ply"],
            side=message["side"],
            opponent=message["opponent"],
            room=message["room"],
            history=tuple(message["history"]),
        )
        answer = bot.choose(game, state, budget)
        try:
            thought = as_thought(game, state, answer)
        except (ValueError, TypeError):  # the parent process reports what is wrong with it
            return {"move": str(getattr(answer, "move", answer))}
        return {"move": str(thought.move), "note": str(thought.note)}

    def _answer(self, answer: dict[str, str]) -> None:
        self._send(json.dumps(answer))

    def _send(self, line: str) -> None:
        self._output.write(f"{line}\n")
        self._output.flush()

    def serve(self, lines: TextIO) -> None:
        """Handle messages until the input ends. Errors of the bot become answers."""
        self._send(READY)
        for line in lines:
            message = json.loads(line)
            try:
                self.handle(message)
            except Exception as error:
                traceback.print_exc()
                if message["type"] == "move":
                    self._answer({"error": f"{type(error).__name__}: {error}"})


def main() -> None:
    output, sys.stdout = sys.stdout, sys.stderr  # a bot's print() must not reach the protocol
    try:
        Worker(BotSpec.load(sys.argv[1]).constructor(), output).serve(sys.stdin)
    except KeyboardInterrupt:
        pass  # the parent process gets the signal too
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
