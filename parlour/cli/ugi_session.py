"""One session of an engine that speaks UGI: commands come in as lines, answers are printed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib.metadata import version
from itertools import pairwise

from engine.errors import GameError
from engine.game import Game
from engine.options import OptionValue
from engine.record import ending
from engine.registry import create
from engine.search import Limits, Report, Thinker

MIN_MOVE_S = 0.01
MOVES_TO_GO = 25  # the clock is divided by this number of moves
CLOCK_MARGIN_S = 0.05  # for the move to reach the runner
TABLE_OPTION = "hash"
MIN_TABLE_MB, MAX_TABLE_MB = 1, 65536


class UgiSession:
    """The game, its position, and the search that runs in a thread."""

    def __init__(self, game: Game, answer: Callable[[str], None], table_mb: float, compiled: bool | None) -> None:
        self._game, self._answer, self._table_mb, self._compiled = game, answer, table_mb, compiled
        self._states = [game.start()]
        self._thinker: Thinker | None = None
        self._cancel = threading.Event()
        self._search: threading.Thread | None = None

    def receive(self, line: str) -> bool:
        """Handle a command. Return False after `quit`. A wrong command is answered with `info string` and no more."""
        word, *rest = line.split() or [""]
        try:
            match word:
                case "" | "debug":
                    pass
                case "ugi":
                    self._introduce()
                case "isready":
                    if self._search is None or not self._search.is_alive():
                        self._prepared()
                    self._answer("readyok")
                case "stop":
                    self._stop()
                case "quit":
                    self._stop()
                    return False
                case "uginewgame":
                    self._stop()
                    self._thinker, self._states = None, [self._game.start()]
                case "setoption":
                    self._stop()
                    self._set_option(rest)
                case "position":
                    self._stop()
                    self._set_position(rest)
                case "query":
                    self._answer(f"response {self._query(rest[0] if rest else '')}")
                case "go":
                    self._stop()
                    self._go(self._limits(rest))
                case _:
                    raise GameError(f"unknown command {word[:40]!r}")
        except GameError as error:
            self._answer(f"info string {error}")
        return True

    def finish(self) -> None:
        """Wait for a search that ends by itself."""
        if self._search is not None and not self._cancel.is_set():
            self._search.join()

    # -- commands

    def _introduce(self) -> None:
        self._answer(f"id name Parlour {version('parlour')} {self._game.name}")
        self._answer("id author the Parlour project")
        limits = f"min {MIN_TABLE_MB} max {MAX_TABLE_MB}"
        self._answer(f"option name {TABLE_OPTION} type spin default {self._table_mb:g} {limits}")
        for option in self._game.options:
            if option.choices:
                choices = " ".join(f"var {choice}" for choice in option.choices)
                self._answer(f"option name {option.name} type combo default {option.default} {choices}")
            elif option.low is not None:
                limits = f"min {option.low} max {option.high}"
                self._answer(f"option name {option.name} type spin default {option.default} {limits}")
        self._answer("ugiok")

    def _set_option(self, words: list[str]) -> None:
        name, _, value = " ".join(words).removeprefix("name ").partition(" value ")
        self._thinker = None
        if name == TABLE_OPTION:
            if not value.isdigit() or not MIN_TABLE_MB <= int(value[:9]) <= MAX_TABLE_MB:
                raise GameError(f"{TABLE_OPTION} must be a number from {MIN_TABLE_MB} to {MAX_TABLE_MB}")
            self._table_mb = int(value)
            return
        given: dict[str, OptionValue] = dict(self._game.spec.options)
        self._game = create(self._game.name, {**given, name: int(value) if value.isdigit() else value})
        self._states = [self._game.start()]

    def _set_position(self, words: list[str]) -> None:
        text, _, moves = " ".join(words).partition(" moves ")
        kind, _, position = text.partition(" ")
        if kind not in ("startpos", "fen") or (kind == "fen") != bool(position.strip()):
            raise GameError("position needs startpos, or fen and a position")
        state = self._game.load(position.strip()) if kind == "fen" else self._game.start()
        states = [state]
        for move in moves.split():
            states.append(self._game.play(states[-1], self._game.parse(states[-1], move)))
        self._states = states

    def _query(self, question: str) -> str:
        outcome = ending(self._game, self._states)
        match question:
            case "p1turn":
                return "true" if self._game.turn(self._states[-1]) == 0 else "false"
            case "gameover":
                return "false" if outcome is None else "true"
            case "result":
                if outcome is None:
                    return "none"
                return "draw" if outcome.winner is None else f"p{outcome.winner + 1}win"
        raise GameError(f"unknown query {question[:40]!r}: use p1turn, gameover or result")

    def _limits(self, words: list[str]) -> Limits:
        numbers: dict[str, int] = {}
        for name, value in pairwise(words):
            if name.isalnum() and not name.isdigit() and value.lstrip("-").isdigit():
                numbers[name] = max(0, int(value[:15]))
        side = self._game.turn(self._states[-1]) + 1
        seconds = None
        if "movetime" in numbers:
            seconds = numbers["movetime"] / 1000
        elif f"p{side}time" in numbers:
            left, increment = numbers[f"p{side}time"] / 1000, numbers.get(f"p{side}inc", 0) / 1000
            seconds = min(left / MOVES_TO_GO + 0.8 * increment, left - CLOCK_MARGIN_S)
        if seconds is not None:
            seconds = max(MIN_MOVE_S, seconds)
        return Limits(seconds, numbers.get("nodes") or None, numbers.get("depth") or None)

    # -- the search

    def _prepared(self) -> Thinker:
        if self._thinker is None:
            self._thinker = Thinker(self._game, self._table_mb, self._compiled, endgames=True)
        return self._thinker

    def _go(self, limits: Limits) -> None:
        if ending(self._game, self._states) is not None:
            self._answer("info string the game is over")
            self._answer("bestmove none")
            return
        self._cancel = threading.Event()
        self._search = threading.Thread(target=self._think, args=(limits, self._cancel), daemon=True)
        self._search.start()

    def _think(self, limits: Limits, cancel: threading.Event) -> None:
        state = self._states[-1]
        report = self._prepared().think(state, limits, cancel, self._inform, self._states[:-1])
        move = report.move if report.move is not None else self._game.moves(state)[0]
        self._answer(f"bestmove {self._game.format(state, move)}")

    def _inform(self, report: Report) -> None:
        state, line = self._states[-1], []
        for move in report.line:
            line.append(self._game.format(state, move))
            state = self._game.after(state, move)
        self._answer(
            f"info depth {report.depth} score cp {round(100 * report.value)} nodes {report.nodes} "
            f"time {round(1000 * report.seconds)} pv {' '.join(line)}"
        )

    def _stop(self) -> None:
        self._cancel.set()
        if self._search is not None:
            self._search.join()
            self._search = None
