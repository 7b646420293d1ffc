"""Balanced openings."""

from __future__ import annotations

import json
import threading

import pytest

from client.tournament.formats.openings import Openings
from client.tournament.formats.openings_balanced import BalancedOpenings, Cancelled, evaluate, search_version
from client.tournament.model.chosen_opening import ChosenOpening, first_band, fits, value_text
from engine.registry import create
from engine.search import Limits, Thinker
from tests.long import long

FEW_NODES = 3000


def test_no_opening_is_lost_where_random_ones_are() -> None:
    game = create("cohcoh", {})
    balanced, drawn, thinker = BalancedOpenings(game, 1, 6), Openings(game, 1, 6), Thinker(game)
    assert any(thinker.solve(game.load(drawn.get(number)), Limits()).value for number in range(1, 5))
    positions = [balanced.get(number).position for number in range(1, 5)]
    assert [thinker.solve(game.load(position), Limits()).value for position in positions] == [0, 0, 0, 0]
    assert {(opening.value, opening.proved, fits(game, opening)) for opening in balanced.known} == {(0, True, True)}
    assert len({opening.position for opening in balanced.known}) == 4


@pytest.mark.parametrize("name", ["maxconnect4", *long("conga", "mancala")])
def test_compiled_and_plain_search_choose_the_same_openings(name: str) -> None:
    game = create(name, {})
    pytest.importorskip("numba")
    compiled, plain = (BalancedOpenings(game, 7, 3, nodes=FEW_NODES, compiled=how) for how in (True, False))
    assert compiled.get(2) == plain.get(2)
    assert compiled.known == plain.known
    band = first_band(game)
    assert all(abs(opening.value) <= band == opening.band for opening in plain.known)


def test_value_is_that_of_the_first_player() -> None:
    game = create("mancala", {"pits": 2, "stones": 1})
    seconds_turn = next(
        after for move in game.moves(game.start()) if game.turn(after := game.after(game.start(), move)) == 1
    )
    value = evaluate(game, game.dump(seconds_turn), FEW_NODES, compiled=False)
    assert value.proved
    assert value.value == -Thinker(game, compiled=False).solve(seconds_turn, Limits()).value != 0


def test_known_openings_are_continued() -> None:
    game = create("maxconnect4", {})
    whole = BalancedOpenings(game, 2, 4, nodes=FEW_NODES)
    whole.get(5)
    rest = BalancedOpenings(game, 2, 4, whole.known[:2], nodes=FEW_NODES)
    assert rest.get(5) == whole.known[4]
    assert [ChosenOpening.read(json.loads(json.dumps(entry.dump()))) for entry in whole.known] == rest.known


def test_band_is_widened_before_an_opening_is_repeated() -> None:
    game = create("mancala", {"pits": 2, "stones": 2})
    found = BalancedOpenings(game, 1, 1, compiled=False)
    count = len(game.moves(game.start()))
    found.get(count + 1)
    assert len({opening.position for opening in found.known}) == count
    assert found.known[-1].position in {opening.position for opening in found.known[:-1]}
    assert all(fits(game, opening) for opening in found.known)


def test_decided_opening_is_taken_only_if_there_is_no_other() -> None:
    game = create("cohcoh", {"n": 3, "k": 2})
    found = BalancedOpenings(game, 1, 1, compiled=False)
    assert found.get(1).proved
    assert (found.get(1).band, abs(found.get(1).value)) == (None, 1)


def test_without_any_candidate_the_game_begins_at_the_usual_position() -> None:
    game = create("cohcoh", {"n": 2, "k": 2})
    assert BalancedOpenings(game, 1, 9, compiled=False).get(1).position == game.start_position


def test_choice_can_be_cancelled_and_repeated() -> None:
    game, cancel = create("maxconnect4", {}), threading.Event()
    found = BalancedOpenings(game, 1, 4, cancel=cancel, nodes=FEW_NODES)
    first = found.get(1)
    cancel.set()
    with pytest.raises(Cancelled):
        found.get(4)
    cancel.clear()
    assert found.get(4) == BalancedOpenings(game, 1, 4, [first], nodes=FEW_NODES).get(4)


@pytest.mark.parametrize("wrong", [{"value": 9.0}, {"band": 5.0}, {"value": 1, "proved": True}])
def test_value_outside_its_band_does_not_fit(wrong: dict[str, object]) -> None:
    game = create("cohcoh", {})
    good = {"position": "", "value": 0, "depth": 3, "proved": True, "band": first_band(game), "search": "x"}
    assert fits(game, ChosenOpening.read(good))
    assert fits(game, ChosenOpening.read({**good, "band": 8 * first_band(game)}))
    assert not fits(game, ChosenOpening.read({**good, **wrong}))


def test_band_of_another_version_fits() -> None:
    game = create("cohcoh", {})
    opening = ChosenOpening("", 4.0, 3, False, 5.0, "x")
    assert fits(game, opening, same_version=False)
    assert not fits(game, ChosenOpening("", 6.0, 3, False, 5.0, "x"), same_version=False)


@pytest.mark.parametrize(
    "wrong", [{"value": "0"}, {"value": float("nan")}, {"proved": 1}, {"depth": 1.5}, {"position": 1}, {"band": "x"}]
)
def test_entry_with_a_wrong_type_is_refused(wrong: dict[str, object]) -> None:
    good = {"position": "", "value": 0, "depth": 3, "proved": True, "band": 1.0, "search": "x"}
    with pytest.raises(ValueError, match="wrong type"):
        ChosenOpening.read({**good, **wrong})


def test_value_is_shown_with_how_it_is_known() -> None:
    assert value_text(ChosenOpening("", 0, 9, True, 1, "")) == "0, proved"
    assert value_text(ChosenOpening("", -0.25, 9, False, 1, "")) == "-0.25, estimated at depth 9"


def test_every_game_has_its_own_search_version() -> None:
    versions = [search_version(type(create(name, {}))) for name in ("conga", "mancala", "maxconnect4", "cohcoh")]
    assert len(set(versions)) == 4
