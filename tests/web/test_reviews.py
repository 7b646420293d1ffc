"""The review of a finished game and the puzzles, in a real browser: marks, graph, exercises, and accessibility."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import expect

from client.sdk.session import Session
from engine.puzzles import Puzzle
from engine.registry import GAMES
from protocol.commands import Move, Resign
from server.app import Running
from server.handlers.puzzles import puzzles_of
from tests.client.bots.test_reviewer import reviewing
from tests.e2e.local_server import seat_two
from tests.long import first_always, long
from tests.web.conftest import Visit
from tests.web.test_pages import AXE, RULES, close, players
from tests.web.visitor import Visitor

MOVES = ("a1", "b1", "a2", "d4", "d1", "c4")  # a2 and what follows lose by proof


@pytest_asyncio.fixture(loop_scope="session")
async def reviewed(server: Running) -> AsyncIterator[str]:
    """Return a finished game on a server with a reviewer."""
    ann, ben = await players(server, "ann", "ben")
    room = await seat_two(ann, ben, "cohcoh", options={"n": 4, "k": 3})
    for ply, move in enumerate(MOVES):
        player: Session = (ann, ben)[ply % 2]
        await player.ask(Move(id=player.id(), room=room, ply=ply, move=move))
    await ben.ask(Resign(id=ben.id(), room=room))
    async with reviewing(server):
        yield room
    await close(ann, ben)


async def show_review(eve: Visitor, room: str) -> None:
    await eve.open(f"/game/{room}")
    await eve.button("Review this game").click()
    await expect(eve.find(".review .accuracy")).to_be_visible()


async def test_review_shows_marks_accuracy_and_the_better_move(reviewed: str, visit: Visit) -> None:
    eve = await visit()
    await show_review(eve, reviewed)
    await expect(eve.find(".accuracy dd:last-of-type")).to_contain_text("%")
    marks = eve.find(".moves .mark.down")
    await expect(marks).not_to_have_count(0)
    await expect(eve.button("Review this game")).to_have_count(0)
    await marks.first.click()
    await expect(eve.find(".verdict")).to_contain_text("Better:")
    await eve.find(".review .actions .btn").first.click()
    await expect(eve.find("parlour-board .picked")).not_to_have_count(0)
    graph = eve.find(".review .graph")
    await graph.click(position={"x": 2, "y": 10})
    await eve.expect_text(".notices", "Position after move 0")


async def test_mistakes_become_exercises(reviewed: str, visit: Visit) -> None:
    eve = await visit()
    await show_review(eve, reviewed)
    await eve.find(".review .actions .btn").last.click()
    await eve.expect_text(".exercise", "Find a better move")
    await eve.expect_text(".exercise", "was played")
    played = (await eve.find(".exercise .task").inner_text()).partition(" was played")[0].split()[-1]
    await eve.button("Hint").click()
    solution = await eve.find("parlour-board .picked").first.get_attribute("data-cell")
    await eve.cell(played).click()  # another move may be as good as the solution
    await eve.expect_text(".exercise .task.wrong", "Try again")
    await eve.cell(solution or "").click()
    await eve.expect_text(".exercise .task.solved", f"Right: {solution}")
    await eve.button("Stop").click()
    await eve.expect_text(".result", " wins")


EXERCISE = """
const module = new URL("exercise.js", document.querySelector("script[type=module]").src);
import(module).then(({ Exercise }) => ["c3", "b2", "a1"].map((move) => {
  const task = { legal: [{ move: "a1", path: ["a1"] }, { move: "b2", path: ["b2"] }], solution: "a1", also: ["b2"] };
  const exercise = new Exercise({ ...task, played: "d4", wrong: "", right: "It goes on with c1." });
  exercise.try(move);
  return [exercise.state, exercise.text, exercise.marked];
}))"""


async def test_moves_that_are_as_good_solve_an_exercise(visit: Visit) -> None:
    eve = await visit()
    assert await eve.page.evaluate(EXERCISE) == [
        ["wrong", "c3 is not the move. Try again.", []],
        ["solved", "Right: b2 is as good as a1.", ["b2"]],
        ["solved", "Right: a1. It goes on with c1.", ["a1"]],
    ]


async def test_players_learn_from_their_own_mistakes_only(reviewed: str, visit: Visit) -> None:
    """A watcher sees those of both sides."""
    eve = await visit()
    await show_review(eve, reviewed)
    shown = await eve.find(".moves .mark:not(.up)").count()
    await eve.expect_text(".review .actions", f"Learn from {shown} mistakes" if shown > 1 else "Learn from the mistake")


async def test_refusal_is_shown(server: Running, visit: Visit) -> None:
    ann, ben = await players(server, "ann", "ben")
    room = await seat_two(ann, ben, "cohcoh")
    await ann.ask(Move(id=ann.id(), room=room, ply=0, move="a1"))
    await ben.ask(Resign(id=ben.id(), room=room))
    eve = await visit(f"/game/{room}")
    await eve.button("Review this game").click()
    await eve.expect_text(".notices", "no reviewer is connected")
    await close(ann, ben)


async def play_path(eve: Visitor, puzzle: Puzzle, move: str) -> None:
    game = puzzle.create()
    for cell in game.path(game.start(), game.parse(game.start(), move)):
        await eve.cell(cell).click()


@pytest.mark.parametrize("game", first_always(GAMES))
async def test_puzzle_is_solved_on_the_board(visit: Visit, game: str) -> None:
    eve = await visit(f"/puzzles/{game}")
    puzzle = puzzles_of(game)[0]
    await eve.expect_text(".exercise", "One move")
    wrong = next(move for move in puzzle.create().legal(puzzle.state()) if move != puzzle.move)
    await play_path(eve, puzzle, wrong)
    await eve.expect_text(".exercise .task.wrong", "Try again")
    await play_path(eve, puzzle, puzzle.move)
    await eve.expect_text(".exercise .task.solved", f"Right: {puzzle.move}")
    await eve.expect_text(".puzzles .side", "1 of")
    await eve.button("Next").click()
    await eve.expect_text(".exercise", "Puzzle 2")
    await eve.open(f"/puzzles/{game}")
    await eve.expect_text(".exercise", "Puzzle 2")
    await eve.button("Hard").click()
    await expect(eve.find(".exercise small")).to_contain_text("level")
    await eve.button("Solution").click()
    await eve.expect_text(".exercise .task.shown", "The move was")


@pytest.mark.parametrize("theme", [*long("light"), "dark"])
async def test_new_pages_are_accessible_and_fit_a_phone(reviewed: str, visit: Visit, theme: Any) -> None:
    eve = await visit(bypass_csp=True, color_scheme=theme, reduced_motion="reduce", width=400)
    for _ in range(2):
        await show_review(eve, reviewed)
        await check(eve)
        await eve.find(".review .actions .btn").last.click()
        await eve.find(".exercise .task").wait_for()
        await check(eve)
        await eve.open("/puzzles")
        await eve.find(".exercise .task").wait_for()
        await check(eve)
        await eve.page.set_viewport_size({"width": 1280, "height": 800})


async def check(eve: Visitor) -> None:
    results = await AXE.run(eve.page, options=RULES)
    assert results.violations_count == 0, f"{eve.page.url}: {results.generate_report()}"
    width = await eve.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert width == 0, "the page does not scroll sideways"
