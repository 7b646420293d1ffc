"""Texts about a tournament, for the terminal and for plain lines."""

from __future__ import annotations

from client.presentation.texts import clock_text, counted
from engine.registry import GAMES
from protocol.types import TournamentGame, TournamentReport, TournamentRow, TournamentTest
from runtime.printable import printable

SILENT_AFTER_S = 150.0  # a running tournament reports once a minute
FORMATS = {
    "round-robin": "round robin",
    "gauntlet": "gauntlet",
    "swiss": "Swiss system",
    "knockout": "knockout",
    "match": "match",
    "grading": "grading",
    "ladder": "ladder",
}
GOAL_MARKS = {"pass": "met", "fail": "not met", "open": "open"}


def header_texts(report: TournamentReport) -> list[str]:
    """Return the title, the game, the format and the clock."""
    game = GAMES[report.game].title if report.game in GAMES else printable(report.game)
    form = f"{FORMATS.get(report.format, printable(report.format))} of {counted(report.players, 'player')}"
    clock = [] if report.clock.kind == "none" else [clock_text(report.clock)]
    return [printable(report.title), game, form, *clock]


def progress_text(report: TournamentReport) -> str:
    """Return how many games have been played: `41 of 60 games`, `12 of about 30 games`.

    A sequential test has a largest number of games, which it rarely needs: `26 of at most 1000 games`. A ladder has no
    end: `5000 games`.
    """
    if report.finished or report.format == "ladder":
        return counted(report.done, "game")
    about = "" if not report.open_ended else "at most " if report.sprt is not None else "about "
    return f"{report.done} of {about}{counted(report.total, 'game')}"


def state_text(report: TournamentReport, age_s: float) -> str:
    """Return whether the tournament is finished, running or silent, and how long it will still take."""
    if report.finished:
        return "finished"
    if age_s > SILENT_AFTER_S:
        return f"no news for {counted(round(age_s / 60), 'minute')}"
    if report.left is None or (report.open_ended and report.sprt is not None):
        return "running"
    minutes = round(report.left / 60)
    return f"about {counted(minutes, 'minute')} left" if minutes else "less than a minute left"


def row_name(row: TournamentRow) -> str:
    """Return the name of a player, with its state on a ladder: `ann 1.2 (retired)`."""
    return printable(row.name) + (f" ({row.state})" if row.state else "")


def elo_text(row: TournamentRow, report: TournamentReport) -> str:
    """Return a rating with its interval: relative to the average of a tournament, on the scale of a ladder."""
    if row.elo is None:
        return ""
    elo = str(row.elo) if report.format == "ladder" else f"{row.elo:+d}"
    return f"{elo} fixed" if row.state == "anchor" else f"{elo} ± {row.error}"


def pairing_text(game: TournamentGame) -> str:
    return f"{printable(game.first)} – {printable(game.second)}"


def result_text(game: TournamentGame) -> str:
    """Return a result as a score: `1 – 0`, `½ – ½`."""
    return {"1-0": "1 – 0", "0-1": "0 – 1", "1/2-1/2": "½ – ½"}.get(game.result, "no result")


def why_text(game: TournamentGame) -> str:
    return f"{'forfeit: ' if game.forfeit else ''}{printable(game.why)}"


def test_text(test: TournamentTest) -> str:
    """Return the question of a sequential test and its answer so far."""
    verdict = {"yes": "yes", "no": "no"}.get(test.verdict, "undecided")
    return (
        f"Is {printable(test.player)} stronger than {printable(test.against)}? {verdict.capitalize()} after "
        f"{counted(test.pairs, 'pair')}: {test.llr:.2f} ({test.lower:.2f} to {test.upper:.2f})"
    )
