"""Programs for a person at a terminal, played with a recipe."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from client.programs.failure import Failure
from client.programs.interactive_bot import InteractiveBot
from client.programs.jail.base import Jail, NoJail
from client.programs.jail.bubblewrap import Bubblewrap
from client.programs.limits import Limits
from client.programs.program import Program
from client.programs.recipe import Placeholders, Recipe, find_move, load
from client.sdk.bot import Budget
from engine.game import Game, State
from engine.record import ending
from engine.registry import create
from tests.client.programs.attackers import needs_jail
from tests.client.sample_programs import budget, script

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "conga_interactive.py"
CONGA = create("conga")
# It asks in one line and tells its move in another; it plays the first column that is free.
TALKER = """
height = [0] * 8
first = input("Shall I begin (y/n)? ") == "y"
while True:
    if not first:
        height[int(input("Column? "))] += 1
    first = False
    column = min(c for c in range(1, 8) if height[c] < 6)
    height[column] += 1
    print(f"I play {column}!")
"""
TALKER_RECIPE = """
game = "maxconnect4"
move = 'I play (\\d)!'
[[start]]
expect = 'y/n'
send = "{answer}"
[asks]
expect = 'Column\\?'
send = "{move}"
"""
Make = Callable[..., InteractiveBot]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    bots: list[InteractiveBot] = []

    def begin(argv: tuple[str, ...], recipe: Recipe, jail: Jail | None = None) -> InteractiveBot:
        limits = Limits(grace=0.1)
        program = Program(argv, tmp_path, limits, jail or NoJail(), name="talker", forensics=tmp_path / "forensics")
        bots.append(InteractiveBot(program, recipe))
        return bots[-1]

    yield begin
    for bot in bots:
        bot.close()


def recipe_file(folder: Path, text: str) -> Path:
    path = folder / "recipe.toml"
    path.write_text(text)
    return path


def play(bot: InteractiveBot, game: Game, side: int, plies: int) -> list[str]:
    """Play against random moves and return the moves."""
    rng = random.Random(side)
    states: list[State] = [game.start()]
    history: list[str] = []
    while len(history) < plies and ending(game, states) is None:
        state = states[-1]
        given = budget()
        given = Budget(given.seconds, given.deadline, ply=len(history), side=side, history=tuple(history))
        if game.turn(state) == side:
            history.append(str(bot.choose(game, state, given).move))
        else:
            history.append(game.format(state, rng.choice(game.moves(state))))
        states.append(game.play(state, game.parse(state, history[-1])))
    return history


@pytest.mark.parametrize("side", [0, 1])
def test_example_plays_from_the_boards_it_prints(make: Make, side: int) -> None:
    bot = make((sys.executable, str(EXAMPLE)), load(EXAMPLE.with_suffix(".toml")))
    assert len(play(bot, CONGA, side, 12)) == 12


@needs_jail
def test_program_in_a_jail_has_a_terminal(make: Make, tmp_path: Path) -> None:
    recipe = load(recipe_file(tmp_path, TALKER_RECIPE.replace("{answer}", "y")))
    bot = make(script(tmp_path, TALKER), recipe, Bubblewrap("copied"))
    game = create("maxconnect4")
    assert play(bot, game, 0, 9)[::2] == ["1"] * 5


def test_moves_are_read_from_text(make: Make, tmp_path: Path) -> None:
    recipe = load(recipe_file(tmp_path, TALKER_RECIPE.replace("{answer}", "n")))
    assert len(play(make(script(tmp_path, TALKER), recipe), create("maxconnect4"), 1, 10)) == 10


def test_crash_is_quoted_from_the_terminal(make: Make, tmp_path: Path) -> None:
    recipe = load(recipe_file(tmp_path, TALKER_RECIPE.replace("{answer}", "y")))
    bot = make(script(tmp_path, TALKER.replace("while True", "raise ValueError('bad luck')\nwhile True")), recipe)
    game = create("maxconnect4")
    with pytest.raises(
        Failure, match="it showed no legal move: it exited with status 1: ValueError: bad luck"
    ) as caught:
        play(bot, game, 0, 1)
    assert "ValueError" in (Path(caught.value.evidence) / "said.txt").read_text()


def test_colours_of_a_crash_are_not_quoted(make: Make, tmp_path: Path) -> None:
    recipe = load(recipe_file(tmp_path, TALKER_RECIPE.replace("{answer}", "y")))
    crash = r"raise SystemExit('\n\x1b[1;35mValueError\x1b[0m: \x1b[35mbad luck\x1b[0m')"
    bot = make(script(tmp_path, TALKER.replace("while True", f"{crash}\nwhile True")), recipe)
    with pytest.raises(Failure, match=r"it exited with status 1: ValueError: bad luck$") as caught:
        play(bot, create("maxconnect4"), 0, 1)
    assert b"\x1b[1;35mValueError" in (Path(caught.value.evidence) / "said.txt").read_bytes()


def test_illegal_move_is_named(make: Make, tmp_path: Path) -> None:
    recipe = load(recipe_file(tmp_path, TALKER_RECIPE.replace("{answer}", "y")))
    bot = make(script(tmp_path, TALKER.replace("I play {column}!", "I play 9!")), recipe)
    with pytest.raises(Failure, match="it printed 'I play 9!': '9' is not a move") as caught:
        play(bot, create("maxconnect4"), 0, 1)
    assert caught.value.kind == "illegal"


def test_other_starts_are_refused(make: Make, tmp_path: Path) -> None:
    recipe = load(recipe_file(tmp_path, TALKER_RECIPE.replace("{answer}", "y")))
    game = create("maxconnect4", {"start": "0000000/0000000/0000000/0000000/0000000/1000000 2"})
    with pytest.raises(Failure, match="can only play a game from its usual start"):
        play(make(script(tmp_path, TALKER), recipe), game, 1, 1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("game = ", "is not a recipe"),
        ('game = "chess"\nmove = "x"\n[asks]\nexpect = "x"\nsend = "x"', "game should be one of conga"),
        ('game = "conga"\nmove = "("\n[asks]\nexpect = "x"\nsend = "x"', "is not a recipe: missing \\)"),
        ('game = "conga"\n[asks]\nexpect = "x"\nsend = "x"', "give either move or board"),
        ('game = "conga"\nmoves = "x"\n[asks]\nexpect = "x"\nsend = "x"', "unknown field `moves`"),
        (
            'game = "conga"\n[asks]\nexpect = "x"\nsend = "x"\n'
            '[board]\nrow = "x"\ncell = "x"\nfirst = "x"\nsecond = "o"',
            "cell needs a group",
        ),
    ],
)
def test_wrong_recipe_gets_one_sentence(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(Failure, match=why):
        load(recipe_file(tmp_path, text))


def test_placeholders_know_the_squares_of_a_move() -> None:
    filled = Placeholders(side=1, depth=5).fill("{x1},{y1} {x2},{y2} {move} {side}{other} {depth} {what}", "a4b3")
    assert filled == "1,4 2,3 a4b3 21 5 {what}"


def test_board_of_the_opponent_is_not_a_move() -> None:
    """A program often prints the board again before it moves."""
    recipe = load(EXAMPLE.with_suffix(".toml"))
    assert find_move(recipe, CONGA, CONGA.start(), "") is None
