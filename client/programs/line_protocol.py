"""The line protocol, pure: what a program is asked, one JSON object a line, and what its answer says.

    {"game": "conga", "options": {…}, "position": "b10,.,…", "side": 0, "moves": ["a4a3", …], "history": [], …}
    a4a3

An answer is the move's text, or {"move": "a4a3", "note": "anything"}. docs/writing-a-bot.md has it on one page.
"""

from __future__ import annotations

import json
from typing import Any

from client.programs.failure import Failure
from client.sdk.bot import Budget, Thought
from client.sdk.note import clean
from engine.errors import GameError, InvalidNotation, shorten
from engine.game import Game, Outcome, Side, State

READY = "ready"


def question(game: Game, state: State, budget: Budget) -> bytes:
    return line(
        {
            "type": "move",
            "game": game.name,
            "options": dict(game.spec.options),
            "position": game.dump(state),
            "side": game.turn(state),
            "moves": list(game.legal(state)),
            "ply": budget.ply,
            "history": list(budget.history),
            "seconds": round(budget.seconds, 3),
            "deadline": round(budget.remaining(), 3),
            "left": None if budget.left is None else round(budget.left, 3),
            "increment": budget.increment,
            "opponent": budget.opponent,
            "room": budget.room,
        }
    )


def beginning(game: Game, side: Side, opponent: str) -> bytes:
    options = dict(game.spec.options)
    return line({"type": "started", "game": game.name, "options": options, "side": side, "opponent": opponent})


def end(game: Game, outcome: Outcome) -> bytes:
    words: dict[str, Any] = {"type": "ended", "game": game.name, "options": dict(game.spec.options)}
    return line(words | {"winner": outcome.winner, "reason": outcome.reason, "scores": outcome.scores})


def line(words: dict[str, Any]) -> bytes:
    return json.dumps(words, separators=(",", ":")).encode()


def answer(game: Game, state: State, text: str) -> Thought:
    """The legal move that an answer names, with its note; Failure if it names none."""
    move, note = read_answer(text)
    try:
        return Thought(game.format(state, game.parse(state, move)), clean(note))
    except InvalidNotation as error:
        raise Failure("garbage", f"it answered {shorten(text)!r}: {error}", move) from None
    except GameError as error:
        raise Failure("illegal", str(error), move) from None


def is_answer(game: Game, state: State, text: str) -> bool:
    try:
        answer(game, state, text)
    except Failure:
        return False
    return True


def read_answer(text: str) -> tuple[str, str]:
    text = text.strip()
    if not text.startswith(("{", '"')):
        return text, ""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Failure("garbage", f"it answered {shorten(text)!r}, which is no JSON") from None
    fields = value if isinstance(value, dict) else {"move": value}
    if "error" in fields:  # how our own processes say that a bot raised an exception
        raise Failure("error", clean(str(fields["error"])))
    move, note = fields.get("move"), fields.get("note", "")
    if not isinstance(move, str | int) or isinstance(move, bool) or not isinstance(note, str):
        raise Failure("garbage", f"it answered {shorten(text)!r}, which has no move and note as texts")
    return str(move), note
