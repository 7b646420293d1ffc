"""A game as text and back, and the endings that need a memory.

    parlour record 1
    game: conga
    option stones: 10
    option max_plies: 400
    seat 0: alice
    seat 1: search
    clock: 300+3
    date: 2026-11-16T12:00:00Z
    result: 0-1
    reason: no_moves
    seed: 7

    1 black a4b4 left=297.400 took=2.600
    2 white d1c2 left=299.100 took=0.900 charged=0.850 ; depth 9 value +3

One line a move, so that two games can be compared line by line. A text that could be mistaken for something else
(line breaks, blanks at its ends, a quotation mark first) stands as a JSON string.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.errors import GameError, InvalidRecord, shorten
from engine.game import Game, Outcome, State
from engine.options import OptionValue, whole
from engine.registry import create

FIRST_LINE = "parlour record 1"
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
RULE_REASONS = ("no_moves", "score", "line", "repetition", "ply_limit")  # the ends the engine itself can tell
TIMES = ("left", "took", "charged")


@dataclass(frozen=True, slots=True)
class Played:
    """One move of a record. Times in milliseconds: left on the clock, taken in truth, charged after credit for lag."""

    move: str
    left: int | None = None
    took: int | None = None
    charged: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    game: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    seats: tuple[str, str] = ("", "")
    clock: str = ""
    date: str = ""
    result: str = "*"
    reason: str = ""
    seed: int | None = None
    moves: tuple[Played, ...] = ()

    def create(self) -> Game:
        return create(self.game, self.options)


def ending(game: Game, states: Sequence[State]) -> Outcome | None:
    """How a game that went through these states has ended, if it has: by its rules, by repetition, by its ply limit."""
    outcome = game.outcome(states[-1])
    if outcome is not None:
        return outcome
    spec = game.spec
    if spec.repetition is not None and states.count(states[-1]) >= spec.repetition:
        return Outcome(None, "repetition")
    if spec.max_plies is not None and len(states) > spec.max_plies:
        return Outcome(None, "ply_limit")
    return None


def replay(record: Record) -> tuple[Game, list[State]]:
    """Every state of a record, from its start; InvalidRecord names the first ply that cannot be."""
    game = record.create()
    states = [game.start()]
    for ply, played in enumerate(record.moves, 1):
        ended = ending(game, states)
        if ended is not None:
            raise InvalidRecord(f"ply {ply}: the game was over already ({ended.result}, {ended.reason})")
        try:
            states.append(game.after(states[-1], game.parse(states[-1], played.move)))
        except GameError as error:
            raise InvalidRecord(f"ply {ply}: {error}") from None
    return game, states


def verify(record: Record) -> None:
    """Check every move, and the result and reason where the rules settle them; InvalidRecord says what is wrong."""
    game, states = replay(record)
    ended = ending(game, states)
    ply, said = len(record.moves), f"{record.result} {record.reason}".strip()
    if ended is not None and (record.result, record.reason) != (ended.result, ended.reason):
        raise InvalidRecord(f"ply {ply}: the game ended {ended.result} {ended.reason}, the record says {said}")
    if ended is None and record.reason in RULE_REASONS:
        raise InvalidRecord(f"ply {ply}: the game is not over, the record says {said}")
    if ended is None and bool(record.reason) != (record.result != "*"):
        raise InvalidRecord(f"result {record.result} and reason {record.reason or '(none)'} do not belong together")


# -- writing


def write(record: Record) -> str:
    game = record.create()
    lines = [FIRST_LINE, f"game: {record.game}"]
    lines += [f"option {name}: {quote(str(value))}" for name, value in game.spec.options.items()]
    lines += [f"seat {side}: {quote(name)}" for side, name in enumerate(record.seats)]
    headers = {"clock": record.clock, "date": record.date, "result": record.result, "reason": record.reason}
    lines += [f"{name}: {quote(value)}" for name, value in headers.items()]
    if record.seed is not None:
        lines.append(f"seed: {record.seed}")
    lines.append("")
    states: list[State | None] = [*_states(record)]
    states += [None] * (len(record.moves) - len(states))
    for ply, (played, state) in enumerate(zip(record.moves, states, strict=False), 1):
        side = "?" if state is None else game.sides[game.turn(state)].replace(" ", "")
        times = "".join(
            f" {name}={ms // 1000}.{ms % 1000:03}" for name in TIMES if (ms := getattr(played, name)) is not None
        )
        note = f" ; {quote(played.note)}" if played.note else ""
        lines.append(f"{ply} {side} {played.move}{times}{note}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _states(record: Record) -> list[State]:
    """The states before each move, as far as the moves can be played."""
    game = record.create()
    states = [game.start()]
    for played in record.moves:
        try:
            states.append(game.after(states[-1], game.parse(states[-1], played.move)))
        except GameError:
            break
    return states


def quote(text: str) -> str:
    plain = text == text.strip() and not text.startswith('"') and len(text.splitlines()) <= 1
    return text if plain and text.isprintable() else json.dumps(text)


def unquote(text: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        raise InvalidRecord(f"{shorten(text)} is not a whole JSON string") from None
    if not isinstance(value, str):
        raise InvalidRecord(f"{shorten(text)} is not a JSON string")
    return value


# -- reading


def parse(text: str) -> Record:
    """The record of a text; InvalidRecord names the line. Moves are read here and judged by `verify`."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    if lines[0] != FIRST_LINE:
        raise InvalidRecord(f"line 1: expected {FIRST_LINE!r}, not {shorten(lines[0])!r}")
    headers: dict[str, str] = {}
    options: dict[str, OptionValue] = {}
    moves: list[Played] = []
    in_moves = False
    for number, line in enumerate(lines[1:], 2):
        try:
            if not line.strip():
                in_moves = in_moves or bool(headers)
            elif in_moves:
                moves.append(_parse_move(line, len(moves) + 1))
            else:
                name, value = _parse_header(line)
                target: dict[str, Any] = options if name.startswith("option ") else headers
                if name.removeprefix("option ") in target:
                    raise InvalidRecord(f"{name!r} stands there twice")
                target[name.removeprefix("option ")] = value
        except InvalidRecord as error:
            raise InvalidRecord(f"line {number}: {error}") from None
    if "game" not in headers:
        raise InvalidRecord("there is no line that says which game it is, like 'game: conga'")
    record = Record(
        game=headers["game"],
        options=options,
        seats=(headers.get("seat 0", ""), headers.get("seat 1", "")),
        clock=headers.get("clock", ""),
        date=headers.get("date", ""),
        result=headers.get("result", "*"),
        reason=headers.get("reason", ""),
        seed=int(headers["seed"]) if "seed" in headers else None,
        moves=tuple(moves),
    )
    return replace(record, options=record.create().spec.options)


def _parse_header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    known = name in ("game", "seat 0", "seat 1", "clock", "date", "result", "reason", "seed")
    if not colon or not (known or name.startswith("option ")):
        raise InvalidRecord(f"expected a header like 'seat 0: alice', not {shorten(line)!r}")
    value = unquote(value.strip())
    if name == "result" and value not in RESULTS:
        raise InvalidRecord(f"a result is one of {' '.join(RESULTS)}, not {shorten(value)!r}")
    if name == "seed" and whole(value) is None:
        raise InvalidRecord(f"a seed is a whole number, not {shorten(value)!r}")
    return name, value


def _parse_move(line: str, ply: int) -> Played:
    body, _, note = line.partition(" ; ")
    words = body.split()
    if len(words) < 3 or words[0] != str(ply):
        raise InvalidRecord(f"expected move {ply} as 'number side move', not {shorten(line)!r}")
    times: dict[str, int] = {}
    for word in words[3:]:
        name, _, seconds = word.partition("=")
        seconds, _, fraction = seconds.partition(".")
        digits = seconds + fraction
        if name not in TIMES or name in times or not (digits.isascii() and digits.isdigit()) or len(fraction) != 3:
            raise InvalidRecord(f"expected a time like left=297.400, not {shorten(word)!r}")
        times[name] = int(digits)
    return Played(words[2], note=unquote(note.strip()), **times)


def to_json(record: Record) -> dict[str, Any]:
    """The record as plain data, with the position after each move as far as the moves can be played."""
    game, states = record.create(), _states(record)
    moves: list[dict[str, Any]] = []
    for ply, played in enumerate(record.moves, 1):
        entry: dict[str, Any] = {"ply": ply, "move": played.move}
        if ply < len(states):
            entry |= {"side": states[ply - 1].turn, "position": game.dump(states[ply])}
        entry |= {name: ms / 1000 for name in TIMES if (ms := getattr(played, name)) is not None}
        if played.note:
            entry["note"] = played.note
        moves.append(entry)
    return {
        "game": record.game,
        "options": dict(game.spec.options),
        "seats": list(record.seats),
        "clock": record.clock,
        "date": record.date,
        "result": record.result,
        "reason": record.reason,
        "seed": record.seed,
        "start": game.dump(game.start()),
        "moves": moves,
    }
