from __future__ import annotations

import pytest

from engine.puzzles import shipped_puzzles
from engine.registry import GAMES
from protocol.commands import Boards, Puzzle, Resign
from protocol.replies import Ok
from server.handlers import puzzles
from server.handlers.puzzles import puzzles_of
from tests.server.conftest import Build
from tests.server.domain.helpers import EVE
from tests.server.fakes import Harness
from tests.server.rooms.helpers import start_game


@pytest.mark.parametrize("game", GAMES)
async def test_puzzle_has_all_that_a_client_without_rules_needs(server: Harness, game: str) -> None:
    eve = server.connect(EVE)
    levels = (await server.ask(eve, Puzzle, game=game)).levels
    assert len(levels) == len(shipped_puzzles(game)) >= 200
    assert list(levels) == sorted(levels), "easy ones come first"
    for number in (0, len(levels) - 1):
        found = (await server.ask(eve, Puzzle, game=game, number=number)).puzzle
        known = puzzles_of(game)[number]
        assert (found.number, found.level, found.turn) == (number, levels[number], known.state().turn)
        assert found.solution in [legal.move for legal in found.legal]
        assert all(legal.path and legal.board for legal in found.legal)
        assert len(found.board) == sum(name is not None for row in found.layout.rows for name in row)
        assert "One move" in found.task


async def test_puzzle_is_computed_once(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    eve = server.connect(EVE)
    first = (await server.ask(eve, Puzzle, game="conga", number=7)).puzzle
    monkeypatch.setattr(puzzles, "Position", None)
    assert (await server.ask(eve, Puzzle, game="conga", number=7)).puzzle is first


async def test_unknown_puzzles_are_refused(server: Harness) -> None:
    eve = server.connect(EVE)
    assert (await server.ask(eve, Puzzle, game="chess")).code == "unknown_game"
    assert (await server.ask(eve, Puzzle, game="conga", number=100_000)).code == "bad_request"


async def test_legal_moves_of_a_finished_game(build: Build) -> None:
    server = await build()
    live, ann, _ = await start_game(server, game="conga")
    room = live.room.id
    assert (await server.ask(ann, Boards, room=room, legal=True)).code == "too_early"
    await server.ask(ann, Resign, room=room)
    reply = await server.ask(ann, Boards, room=room, legal=True)
    assert isinstance(reply, Ok)
    assert {legal.move for legal in reply.legal or ()} == set(live.room.game.legal(live.room.state))
    assert len(reply.boards or ()) == 1
    assert (await server.ask(ann, Boards, room=room, ply=1, legal=True)).code == "bad_request"
