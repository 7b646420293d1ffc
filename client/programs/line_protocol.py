"""The line protocol, without input or output: requests are JSON objects, one per line; an answer is a line.

    {"game": "conga", "options": {…}, "position": "b10,.,…", "side": 0, "moves": ["a4a3", …], "history": [], …}
    a4a3

An answer is a move, or {"move": "a4a3", "note": "any text"}. docs/writing-a-bot.md describes the protocol.
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


def encode_move_request(game: Game, state: State, budget: Budget) -> bytes:
    """Return the line that asks for a move."""
    return encode(
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


def encode_started(game: Game, side: Side, opponent: str) -> bytes:
    """Return the line that announces the start of a game."""
    options = dict(game.spec.options)
    return encode({"type": "started", "game": game.name, "options": options, "side": side, "opponent": opponent})


def encode_ended(game: Game, outcome: Outcome) -> bytes:
    """Return the line that announces the end of a game."""
    fields: dict[str, Any] = {"type": "ended", "game": game.name, "options": dict(game.spec.options)}
    return encode(fields | {"winner": outcome.winner, "reason": outcome.reason, "scores": outcome.scores})


def encode(fields: dict[str, Any]) -> bytes:
    """Return a JSON object as one line."""
    return json.dumps(fields, separators=(",", ":")).encode()


def parse_answer(game: Game, state: State, text: str) -> Thought:
    """Return the move of an answer, with its note. Raises Failure if there is no legal move."""
    move, note = split_answer(text)
    try:
        return Thought(game.format(state, game.parse(state, move)), clean(note))
    except InvalidNotation as error:
        raise Failure("garbage", f"it answered {shorten(text)!r}: {error}", move) from None
    except GameError as error:
        raise Failure("illegal", str(error), move) from None


def is_answer(game: Game, state: State, text: str) -> bool:
    """Return whether a line is an answer with a legal move."""
    try:
        parse_answer(game, state, text)
    except Failure:
        return False
    return True


def split_answer(text: str) -> tuple[str, str]:
    """Return the move and the note of an answer. Raises Failure if it has none, or reports an exception."""
    text = text.strip()
    if not text.startswith(("{", '"')):
        return text, ""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Failure("garbage", f"it answered {shorten(text)!r}, which is not valid JSON") from None
    fields = value if isinstance(value, dict) else {"move": value}
    if "error" in fields:  # client/bots/worker.py reports an exception of a bot this way
        raise Failure("error", clean(str(fields["error"])))
    move, note = fields.get("move"), fields.get("note", "")
    if not isinstance(move, str | int) or isinstance(move, bool) or not isinstance(note, str):
        raise Failure("garbage", f"it answered {shorten(text)!r}, which has no move and note as texts")
    return str(move), note
