"""The report on a running tournament that its server shows to others. It has a limited size."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice

from client.sdk.time_control import parse_time_control
from client.tournament.export.grades import grades, passed
from client.tournament.export.tables import crosstable
from client.tournament.formats.knockout import BracketTie
from client.tournament.formats.schedule import expected_games
from client.tournament.formats.standings import Row, Standings, standings
from client.tournament.model.plan import Plan
from client.tournament.model.results import Pairing, Result
from client.tournament.play.runner import Runner
from protocol.codec import MAX_MESSAGE_BYTES, MSGPACK
from protocol.commands import ReportTournament
from protocol.types import (
    TournamentGame,
    TournamentGoal,
    TournamentReport,
    TournamentRow,
    TournamentTest,
    TournamentTie,
    replace,
)

MAX_ROWS, MAX_CROSSTABLE_ROWS, MAX_RUNNING, MAX_LATEST, MAX_GOALS, MAX_NEXT = 60, 24, 12, 12, 60, 6
MAX_FIRST_TIES = 16  # of a bracket
MAX_TEXT_CHARS = 120
MAX_NAME_CHARS = 40
MAX_ELO_ERROR = 9999.0
NAME_RESERVE_BYTES = 512  # of a command, for the name of the tournament
FORFEIT_TEXTS = {
    "time": "{loser} ran out of time",
    "illegal_moves": "{loser} made too many illegal moves",
    "abandoned": "{loser} left the game",
    "garbage": "{loser} answered with something that is not a move",
    "no_output": "{loser} wrote no output file",
    "crashed": "the program of {loser} failed",
    "absent": "{loser} did not join",
}
REASON_TEXTS = {
    "no_moves": "no moves left",
    "score": "decided by points",
    "line": "a line was completed",
    "repetition": "third repetition",
    "ply_limit": "move limit reached",
    "resigned": "{loser} resigned",
    "agreed": "draw agreed",
    "adjudicated": "adjudicated",
}
Shorten = Callable[[TournamentReport], TournamentReport]
SHORTENINGS: tuple[Shorten, ...] = (
    lambda report: replace(report, crosstable=(), next=()),
    lambda report: replace(report, goals=report.goals[:10], bracket=()),
    lambda report: replace(report, rows=report.rows[:20]),
    lambda report: replace(report, latest=report.latest[:4], running=report.running[:4]),
    lambda report: replace(report, goals=report.goals[:3]),
)
VERDICTS = {"H1": "yes", "H0": "no", "": ""}


class ReportBuilder:
    """Builds reports on the tournament of a runner."""

    def __init__(self, runner: Runner, clock: Callable[[], float] = time.monotonic) -> None:
        self._runner, self._clock = runner, clock
        self._began, self._done_before = clock(), len(runner.state.results)

    def __call__(self) -> TournamentReport:
        """Return the report on the current state, as large as a command may be."""
        plan, state = self._runner.plan, self._runner.state
        table = standings(plan, state.results)
        found = grades(plan, state)
        total = expected_games(plan, table.schedule)
        done = sum(game.number in state.results for game in table.schedule.games)
        return fit(
            TournamentReport(
                title=plan.name[:MAX_TEXT_CHARS],
                game=plan.game,
                format=plan.format,
                players=len(plan.players),
                options={name: value for name, value in plan.options.items() if name != "start"},
                clock=parse_time_control(plan.clock),
                done=done,
                total=total,
                open_ended=not table.schedule.final,
                finished=table.finished,
                left=None if table.finished else self._seconds_left(total - done),
                rows=tuple(map(report_row, table.rows[:MAX_ROWS])),
                crosstable=report_crosstable(table),
                bracket=report_bracket(table),
                running=tuple(running_game(*live) for live in list(self._runner.live.values())[:MAX_RUNNING]),
                latest=latest_games(table, self._runner),
                next=next_games(table, self._runner),
                sprt=report_test(table, plan),
                goals=tuple(
                    TournamentGoal(
                        student=student[:MAX_NAME_CHARS],
                        goal=grade.goal.name[:MAX_TEXT_CHARS],
                        verdict=grade.verdict,
                        evidence=grade.evidence[:MAX_TEXT_CHARS],
                    )
                    for student, row in sorted(found.items())
                    for grade in row
                )[:MAX_GOALS],
                goals_met=sum(map(passed, found.values())),
                goals_total=sum(map(len, found.values())),
            )
        )

    def _seconds_left(self, games: int) -> int | None:
        """Return about how long the known games will still take, None before the first result of this run."""
        done = len(self._runner.state.results) - self._done_before
        return round((self._clock() - self._began) / done * games) if done else None


def report_row(row: Row) -> TournamentRow:
    return TournamentRow(
        name=row.name[:MAX_NAME_CHARS],
        points=row.points,
        games=row.games,
        wins=row.wins,
        draws=row.draws,
        losses=row.losses,
        elo=round(row.rating.elo) if row.games else None,
        error=round(min(row.rating.error, MAX_ELO_ERROR)) if row.games else 0,
        seconds=round(row.used.total / row.used.moves / 1000, 3) if row.used.moves else 0.0,
        forfeits=row.forfeits.total(),
    )


def report_crosstable(table: Standings) -> tuple[tuple[str, ...], ...]:
    """Return the cells of the crosstable, without numbers and names; nothing if it is large or has two players."""
    if not 2 < len(table.rows) <= MAX_CROSSTABLE_ROWS:
        return ()
    return tuple(tuple(cells[2:-1]) for cells in crosstable(table)[1:])


def report_bracket(table: Standings) -> tuple[TournamentTie, ...]:
    """Return the bracket of a knockout tournament; nothing if it is large."""
    if not table.bracket or len(table.bracket[0]) > MAX_FIRST_TIES:
        return ()
    return tuple(report_tie(number, tie) for number, ties in enumerate(table.bracket, 1) for tie in ties)


def report_tie(number: int, tie: BracketTie) -> TournamentTie:
    return TournamentTie(
        round=number,
        first=tie.first[:MAX_NAME_CHARS],
        second=tie.second[:MAX_NAME_CHARS],
        first_points=tie.points[0],
        second_points=tie.points[1],
        left=tie.left,
        winner=tie.winner[:MAX_NAME_CHARS],
        bye=tie.is_bye,
    )


def running_game(game: Pairing, room: str) -> TournamentGame:
    first, second = (name[:MAX_NAME_CHARS] for name in game.seats)
    return TournamentGame(number=game.number, round=game.round, first=first, second=second, room=room)


def latest_games(table: Standings, runner: Runner) -> tuple[TournamentGame, ...]:
    """Return the latest results first. The order of the log is the order in which games ended."""
    games = {game.number: game for game in table.schedule.games}
    ended = [(games[number], result) for number, result in runner.state.results.items() if number in games]
    return tuple(ended_game(game, result) for game, result in reversed(ended[-MAX_LATEST:]))


def next_games(table: Standings, runner: Runner) -> tuple[TournamentGame, ...]:
    """Return the games that come next, in the order of the schedule."""
    begun = {*runner.state.results, *runner.live}
    waiting = (game for game in table.schedule.games if game.number not in begun)
    return tuple(running_game(game, "") for game in islice(waiting, MAX_NEXT))


def ended_game(game: Pairing, result: Result) -> TournamentGame:
    return replace(
        running_game(game, result.room),
        result=result.result,
        why=reason_text(game, result)[: 2 * MAX_TEXT_CHARS],
        forfeit=bool(result.forfeit),
        moves=sum(side.moves for side in result.used),
    )


def reason_text(game: Pairing, result: Result) -> str:
    """Return why a game ended: `third repetition`, `ann resigned`, `ben ran out of time`."""
    if result.forfeit:
        losers = [name for name, lost in zip(game.seats, result.forfeited, strict=True) if lost]
        text = FORFEIT_TEXTS.get(result.forfeit, "{loser} lost by " + result.forfeit)
        return text.replace("{loser}", " and ".join(losers))
    loser = "" if result.loser is None else game.seats[result.loser]
    return REASON_TEXTS.get(result.reason, result.reason).replace("{loser}", loser)


def report_test(table: Standings, plan: Plan) -> TournamentTest | None:
    status, test = table.sprt, plan.sprt
    if status is None or test is None:
        return None
    return TournamentTest(
        player=plan.names[0][:MAX_NAME_CHARS],
        against=plan.names[1][:MAX_NAME_CHARS],
        llr=round(status.ratio, 3) + 0.0,
        lower=round(status.lower, 3),
        upper=round(status.upper, 3),
        elo0=test.elo0,
        elo1=test.elo1,
        pairs=status.pairs,
        verdict=VERDICTS[status.verdict],  # type: ignore[arg-type]  # the values are verdicts
        model=test.model,
    )


def fit(report: TournamentReport) -> TournamentReport:
    """Return the report, shortened until it fits into a command."""
    for shorten in SHORTENINGS:
        if size(report) <= MAX_MESSAGE_BYTES - NAME_RESERVE_BYTES:
            break
        report = shorten(report)
    return report


def size(report: TournamentReport) -> int:
    return len(MSGPACK.encode(ReportTournament(id=2**53, name="", report=report)))
