"""What is seen of a tournament while it is played: a screen at a terminal, quiet lines elsewhere, or JSON lines."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import time
from collections.abc import Callable

from client.tournament.export.tables import HEADS, cells, columns
from client.tournament.formats.standings import standings
from client.tournament.model.results import Pairing, Result
from client.tournament.play.runner import News, Runner

BAR = 30
EVERY = 0.5  # seconds between two pictures
HIDE, SHOW, CLEAR = "\x1b[?25l", "\x1b[?25h", "\x1b[J"
SHARE = 20  # times what a picture costs, so that it never costs much
MOST_LIVE = 8

Print = Callable[[str], None]


def result_line(game: Pairing, result: Result) -> str:
    first, second = game.seats
    lost = f", forfeit: {result.forfeit}" if result.forfeit else ""
    return f"game {game.number}, round {game.round}: {first} - {second} {result.result} ({result.reason}){lost}"


class Lines:
    """One line for everything that happens."""

    def __init__(self, out: Print = print) -> None:
        self._out = out

    def say(self, sentence: str) -> None:
        self._out(sentence)

    def news(self, news: News) -> None:
        if news.result is not None:
            self._out(result_line(news.game, news.result))
        elif news.kind == "again":
            self._out(f"game {news.game.number}: room {news.room} has come to nothing; once more")

    async def show(self, runner: Runner) -> None:
        """There is nothing to be drawn again and again."""


class JsonLines(Lines):
    """One object for everything that happens, for programs."""

    def say(self, sentence: str) -> None:
        self._out(json.dumps({"type": "said", "text": sentence}))

    def news(self, news: News) -> None:
        game = news.game
        entry = {"type": news.kind, "game": game.number, "round": game.round, "seats": game.seats, "room": news.room}
        if news.result is not None:
            result = news.result
            entry |= {"result": result.result, "reason": result.reason, "forfeit": result.forfeit}
        self._out(json.dumps(entry, ensure_ascii=False))


class Screen(Lines):
    """A bar, the running table and the games under way, drawn anew in the same place."""

    def __init__(self) -> None:
        super().__init__(self._keep)
        self._said: list[str] = []
        self._drawn = 0

    def _keep(self, line: str) -> None:
        self._said = [*self._said[-4:], line]

    def say(self, sentence: str) -> None:
        print(sentence, flush=True)

    async def show(self, runner: Runner) -> None:
        try:
            sys.stdout.write(HIDE)
            while True:
                began = time.monotonic()
                self._draw(picture(runner, self._said))
                spent = time.monotonic() - began
                await asyncio.sleep(max(EVERY, SHARE * spent))
        finally:
            self._draw(picture(runner, []))
            sys.stdout.write(SHOW)
            sys.stdout.flush()

    def _draw(self, lines: list[str]) -> None:
        width, height = shutil.get_terminal_size()
        lines = [line[: width - 1] for line in lines[: height - 2]]
        back = f"\x1b[{self._drawn}A" if self._drawn else ""
        sys.stdout.write(f"\r{back}{CLEAR}" + "".join(f"{line}\n" for line in lines))
        sys.stdout.flush()
        self._drawn = len(lines)


def picture(runner: Runner, said: list[str]) -> list[str]:
    table = standings(runner.plan, runner.story.results)
    known = table.schedule
    done = sum(game.number in runner.story.results for game in known.games)
    total = max(1, len(known.games))
    full = BAR * done // total
    more = "" if known.final else ", more to follow"
    lines = [f"[{'#' * full}{'.' * (BAR - full)}] {done} of {len(known.games)} games{more}", ""]
    lines += columns([HEADS, *(cells(number, row, table) for number, row in enumerate(table.rows, 1))])
    live = [live_line(runner, game, room) for game, room in list(runner.live.values())[:MOST_LIVE]]
    hidden = len(runner.live) - len(live)
    lines += ["", *live, *([f"and {hidden} more"] if hidden > 0 else [])]
    return [*lines, *([""] if said else []), *said]


def live_line(runner: Runner, game: Pairing, room: str) -> str:
    table = runner.table(room) if room else None
    state = "…" if table is None else "waiting" if table.status == "waiting" else f"move {table.ply}"
    return f"game {game.number}: {game.seats[0]} - {game.seats[1]}, {state} {room}"
