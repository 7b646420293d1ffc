"""Arbitrary input to the engine gives a value or the right error, never another exception."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import GameError, IllegalMove, InvalidNotation, InvalidOption, InvalidPosition, InvalidRecord
from engine.record import parse, verify, write
from engine.registry import GAMES, create
from tests.engine.variants import NAMES, VARIANTS, Variant, positions

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=NAMES)
every_game = pytest.mark.parametrize("name", GAMES)

# text from the alphabet of positions and moves gets further than arbitrary text
NEARLY = st.text(alphabet="abcdwb.,/ 0123456789-", max_size=60)
ANY = st.text(max_size=60) | NEARLY


T = TypeVar("T")


def attempt(call: Callable[[], T], *errors: type[GameError]) -> T | str:
    """Return the result of a call, or the message of one of these errors. Checks that the message is short."""
    try:
        return call()
    except errors as error:
        mistake = str(error)
    assert mistake
    assert mistake.isprintable()
    assert len(mistake) < 300
    return mistake


@every_game
@given(text=ANY)
@settings(max_examples=60)
def test_arbitrary_move_text_gives_a_legal_move_or_an_error(name: str, text: str) -> None:
    game = create(name)
    move = attempt(lambda: game.parse(game.start(), text), InvalidNotation, IllegalMove)
    if isinstance(move, int):
        assert move in game.moves(game.start())
        assert game.parse(game.start(), game.format(game.start(), move)) == move


@every_game
@given(text=ANY)
@settings(max_examples=60)
def test_arbitrary_position_text_loads_or_gives_an_error(name: str, text: str) -> None:
    game = create(name)
    state = attempt(lambda: game.load(text), InvalidPosition)
    if isinstance(state, str):
        assert state.startswith(f"not a position of {name}: ")
    else:
        assert game.load(game.dump(state)) == state


@every_game
@given(text=ANY)
@settings(max_examples=60)
def test_arbitrary_start_text_loads_or_gives_an_error(name: str, text: str) -> None:
    game = attempt(lambda: create(name, {"start": text}), InvalidPosition)
    if not isinstance(game, str):
        assert game.load(game.dump(game.start())) == game.start()


@every_variant
@given(data=st.data())
@settings(max_examples=15)
def test_position_with_a_changed_character_loads_or_gives_an_error(variant: Variant, data: st.DataObject) -> None:
    game, state = data.draw(st.sampled_from([*positions(variant, 1)][:60]))
    text = game.dump(state)
    at = data.draw(st.integers(0, len(text) - 1))
    spoilt = text[:at] + data.draw(st.sampled_from([*"bw./, 0123456789x", ""])) + text[at + 1 :]
    loaded = attempt(lambda: game.load(spoilt), InvalidPosition)
    if not isinstance(loaded, str):
        assert game.load(game.dump(loaded)) == loaded
        assert (game.moves(loaded) == ()) == (game.outcome(loaded) is not None)


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.lists(st.integers())


@every_game
@given(data=st.data())
@settings(max_examples=60)
def test_arbitrary_option_values_give_a_game_or_an_error(name: str, data: st.DataObject) -> None:
    names = st.sampled_from([option.name for option in GAMES[name].options]) | st.text(max_size=10)
    given_options = data.draw(st.dictionaries(names, VALUES, max_size=3))
    game = attempt(lambda: create(name, given_options), InvalidOption, InvalidPosition)
    if not isinstance(game, str):
        assert create(name, game.spec.options).spec == game.spec


LINES = st.sampled_from(
    ["parlour record 1", "game: conga", "game: chess", "option stones: 3", "option start: x", "seat 0: a",
     'seat 1: "x\\n"', "result: 1-0", "reason: score", "seed: 1", "",
     "1 black a4b4", "2 white d1d2 left=1.000 ; x", "1 ? a4a3"]
)  # fmt: skip


@given(lines=st.lists(LINES | st.text(max_size=40), max_size=12), headed=st.booleans())
@settings(max_examples=200)
def test_arbitrary_record_text_parses_or_gives_an_error(lines: list[str], headed: bool) -> None:
    text = "\n".join(["parlour record 1", "game: conga", *lines] if headed else lines)
    record = attempt(lambda: parse(text), InvalidRecord)
    if not isinstance(record, str):
        assert parse(write(record)) == record
        attempt(lambda: verify(record), InvalidRecord)
