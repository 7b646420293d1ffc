from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from client.bots.loader import LoadError
from client.bots.spec import BotSpec
from client.sdk.bot import as_thought
from engine.errors import GameError
from engine.record import ending
from engine.registry import GAMES, create
from tests.client.sample_programs import budget


@pytest.mark.parametrize("name", ["random", "greedy", "minimax:2", "alphabeta:2", "search"])
@pytest.mark.parametrize("game", GAMES)
def test_every_bot_plays_every_game(name: str, game: str) -> None:
    bot = BotSpec(name, level=4, seed=1).constructor()()
    chosen, states = create(game), [create(game).start()]
    while len(states) < 9 and ending(chosen, states) is None:
        thought = as_thought(chosen, states[-1], bot.choose(chosen, states[-1], budget(1)))
        states.append(chosen.play(states[-1], chosen.parse(states[-1], str(thought.move))))


def test_default_names() -> None:
    assert BotSpec("search").name == "search"
    assert BotSpec("search", level=3).name == "search-3"


def test_evaluation_limits_the_games() -> None:
    assert BotSpec("alphabeta:2:windows").games == ("cohcoh",)
    assert BotSpec("alphabeta:2").games == tuple(GAMES)


def test_slow_bots_run_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    assert BotSpec("minimax:3").isolation == "process"
    assert BotSpec("greedy").isolation == "thread"
    monkeypatch.setattr("client.bots.spec.find_spec", lambda name: None)  # numba is not installed
    assert BotSpec("search").isolation == "process"


def test_args_select_the_same_bot() -> None:
    assert BotSpec("search", level=3, seed=7).args == ("search", "--level", "3", "--seed", "7")
    assert BotSpec("search", threads=2, table_mb=512).args == (
        *("search", "--level", "10", "--threads", "2"),
        *("--table", "512"),
    )
    assert BotSpec("greedy").args == ("greedy",)


def test_dump_and_load() -> None:
    spec = BotSpec("search", 1.5, 7, 3)
    assert BotSpec.load(spec.dump()) == spec


@pytest.mark.parametrize(
    ("name", "error"), [("unknown", LoadError), ("minimax:deep", GameError), ("greedy:nothing", GameError)]
)
def test_check_rejects_unknown_bots(name: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        BotSpec(name).check()


def test_built_in_bots_name_parlour_as_their_program() -> None:
    spec = BotSpec("alphabeta:2")
    assert (spec.engine, spec.version) == ("parlour alphabeta:2", version("parlour"))


def test_bot_file_names_its_class_and_version(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("from parlour import Bot\n\n\nclass Mine(Bot):\n    version = '0.3'\n")
    spec = BotSpec(str(file))
    assert (spec.engine, spec.version) == ("Mine", "0.3")
