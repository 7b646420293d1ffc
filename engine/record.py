"""Records: games as text.

    parlour record 1
    game: conga
    option stones: 10
    option max_plies: 400
    seat 0: alice
    seat 1: search
    bot 1: yes
    engine 1: parlour search
    version 1: 1.0.0
    clock: 300+3
    date: 2026-11-16T12:00:00Z
    result: 0-1
    reason: no_moves
    seed: 7

    1 black a4b4 left=297.400 took=2.600
    2 white d1c2 left=299.100 took=0.900 charged=0.850 ; depth 9 value +3

Each move has its own line, so that two games can be compared line by line. A text that would be ambiguous (line breaks,
spaces at either end, a leading quotation mark) is written as a JSON string.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from engine.errors import GameError, InvalidRecord, shorten
from engine.game import REASONS, Game, State
from engine.options import OptionValue
from engine.record_move import TIME_FIELDS, UNKNOWN_SIDE, MoveLine, Played, quote, read_line, unquote
from engine.registry import GAMES, create
from engine.replay import Replay, ending, side_to_move

__all__ = [
    "InvalidRecord",
    "Played",
    "Program",
    "Record",
    "ending",
    "fault",
    "json_moves",
    "parse",
    "play_through",
    "replay",
    "text_lines",
    "to_json",
    "verify",
    "write",
]

FIRST_LINE = "parlour record 1"
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
RULE_REASONS = (*REASONS, "repetition", "ply_limit")  # the reasons that the engine can check
BOT_HEADERS = tuple(f"{name} {side}" for side in (0, 1) for name in ("bot", "engine", "version"))
HEADERS = ("game", "seat 0", "seat 1", *BOT_HEADERS, "clock", "date", "result", "reason", "seed")
IS_BOT = "yes"
SEED_LIMIT = 10**40  # seeds have at most 40 digits


@dataclass(frozen=True, slots=True)
class Program:
    """The program that played on a seat, as far as it told the server."""

    engine: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """A finished or running game. Missing options are set to their defaults, so that equal games compare equal."""

    game: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    seats: tuple[str, str] = ("", "")
    clock: str = ""
    date: str = ""
    result: str = "*"
    reason: str = ""
    seed: int | None = None
    moves: tuple[Played, ...] = ()
    bots: tuple[Program | None, Program | None] = (None, None)  # None for a person

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", dict(self.create().spec.options))
        if self.result not in RESULTS:
            raise InvalidRecord(f"a result must be one of {' '.join(RESULTS)}, not {shorten(self.result)!r}")
        if self.seed is not None and abs(self.seed) >= SEED_LIMIT:
            raise InvalidRecord("a seed must be a whole number of at most 40 digits")

    def create(self) -> Game:
        return create(self.game, self.options)


# -- checking


def play_through(record: Record) -> Replay:
    return Replay.of(record.create(), [played.move for played in record.moves])


def states_of(record: Record) -> Iterator[State]:
    """Yield the start, and the state after each move that can be played."""
    return Replay.steps(record.create(), [played.move for played in record.moves])


def replay(record: Record) -> tuple[Game, list[State]]:
    """Return the game and all states of a record. Raises InvalidRecord for the first move that cannot be played."""
    replayed = play_through(record)
    if replayed.error:
        raise InvalidRecord(replayed.error)
    return replayed.game, list(replayed.states)


def fault(record: Record) -> str:
    """Return what is wrong with a record, or "" if its moves, result and reason agree with the rules."""
    replayed = play_through(record)
    if replayed.error:
        return replayed.error
    ended, ply = replayed.ended, len(record.moves)
    stated = f"{record.result} {shorten(record.reason)!r}" if record.reason else f"{record.result} without a reason"
    if ended is not None and (record.result, record.reason) != (ended.result, ended.reason):
        return f"ply {ply}: the game ended {ended.result} {ended.reason!r}, but the record says {stated}"
    if ended is None and record.reason in RULE_REASONS:
        return f"ply {ply}: the game is not over by the rules, but the record says {stated}"
    if ended is None and record.result != "*" and not record.reason:
        return f"a result needs a reason, but the record says {stated}"
    return ""


def verify(record: Record) -> None:
    """Check the moves, and the result and reason if the rules decide them. Raises InvalidRecord."""
    if wrong := fault(record):
        raise InvalidRecord(wrong)


# -- writing


def write(record: Record) -> str:
    return "".join(text_lines(record))


def text_lines(record: Record) -> Iterator[str]:
    """Yield the lines of a record as text. Each move is replayed when its line is wanted: it can be done in steps."""
    lines = [FIRST_LINE, f"game: {record.game}"]
    lines += [f"option {name}: {quote(str(value))}" for name, value in record.options.items()]
    lines += [f"seat {side}: {quote(name)}" for side, name in enumerate(record.seats)]
    lines += [line for side, program in enumerate(record.bots) for line in bot_lines(side, program)]
    lines += [f"{name}: {quote(getattr(record, name))}" for name in ("clock", "date", "result", "reason")]
    if record.seed is not None:
        lines.append(f"seed: {record.seed}")
    lines.append("")
    yield from (f"{line.rstrip()}\n" for line in lines)
    game, states = record.create(), states_of(record)
    for ply, played in enumerate(record.moves, 1):
        state = next(states, None)  # before the move
        side = UNKNOWN_SIDE if state is None else side_to_move(game, state)
        yield f"{played.line(ply, side).rstrip()}\n"


def bot_lines(side: int, program: Program | None) -> list[str]:
    if program is None:
        return []
    values = {"bot": IS_BOT, "engine": program.engine, "version": program.version}
    return [f"{name} {side}: {quote(value)}" for name, value in values.items() if value]


def to_json(record: Record, moves: Sequence[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return the record as JSON data. `moves`: the result of `json_moves`, if it is known."""
    return {
        "game": record.game,
        "options": dict(record.options),
        "seats": list(record.seats),
        "bots": [None if program is None else asdict(program) for program in record.bots],
        "clock": record.clock,
        "date": record.date,
        "result": record.result,
        "reason": record.reason,
        "seed": record.seed,
        "start": record.create().start_position,
        "moves": list(json_moves(record) if moves is None else moves),
    }


def json_moves(record: Record) -> Iterator[dict[str, Any]]:
    """Yield the moves of a record as JSON data, with the position after each move that can be played.

    Each move is replayed when it is wanted, so it can be done in steps.
    """
    game, states = record.create(), states_of(record)
    before = next(states)
    for ply, played in enumerate(record.moves, 1):
        entry: dict[str, Any] = {"ply": ply, "move": played.move}
        state = next(states, None)
        if state is not None:
            entry |= {"side": before.turn, "position": game.dump(state)}
            before = state
        entry |= {name: ms / 1000 for name in TIME_FIELDS if (ms := getattr(played, name)) is not None}
        if played.note:
            entry["note"] = played.note
        yield entry


# -- reading


class Reader:
    """Reads the lines of a record. Remembers the line number of each header for error messages."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.options: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self.moves: list[MoveLine] = []
        self.first_move = 0

    def header(self, line: str, number: int) -> None:
        name, colon, value = line.partition(":")
        option = name.startswith("option ")
        if not colon or not (option or name in HEADERS):
            raise InvalidRecord(f"expected a header like 'seat 0: alice', not {shorten(line)!r}")
        if name in self.lines:
            raise InvalidRecord(f"header {shorten(name)!r} appears twice")
        self.lines[name] = number
        value = unquote(value.strip())
        (self.options if option else self.headers)[name.removeprefix("option ")] = value
        if name == "result" and value not in RESULTS:
            raise InvalidRecord(f"a result must be one of {' '.join(RESULTS)}, not {shorten(value)!r}")
        if name == "seed":
            read_seed(value)
        if name in ("bot 0", "bot 1") and value != IS_BOT:
            raise InvalidRecord(f"the header {name!r} must be {IS_BOT!r} or absent, not {shorten(value)!r}")

    def read(self, line: str, number: int) -> None:
        if not line.strip():
            self.first_move = self.first_move or (number + 1 if self.headers else 0)
        elif self.first_move:
            self.moves.append(read_line(line, len(self.moves) + 1))
            self.lines[f"ply {len(self.moves)}"] = number
        else:
            self.header(line, number)

    def record(self) -> Record:
        headers = self.headers
        if "game" not in headers:
            raise InvalidRecord("the game is missing: add a header like 'game: conga'")
        try:
            create(headers["game"], self.options)
        except GameError as error:
            raise InvalidRecord(f"line {self.rejected_line()}: {error}") from None
        return Record(
            game=headers["game"],
            options=self.options,
            seats=(headers.get("seat 0", ""), headers.get("seat 1", "")),
            clock=headers.get("clock", ""),
            date=headers.get("date", ""),
            result=headers.get("result", "*"),
            reason=headers.get("reason", ""),
            seed=read_seed(headers["seed"]) if "seed" in headers else None,
            moves=tuple(line.played for line in self.moves),
            bots=(self.program(0), self.program(1)),
        )

    def program(self, side: int) -> Program | None:
        """Return the program of a seat, or None if no header names one."""
        bot, engine, version = (self.headers.get(f"{name} {side}", "") for name in ("bot", "engine", "version"))
        return Program(engine, version) if bot or engine or version else None

    def rejected_line(self) -> int:
        """Return the number of the line with the invalid game, option or start position."""
        game = self.headers["game"]
        if game not in GAMES:
            return self.lines["game"]
        table = {option.name: option for option in GAMES[game].options}
        for name, value in self.options.items():
            try:
                table[name].read(game, value)
            except (KeyError, GameError):
                return self.lines[f"option {name}"]
        return self.lines.get("option start", self.lines["game"])


def read_seed(text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 40):
        raise InvalidRecord(f"a seed must be a whole number of at most 40 digits, not {shorten(text)!r}")
    return int(text)


def parse(text: str) -> Record:
    """Return the record of a text. Raises InvalidRecord with the line number.

    The moves need not be legal: `verify` checks that.
    """
    first, *lines = (line.rstrip("\r") for line in text.split("\n"))
    if first.rstrip() != FIRST_LINE:
        raise InvalidRecord(f"line 1: expected {FIRST_LINE!r}, not {shorten(first)!r}")
    reader = Reader()
    for number, line in enumerate(lines, 2):
        try:
            reader.read(line, number)
        except InvalidRecord as error:
            raise InvalidRecord(f"line {number}: {error}") from None
    record = reader.record()
    replayed = play_through(record)
    for ply, (side, _) in enumerate(reader.moves, 1):
        if replayed.side(ply) != side and UNKNOWN_SIDE not in (side, replayed.side(ply)):
            line_number = reader.lines[f"ply {ply}"]
            raise InvalidRecord(
                f"line {line_number}: ply {ply} is for {replayed.side(ply)} to play, not {shorten(side)!r}"
            )
    return record
