"""The bots by their names, in files and in processes, and the way back after a crash."""

from __future__ import annotations

import random
import textwrap
from itertools import pairwise
from pathlib import Path

import pytest

from client.bots.builtin.levels import LEVELS
from client.bots.factory import class_factory, spec_factory
from client.bots.loader import LoadError, load
from client.bots.spec import BotSpec
from client.programs.failure import Failure
from client.sdk.bot import Bot, Budget, as_thought
from client.sdk.credentials import CredentialsFile, default_credentials_path
from client.sdk.note import Note
from engine.errors import GameError
from engine.game import Game, State
from engine.record import ending
from engine.registry import GAMES, create
from tests.client.sample_programs import budget


@pytest.mark.parametrize("name", ["random", "greedy", "minimax:2", "alphabeta:2", "search"])
@pytest.mark.parametrize("game", GAMES)
def test_every_bot_plays_every_game(name: str, game: str) -> None:
    made = BotSpec(name, level=4, seed=1).constructor()()
    chosen, states = create(game), [create(game).start()]
    while len(states) < 9 and ending(chosen, states) is None:
        thought = as_thought(chosen, states[-1], made.choose(chosen, states[-1], budget(1)))
        states.append(chosen.play(states[-1], chosen.parse(states[-1], str(thought.move))))


def test_chance_can_be_repeated() -> None:
    game = create("maxconnect4")

    def moves(seed: int, anew: bool = False) -> list[object]:
        bot, state = BotSpec("random", seed=seed).constructor()(), game.start()
        chosen: list[object] = []
        while len(chosen) < 20:
            chosen.append(as_thought(game, state, bot.choose(game, state, budget())).move)
            state = game.play(state, game.parse(state, str(chosen[-1])))
            if anew:
                bot = BotSpec("random", seed=seed).constructor()()
        return chosen

    assert moves(1) == moves(1) != moves(2)
    assert moves(1) == moves(1, anew=True)


def test_names() -> None:
    assert BotSpec("search").name == "search"
    assert BotSpec("search", level=3).name == "search-3"
    assert BotSpec("alphabeta:2:windows").games == ("cohcoh",)
    assert BotSpec("minimax:3").isolation == "process"
    assert BotSpec.load(BotSpec("search", 1.5, 7, 3).dump()) == BotSpec("search", 1.5, 7, 3)
    for name, error in (("nobody", LoadError), ("minimax:deep", GameError), ("greedy:nothing", GameError)):
        with pytest.raises(error):
            BotSpec(name).check()


def test_levels_are_a_ladder() -> None:
    """The numbers alone; bench/ladder.py plays the games."""
    levels = [LEVELS[number] for number in range(1, 11)]
    for low, high in pairwise(levels):
        assert high.random_share < low.random_share
        assert high.nodes is None or (low.nodes is not None and low.nodes <= high.nodes)
    assert levels[-1] == (0, None)


def test_a_higher_level_beats_a_much_lower_one() -> None:
    game, rng = create("maxconnect4"), random.Random(5)
    score = 0.0
    for number in range(4):
        bots = [
            BotSpec("search", level=6, seed=number).constructor()(),
            BotSpec("search", level=1, seed=number).constructor()(),
        ]
        strong = number % 2
        states = [game.start()]
        while (outcome := ending(game, states)) is None:
            state = states[-1]
            bot = bots[0] if state.turn == strong else bots[1]
            if len(states) <= 3:
                states.append(game.after(state, rng.choice(game.moves(state))))
                continue
            thought = as_thought(game, state, bot.choose(game, state, budget(5)))
            states.append(game.play(state, game.parse(state, str(thought.move))))
        score += 0.5 if outcome.winner is None else outcome.winner == strong
    assert score >= 3


def test_a_search_keeps_to_its_time_and_says_what_it_found() -> None:
    game = create("conga")
    made = BotSpec("search", level=10).constructor()()
    walls = []
    for _ in range(3):  # in one of which the machine may stand still
        given = Budget(0.2, budget().deadline, left=3.0)  # too little to load compiled code
        thought = as_thought(game, game.start(), made.choose(game, game.start(), given))
        assert isinstance(thought.note, Note)
        assert thought.note.depth is not None
        assert thought.note.depth >= 1
        assert thought.note.wall is not None
        walls.append(thought.note.wall)
        assert thought.note.line[0] == thought.move
    assert min(walls) < 1.0


def test_a_search_that_stands_better_does_not_repeat_the_position() -> None:
    game = create("conga", {"start": ".,b1,w1,b4/w1,w3,b1,w3/b1,b1,b1,b1/w1,w1,.,. b"})

    def move(history: str) -> object:
        made = BotSpec("search", level=10).constructor()()
        given = Budget(0.2, budget(5).deadline, left=3.0, history=tuple(history.split()))
        return as_thought(game, game.start(), made.choose(game, game.start(), given)).move

    assert move("") == "d2d1"
    assert move("d2d1 b1c1 d1d2 c1b1") != "d2d1"


# -- files


BOT = """
from parlour import Bot

class Mine(Bot):
    name = "mine"
    games = ("conga",)

    def choose(self, game, state, budget):
        return game.moves(state)[-1]
"""


def test_a_bot_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "my_bot.py"
    path.write_text("import helper\n" + BOT)
    (tmp_path / "helper.py").write_text("")
    maker = spec_factory(BotSpec(str(path)))
    assert (maker.name, maker.games) == ("mine", ("conga",))
    game = create("conga")
    assert maker.make().choose(game, game.start(), budget()) == game.moves(game.start())[-1]


def test_one_of_several_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "two.py"
    path.write_text(BOT + BOT.replace("Mine", "Yours"))
    assert load(f"{path}:Yours").__name__ == "Yours"
    with pytest.raises(LoadError, match="it has Mine, Yours"):
        load(str(path))
    with pytest.raises(LoadError, match="has no bot 'Theirs'; it has Mine, Yours"):
        load(f"{path}:Theirs")


def test_a_file_cannot_hide_packages_of_ours(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text("raise RuntimeError('the wrong engine')\n")
    path = tmp_path / "shadow.py"
    path.write_text("import engine.registry\n" + BOT)
    assert load(str(path)).name == "mine"


def test_a_bot_that_plays_something_unknown(tmp_path: Path) -> None:
    path = tmp_path / "chess.py"
    path.write_text(BOT.replace("conga", "chess"))
    with pytest.raises(LoadError, match="plays an unknown game 'chess'"):
        spec_factory(BotSpec(str(path)))


# -- processes


def test_a_process_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "apart.py"
    path.write_text(
        textwrap.dedent(
            """
            import os
            from parlour import Bot, Note, Thought

            class Apart(Bot):
                isolation = "process"
                def started(self, game, side, opponent):
                    self.opponent = opponent
                def choose(self, game, state, budget):
                    print("this is no answer")
                    if budget.ply == 7:
                        raise ValueError("ply 7")
                    if budget.ply == 9:
                        return 999
                    return Thought(game.moves(state)[0], Note(value=1.5, text=f"{os.getpid()} {self.opponent}"))
            """
        )
    )
    maker = spec_factory(BotSpec(str(path)), tmp_path / "forensics")
    game = create("conga")
    bot = maker.make()
    try:
        bot.started(game, 0, "alice")
        thought = as_thought(game, game.start(), bot.choose(game, game.start(), budget(20)))
        assert isinstance(thought.note, Note)
        assert thought.note.value == 1.5
        assert thought.note.cpu is not None
        pid, opponent = thought.note.text.split()
        assert opponent == "alice"
        assert Path(f"/proc/{pid}").exists() or not Path("/proc").exists()
        given = Budget(5, budget(20).deadline, ply=7)
        with pytest.raises(Failure, match="ValueError: ply 7") as caught:
            bot.choose(game, game.start(), given)
        assert caught.value.kind == "error"
        assert 'raise ValueError("ply 7")' in (Path(caught.value.evidence) / "stderr.txt").read_text()
        with pytest.raises(Failure) as caught:
            bot.choose(game, game.start(), Budget(5, budget(20).deadline, ply=9))
        assert caught.value.kind == "garbage"
    finally:
        bot.close()
        maker.close()


class Local(Bot):
    isolation = "process"

    def choose(self, game: Game, state: State, budget: Budget) -> int:
        return game.moves(state)[0]


def test_a_class_in_a_process_is_loaded_from_its_file() -> None:
    maker = class_factory(Local)
    game = create("conga")
    bot = maker.make()
    try:
        thought = as_thought(game, game.start(), bot.choose(game, game.start(), budget(20)))
        assert thought.move == game.format(game.start(), game.moves(game.start())[0])
    finally:
        bot.close()
        maker.close()


def test_a_class_without_a_place_cannot_have_a_process() -> None:
    class Inner(Local):
        pass

    with pytest.raises(LoadError, match="must be defined at the top level of a file"):
        class_factory(Inner)


def test_without_numba_the_search_has_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.bots.spec.find_spec", lambda name: None)
    recipe = BotSpec("search", level=4)
    assert recipe.isolation == "process"
    maker = spec_factory(recipe)
    game = create("mancala")
    bot = maker.make()
    try:
        assert as_thought(game, game.start(), bot.choose(game, game.start(), budget(20))).move
    finally:
        bot.close()
        maker.close()


# -- the way back


def test_the_secret_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "state.json"
    first = CredentialsFile(path)
    assert first.open() == ""
    first.save("secret")
    second = CredentialsFile(path)
    assert second.open() == "", "the first one still runs"
    second.save("other")
    first.close()
    third = CredentialsFile(path)
    assert third.open() == "secret"
    assert path.stat().st_mode & 0o777 == 0o600
    third.close()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"session": 7}', "\x00"])
def test_a_broken_state_file_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "state.json"
    path.write_text(text)
    state = CredentialsFile(path)
    assert state.open() == ""
    state.close()


def test_a_state_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    state = CredentialsFile(tmp_path / "file" / "state.json")
    assert state.open() == ""
    state.save("secret")
    state.close()


def test_one_file_for_each_bot_on_each_server() -> None:
    names = ("x", "y", "X", "a b", "a-b", "a@b", "Ä", "Ö", "李", "李李", "\N{GRINNING FACE}", "x" * 300, "x" * 301)
    files = {default_credentials_path(url, name).name.casefold() for url in ("a:1", "a:2", "b:1") for name in names}
    assert len(files) == 3 * len(names)
    assert all(len(name) < 120 and name.isascii() for name in files)
    assert default_credentials_path("ws://a:1/ws", "../../x").name.startswith("..-..-x-a-1-")
    assert default_credentials_path("ws://a:1/ws", "x") == default_credentials_path("http://a:1", "x")
