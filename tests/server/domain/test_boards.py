"""Boards agree with the engine for every game, and follow the log of a room."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine.game import Game
from engine.registry import create
from protocol.commands import Takeback
from protocol.events import AnyEvent, Moved, Started
from server.domain.boards import MAX_PREVIEW_CELLS, BoardLog, Position, cell_names, layout
from tests.engine.variants import NAMES, VARIANTS, Variant, positions
from tests.server.domain.helpers import ANN, BEN, NOW, do, move, running

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=NAMES)
ALL = frozenset({"board", "legal", "preview"})


def drawn(game: Game, position: str) -> dict[str, tuple[int | None, int]]:
    """Return owner and count by cell, as the engine draws a position."""
    cells = game.draw(game.load(position)).cells()
    return {cell.name: (cell.owner, cell.count if cell.owner is not None else 0) for cell in cells}


class Recorder:
    """A room, the events since its start, and its boards."""

    def __init__(self, game: str = "cohcoh", **terms: Any) -> None:
        self.room = running(game, **terms)
        self.events: list[AnyEvent] = []
        self.log = BoardLog(self.room.game)
        self.log.add(
            Started(room="r1", seq=self.room.seq, at=NOW, position=self.room.game.start_position, turn=self.room.turn)
        )

    def play(self, *texts: str) -> None:
        for text in texts:
            self.take(move(self.room, (ANN, BEN)[self.room.turn], text))

    def take(self, decision: Any) -> None:
        self.room = decision.room
        for event in decision.events:
            self.log.add(event)
            self.events.append(event)


@every_variant
def test_layout_names_every_cell_once(variant: Variant) -> None:
    game = create(*variant)
    plan = layout(game)
    names = [name for row in plan.rows for name in row if name is not None]
    assert tuple(names) == cell_names(game)
    assert len(set(names)) == len(names)
    assert {len(row) for row in plan.rows} == {len(plan.files)}
    assert len(plan.rows) == len(plan.ranks)
    assert plan.kind in ("stacks", "pits", "discs", "marbles")


@every_variant
def test_board_and_legal_moves_agree_with_the_engine(variant: Variant) -> None:
    for game, state in list(positions(variant, 1))[::4]:
        position = Position(game, state)
        assert dict(zip(cell_names(game), position.board, strict=True)) == drawn(game, game.dump(state))
        legal = position.legal(preview=True)
        assert {one.move for one in legal} == set(game.legal(state))
        small = len(legal) * len(position.board) <= MAX_PREVIEW_CELLS
        for one in legal:
            number = game.parse(state, one.move)
            assert one.path == game.path(state, number)
            assert one.board == (Position(game, game.after(state, number)).board if small else None)
        assert all(one.board is None for one in position.legal(preview=False))


@pytest.mark.parametrize(
    ("game", "kind", "colours"),
    [
        ("conga", "stacks", ("black", "white")),
        ("mancala", "pits", ("clay", "slate")),
        ("maxconnect4", "discs", ("red", "green")),
        ("cohcoh", "marbles", ("white", "black")),
    ],
)
def test_layout_has_the_kind_and_colours_of_each_game(game: str, kind: str, colours: tuple[str, str]) -> None:
    plan = layout(create(game))
    assert (plan.kind, plan.colours) == (kind, colours)


def test_game_without_a_kind_is_drawn_by_its_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, kind in (("conga", "stacks"), ("cohcoh", "marbles")):
        game = type(create(name))({})
        monkeypatch.setattr(game, "kind", "", raising=False)
        assert layout(game).kind == kind


@every_variant
def test_events_carry_what_changed_and_where_the_move_ended(variant: Variant) -> None:
    name, options = variant
    if create(*variant).outcome(create(*variant).start()) is not None or create(*variant).pointless():
        pytest.skip("no game can start here")
    record, rng = Recorder(name, options=options), random.Random(7)
    game = record.room.game
    for _ in range(60):
        if record.room.status == "ended":
            break
        before, state = drawn(game, game.dump(record.room.state)), record.room.state
        record.play(rng.choice(game.legal(state)))
        moved = next(event for event in reversed(record.events) if isinstance(event, Moved))
        after = drawn(game, moved.position)
        filled = record.log.fill_in(moved, ALL)
        assert filled.board is not None
        assert dict(zip(cell_names(game), filled.board, strict=True)) == after
        assert filled.changed == tuple(cell for cell in after if after[cell] != before[cell])
        number = game.parse(state, moved.move)
        assert filled.last[: len(game.path(state, number))] == game.path(state, number)
        assert filled.last[-1] == game.end_of(state, number)


def test_takeback_shows_the_earlier_board_and_the_move_that_still_stands() -> None:
    record = Recorder()
    record.play("a1", "b1", "c1")
    record.take(do(record.room, ANN, Takeback))
    record.take(do(record.room, BEN, Takeback))
    back = record.events[-1]
    filled = record.log.fill_in(back, ALL)  # type: ignore[arg-type]
    assert (filled.changed, filled.last) == (("c1",), ("b1",))
    assert filled.legal is not None
    assert "c1" in {one.move for one in filled.legal}
    record.play("d4")
    assert [position.last for position in record.log.line(record.room.seq)] == [(), ("a1",), ("b1",), ("d4",)]
    assert [position.last for position in record.log.line(back.seq - 1)] == [(), ("a1",), ("b1",), ("c1",)]


def test_only_the_newest_position_has_legal_moves() -> None:
    record = Recorder()
    record.play("a1", "b1")
    first, second = record.events
    assert record.log.fill_in(first, ALL).legal is None  # type: ignore[arg-type]
    assert record.log.fill_in(second, ALL).legal is not None  # type: ignore[arg-type]


def test_each_wish_is_granted_by_itself() -> None:
    record = Recorder()
    record.play("a1")
    (event,) = record.events
    assert isinstance(event, Moved)
    assert record.log.fill_in(event, frozenset()) == event
    board = record.log.fill_in(event, frozenset({"board"}))
    assert (board.legal, board.changed) == (None, ("a1",))
    legal = record.log.fill_in(event, frozenset({"legal"}))
    assert (legal.board, legal.changed, legal.last) == (None, (), ())
    assert legal.legal is not None
    assert all(one.board is None for one in legal.legal)


def test_equal_boards_share_their_cells() -> None:
    record = Recorder()
    record.play("a1", "b1")
    first, *_, last = record.log.line(record.room.seq)
    assert all(one is two for one, two in zip(first.board, last.board, strict=True) if one == two)


@pytest.mark.parametrize(("game", "near"), [("conga", 1), ("mancala", 0), ("maxconnect4", None), ("cohcoh", None)])
def test_layout_names_the_side_at_the_bottom(game: str, near: int | None) -> None:
    rules = create(game)
    assert layout(rules).near == near
    if near is not None:
        bottom = rules.draw(rules.start()).rows[-1]
        assert near in {cell.owner for cell in bottom if cell is not None}
