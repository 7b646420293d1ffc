"""Show the progress of a tournament: a screen on a terminal, plain lines elsewhere, or JSON lines."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import time
from collections.abc import Callable
from functools import partial

from client.tournament.export.report import reason_text
from client.tournament.export.tables import HEADINGS, columns, row_cells
from client.tournament.formats.standings import standings
from client.tournament.model.results import Pairing, Result
from client.tournament.play.runner import GameUpdate, Runner
from runtime.printable import print_line, printable

BAR_WIDTH = 30
REDRAW_INTERVAL_S = 0.5
HIDE_CURSOR, SHOW_CURSOR, CLEAR_BELOW = "\x1b[?25l", "\x1b[?25h", "\x1b[J"
REDRAW_COST_FACTOR = 20  # wait at least this many times as long as drawing takes
MAX_LIVE_GAMES = 8

Print = Callable[[str], None]
PRINT_AT_ONCE: Print = partial(print_line, flush=True)


def result_line(game: Pairing, result: Result) -> str:
    first, second = game.seats
    why = f"{'forfeit, ' if result.forfeit else ''}{reason_text(game, result)}"
    return f"game {game.number}, round {game.round}: {first} - {second} {result.result} ({why})"


class LineOutput:
    """Prints one line per event."""

    def __init__(self, out: Print = PRINT_AT_ONCE) -> None:
        self._out = out

    def message(self, text: str) -> None:
        self._out(text)

    def update(self, update: GameUpdate) -> None:
        if update.result is not None:
            self._out(result_line(update.game, update.result))
        elif update.kind == "again":
            self._out(f"game {update.game.number}: room {update.room} ended without a result, playing again")

    async def show(self, runner: Runner) -> None:
        """Redraw the screen. Plain lines have none."""


class JsonOutput(LineOutput):
    """Prints one JSON object per event."""

    def message(self, text: str) -> None:
        self._out(json.dumps({"type": "said", "text": text}))

    def update(self, update: GameUpdate) -> None:
        game = update.game
        entry = {
            "type": update.kind,
            "game": game.number,
            "round": game.round,
            "seats": game.seats,
            "room": update.room,
        }
        if update.result is not None:
            result = update.result
            entry |= {"result": result.result, "reason": result.reason, "forfeit": result.forfeit}
        self._out(json.dumps(entry, ensure_ascii=False))


class Screen:
    """Lines of a terminal that are drawn again in place. They may contain texts of strangers."""

    def __init__(self) -> None:
        self._drawn = 0

    def draw(self, lines: list[str]) -> None:
        width, height = shutil.get_terminal_size()
        lines = [printable(line)[: width - 1] for line in lines[: height - 2]]
        back = f"\x1b[{self._drawn}A" if self._drawn else ""
        sys.stdout.write(f"\r{back}{CLEAR_BELOW}" + "".join(f"{line}\n" for line in lines))
        sys.stdout.flush()
        self._drawn = len(lines)


class ScreenOutput(LineOutput):
    """Redraws a progress bar, the table and the running games in place."""

    def __init__(self) -> None:
        super().__init__(self._keep)
        self._recent: list[str] = []
        self._screen = Screen()

    def _keep(self, line: str) -> None:
        self._recent = [*self._recent[-4:], line]

    def message(self, text: str) -> None:
        print_line(text, flush=True)

    async def show(self, runner: Runner) -> None:
        try:
            sys.stdout.write(HIDE_CURSOR)
            while True:
                began = time.monotonic()
                self._screen.draw(screen_lines(runner, self._recent))
                spent = time.monotonic() - began
                await asyncio.sleep(max(REDRAW_INTERVAL_S, REDRAW_COST_FACTOR * spent))
        finally:
            self._screen.draw(screen_lines(runner, []))
            sys.stdout.write(SHOW_CURSOR)
            sys.stdout.flush()


def screen_lines(runner: Runner, recent: list[str]) -> list[str]:
    table = standings(runner.plan, runner.state.results)
    known = table.schedule
    done = sum(game.number in runner.state.results for game in known.games)
    total = max(1, len(known.games))
    full = BAR_WIDTH * done // total
    more = "" if known.final else ", more to follow"
    lines = [f"[{'#' * full}{'.' * (BAR_WIDTH - full)}] {done} of {len(known.games)} games{more}", ""]
    lines += columns([HEADINGS, *(row_cells(number, row, table) for number, row in enumerate(table.rows, 1))])
    live = [live_line(runner, game, room) for game, room in list(runner.live.values())[:MAX_LIVE_GAMES]]
    hidden = len(runner.live) - len(live)
    lines += ["", *live, *([f"and {hidden} more"] if hidden > 0 else [])]
    return [*lines, *([""] if recent else []), *recent]


def live_line(runner: Runner, game: Pairing, room: str) -> str:
    view = runner.view(room) if room else None
    state = "…" if view is None else "waiting" if view.status == "waiting" else f"move {view.ply}"
    return f"game {game.number}: {game.seats[0]} - {game.seats[1]}, {state} {room}"
