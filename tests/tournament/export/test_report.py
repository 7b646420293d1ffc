from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from client.tournament.export.report import ReportBuilder, fit, reason_text, size
from client.tournament.journal.replay import TournamentState
from client.tournament.model.plan import Contestant, Goal, Plan, Sprt
from client.tournament.model.results import Pairing, Result
from protocol.codec import MAX_MESSAGE_BYTES
from protocol.types import (
    TournamentGame,
    TournamentGoal,
    TournamentReport,
    TournamentRow,
)
from tests.tournament.live import contestants, plan_of
from tests.tournament.simulated import lost_on_time, played, simulate

GAME = Pairing(1, 1, 1, ("ann", "ben"), 1)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def builder(plan: Plan, state: TournamentState, live: Mapping[int, Any] | None = None, **more: Any) -> ReportBuilder:
    runner: Any = SimpleNamespace(plan=plan, state=state, live=live or {})
    return ReportBuilder(runner, **more)


def test_report_on_a_finished_tournament_has_all_results() -> None:
    plan = plan_of("round-robin", contestants(3), games=2, clock="10+0.1")
    state = simulate(plan)
    report = builder(plan, state)()
    assert (report.done, report.total, report.finished, report.open_ended) == (6, 6, True, False)
    assert sum(row.points for row in report.rows) == 6
    assert report.clock.increment == 100
    for at, cells in enumerate(report.crosstable):
        assert cells[at] == "-"
        assert sum(float(cell.partition("/")[0]) for cell in cells if cell != "-") == report.rows[at].points
    assert [game.number for game in report.latest] == [*reversed(state.results)]


def test_bracket_is_reported_unless_it_is_large() -> None:
    plan = plan_of("knockout", contestants(3), games=2)
    state = simulate(plan)
    bye, tie, final = builder(plan, state)().bracket
    assert (bye.first, bye.second, bye.bye, bye.winner) == (plan.names[0], "", True, plan.names[0])
    assert (tie.first, tie.second, tie.left) == (plan.names[1], plan.names[2], 0)
    assert final.winner in plan.names
    assert [one.round for one in (bye, tie, final)] == [1, 1, 2]
    many = tuple(Contestant(f"p{number}", bot="random") for number in range(40))
    assert builder(plan_of("knockout", many, games=2), TournamentState())().bracket == ()


def test_report_on_a_running_tournament_says_how_long_it_takes() -> None:
    plan, clock = plan_of("round-robin", contestants(3), games=2), Clock()
    state = TournamentState()
    build = builder(plan, state, {3: (Pairing(3, 2, 2, ("ann", "cy"), 2), "r3")}, clock=clock)
    assert build().left is None
    state.results[1] = played(plan, GAME)
    clock.now += 30
    report = build()
    assert report.left == 150
    assert [(game.first, game.second, game.room, game.result) for game in report.running] == [("ann", "cy", "r3", "*")]


def test_test_and_goals_are_reported() -> None:
    plan = plan_of("match", contestants(2), games=4, sprt=Sprt(0, 50))
    test = builder(plan, simulate(plan))().sprt
    assert test is not None
    assert (test.player, test.against, test.elo1) == ("ann", "ben", 50)
    assert test.lower < test.llr < test.upper
    goal = Goal("points", "a point", against="random", games=2, points=1.0)
    students = (Contestant("ann", bot="greedy", student=True), Contestant("random", bot="random"))
    report = builder(plan_of("grading", students, goals=(goal,)), TournamentState())()
    assert [(given.student, given.goal, given.verdict) for given in report.goals] == [("ann", "a point", "open")]
    assert (report.goals_met, report.goals_total) == (0, 1)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (Result("1-0", "no_moves"), "no moves left"),
        (Result("1-0", "line"), "a line was completed"),
        (Result("0-1", "resigned"), "ann resigned"),
        (Result("0-1", "time", forfeit="time"), "ann ran out of time"),
        (Result("1-0", "resigned", forfeit="crashed"), "the program of ben failed"),
        (Result("*", "absent", forfeit="absent"), "ann and ben did not join"),
        (Result("1-0", "unheard of"), "unheard of"),
    ],
)
def test_reasons_are_words(result: Result, text: str) -> None:
    assert reason_text(GAME, result) == text


def test_forfeit_is_marked() -> None:
    plan, state = plan_of("match", contestants(2), games=2), TournamentState()
    state.results[1] = lost_on_time(played(plan, GAME))
    report = builder(plan, state)()
    assert report.latest[0].forfeit
    assert sum(row.forfeits for row in report.rows) == 1


def test_large_report_is_shortened_until_it_fits() -> None:
    name, text = "\u4e2d" * 40, "\u4e2d" * 120
    game = TournamentGame(number=10**6, first=name, second=name, room="x" * 20, why=text * 2)
    report = TournamentReport(
        title=text,
        game="conga",
        format="round-robin",
        players=1000,
        rows=(TournamentRow(name=name, points=10**6 + 0.5, games=10**6, elo=-4000, error=4000, seconds=0.123),) * 60,
        crosstable=(("1000.5/1000",) * 24,) * 24,
        running=(game,) * 12,
        latest=(game,) * 12,
        goals=(TournamentGoal(student=name, goal=text, verdict="pass", evidence=text),) * 60,
    )
    assert size(report) > MAX_MESSAGE_BYTES
    shorter = fit(report)
    assert size(shorter) < MAX_MESSAGE_BYTES - 300
    assert len(shorter.rows) == 20
    assert len(shorter.latest) == 4
    assert fit(shorter) == shorter
