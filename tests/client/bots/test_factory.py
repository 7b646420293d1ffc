from __future__ import annotations

import sys
from pathlib import Path

import pytest

from client.bots.factory import class_factory, jailed_factory, spec_factory, worker_packages
from client.bots.loader import LoadError
from client.bots.spec import BotSpec
from client.programs.jail.bubblewrap import Bubblewrap
from client.programs.limits import Limits
from client.sdk.bot import Bot, Budget, as_thought
from engine.game import Game, State
from engine.registry import create
from tests.client.bots.bot_files import BOT_SOURCE
from tests.client.programs.attackers import needs_jail
from tests.client.sample_programs import budget


class Local(Bot):
    isolation = "process"

    def choose(self, game: Game, state: State, budget: Budget) -> int:
        return game.moves(state)[0]


def test_bot_of_a_file_gets_its_name_and_games(tmp_path: Path) -> None:
    path = tmp_path / "my_bot.py"
    path.write_text(BOT_SOURCE)
    factory = spec_factory(BotSpec(str(path)))
    assert (factory.name, factory.games) == ("mine", ("conga",))
    game = create("conga")
    assert factory.make().choose(game, game.start(), budget()) == game.moves(game.start())[-1]


def test_unknown_game_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "chess.py"
    path.write_text(BOT_SOURCE.replace("conga", "chess"))
    with pytest.raises(LoadError, match="plays an unknown game 'chess'"):
        spec_factory(BotSpec(str(path)))

    class Chess(Local):
        games = ("chess",)

    with pytest.raises(LoadError, match="Chess plays an unknown game 'chess'"):
        class_factory(Chess)


def test_process_loads_the_class_from_its_file() -> None:
    factory = class_factory(Local)
    game = create("conga")
    bot = factory.make()
    try:
        thought = as_thought(game, game.start(), bot.choose(game, game.start(), budget(20)))
        assert thought.move == game.format(game.start(), game.moves(game.start())[0])
    finally:
        bot.close()
        factory.close()


def test_local_class_cannot_run_in_a_process() -> None:
    class Inner(Local):
        pass

    with pytest.raises(LoadError, match="must be defined at the top level of a file"):
        class_factory(Inner)


def test_search_without_numba_runs_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.bots.spec.find_spec", lambda name: None)
    factory = spec_factory(BotSpec("search", level=4))
    game = create("mancala")
    bot = factory.make()
    try:
        assert as_thought(game, game.start(), bot.choose(game, game.start(), budget(20))).move
    finally:
        bot.close()
        factory.close()


@needs_jail
def test_bot_in_a_jail_is_never_imported_here(tmp_path: Path) -> None:
    path = tmp_path / "spy.py"
    path.write_text(f"import os\nprint(os.getpid())\nopen('imported', 'w').close()\n{BOT_SOURCE}")
    path.chmod(0o644)
    (tmp_path / "secret.txt").touch()
    jail = Bubblewrap("empty", (path, *worker_packages()))
    factory = jailed_factory(BotSpec(str(path)), jail, Limits(grace=0.1), tmp_path / "forensics")
    try:
        assert factory.name == "spy"
        game = create("conga")
        bot = factory.make()
        last = game.format(game.start(), game.moves(game.start())[-1])
        assert as_thought(game, game.start(), bot.choose(game, game.start(), budget())).move == last
        bot.close()
    finally:
        factory.close()
    assert not Path("imported").exists()
    assert "spy" not in sys.modules
