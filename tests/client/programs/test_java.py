"""Java programs: the memory limit is also Java's own, and a program that needs more is told which limit it met."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from client.programs.adapters import ADAPTERS
from client.programs.failure import Failure
from client.programs.jail.base import Jail, NoJail
from client.programs.jail.bubblewrap import Bubblewrap
from client.programs.limits import Limits
from client.programs.oneshot_bot import OneShotBot
from client.programs.program import Program
from client.programs.workdir import WorkdirFactory
from engine.registry import create
from tests.client.programs.attackers import needs_jail
from tests.client.sample_programs import budget
from tests.waiting import TIMEOUT_S

# It makes garbage of several times the limit, as a search does. With an argument it keeps all of it.
SOURCE = """
import java.util.ArrayList;

public class Homework {
    public static void main(String[] args) {
        ArrayList<byte[]> kept = new ArrayList<>();
        for (int i = 0; i < 1200; i++) {
            byte[] block = new byte[1 << 20];
            if (args.length > 4) kept.add(block);
        }
        System.out.println(args[2].replaceFirst("\\\\.", "w"));
    }
}
"""
JAILS = [NoJail(), pytest.param(Bubblewrap("writable"), marks=needs_jail)]

pytestmark = pytest.mark.skipif(shutil.which("javac") is None, reason="needs a Java compiler")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("java")
    (folder / "Homework.java").write_text(SOURCE)
    subprocess.run(["javac", "Homework.java"], cwd=folder, check=True, timeout=TIMEOUT_S)
    return folder


def homework(compiled: Path, forensics: Path, jail: Jail, *more: str) -> OneShotBot:
    argv = ("java", "Homework", "{n}", "{k}", "{board}", "{seconds}", *more)
    program = Program(argv, compiled, Limits(memory=300, grace=0.1), jail, name="java", forensics=forensics)
    return OneShotBot(program, ADAPTERS["nkcohcoh"], WorkdirFactory(compiled))


@pytest.mark.parametrize("jail", JAILS, ids=lambda jail: jail.name)
def test_java_keeps_to_the_memory_limit(compiled: Path, tmp_path: Path, jail: Jail) -> None:
    game = create("cohcoh")
    bot = homework(compiled, tmp_path, jail)
    assert bot.choose(game, game.start(), budget()).move == "a4"


@pytest.mark.parametrize("jail", JAILS, ids=lambda jail: jail.name)
def test_java_out_of_memory_names_the_limit(compiled: Path, tmp_path: Path, jail: Jail) -> None:
    game = create("cohcoh")
    with pytest.raises(Failure, match="Parlour's limit is 300 MB of memory: --memory sets it"):
        homework(compiled, tmp_path, jail, "greedy").choose(game, game.start(), budget())


def test_own_options_for_java_win() -> None:
    options = Limits(memory=1024).environment({"JAVA_TOOL_OPTIONS": "-Xmx99m"})["JAVA_TOOL_OPTIONS"]
    assert options.startswith("-Xmx704m ")
    assert options.endswith(" -Xmx99m")
    assert Limits(memory=0).environment({}) == {}
