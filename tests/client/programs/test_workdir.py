"""Working folders: what is copied, what is not, and that they are deleted."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
from pathlib import Path

import pytest

from client.programs.adapters import ADAPTERS
from client.programs.failure import Failure
from client.programs.oneshot_bot import OneShotBot
from client.programs.program import Program
from client.programs.workdir import WorkdirFactory
from engine.course.maxconnect4 import write_board
from engine.game import Game, State
from engine.games.maxconnect4 import MaxConnect4
from engine.registry import create
from tests.client.sample_programs import budget, program, script
from tests.waiting import TIMEOUT_S


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of temporary folders, to find any that are left behind."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    return folder


def never() -> bool:
    return False


def contents(workdirs: WorkdirFactory) -> set[str]:
    with workdirs.folder(never) as folder:
        return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def good_answer(game: Game, after: State) -> str:
    if isinstance(game, MaxConnect4):
        return write_board(game, after)
    rows, stores, _ = game.dump(after).split(" ")
    return "\n".join([*(row.replace(",", " ") for row in rows.split("/")), *stores.split(",")])


@pytest.mark.parametrize("adapter", ["mancala", "maxconnect4"])
def test_output_of_an_earlier_run_is_not_an_answer(adapter: str, work: Path, tmp_path: Path) -> None:
    chosen, game = ADAPTERS[adapter], create(ADAPTERS[adapter].game)
    (work / chosen.output).write_text(good_answer(game, game.after(game.start(), game.moves(game.start())[0])))
    silent = OneShotBot(program(tmp_path, "pass"), chosen, WorkdirFactory(work))
    with pytest.raises(Failure, match=f"it wrote no {chosen.output}") as caught:
        silent.choose(game, game.start(), budget())
    assert caught.value.kind == "no_output"
    copies = OneShotBot(
        program(tmp_path, f"open({chosen.output!r}, 'w').write({(work / chosen.output).read_text()!r})"),
        chosen,
        WorkdirFactory(work),
    )
    assert copies.choose(game, game.start(), budget()).move == game.legal(game.start())[0]


def test_links_and_permissions_in_the_source_do_not_matter(work: Path, tmp_path: Path) -> None:
    """A link is replaced, not written through; a read-only file is replaced."""
    precious = tmp_path / "precious.txt"
    precious.write_text("precious")
    (work / "input.txt").symlink_to(precious)
    (work / "output.txt").mkdir()
    work.chmod(0o555)
    code = "import sys; print(open(sys.argv[2]).read()); open(sys.argv[3], 'w').write('nothing')"
    words = script(tmp_path, code)
    bot = OneShotBot(
        Program(words, tmp_path, forensics=tmp_path / "forensics"), ADAPTERS["maxconnect4"], WorkdirFactory(work)
    )
    with pytest.raises(Failure, match=r"output\.txt, line 1"):
        bot.choose(create("maxconnect4"), create("maxconnect4").start(), budget())
    assert precious.read_text() == "precious"
    work.chmod(0o755)


def test_pipes_and_sockets_are_not_copied(work: Path) -> None:
    os.mkfifo(work / "pipe")
    listening = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(work)  # a socket's path is short
    try:
        listening.bind("socket")
    finally:
        os.chdir(here)
        listening.close()
    (work / "link").symlink_to("mine.txt")
    assert contents(WorkdirFactory(work)) == {"mine.txt", "link"}


def test_source_that_contains_the_temporary_folder_is_not_copied_into_itself(tmp_path: Path, work: Path) -> None:
    evidence = tmp_path / "evidence"
    evidence.mkdir()
    (evidence / "old").write_text("")
    found = contents(WorkdirFactory(tmp_path, evidence))
    assert found == {"temporary", "work", "work/mine.txt"}
    assert contents(WorkdirFactory(tmp_path / "temporary")) == set()


def test_check_reports_a_file_that_cannot_be_copied(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(source: str, target: str) -> None:
        raise PermissionError(13, "Permission denied", source)

    monkeypatch.setattr("shutil.copystat", forbidden)
    with pytest.raises(Failure, match=r"work cannot be copied: Permission denied: .*mine\.txt"):
        WorkdirFactory(work).check()


def test_close_cancels_a_copy_and_deletes_it(work: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.programs.workdir.CHUNK_BYTES", 1)
    with (work / "large").open("wb") as file:
        file.truncate(1 << 30)  # takes forever, a byte at a time
    workdirs, failures = WorkdirFactory(work), []

    def copy() -> None:
        try:
            workdirs.check()
        except Failure as failure:
            failures.append(failure.kind)

    copying = threading.Thread(target=copy)
    copying.start()
    while not list(temporary.rglob("large")):
        assert copying.is_alive()
    workdirs.close()
    assert list(temporary.iterdir()) == []
    copying.join(TIMEOUT_S)
    assert failures == ["timeout"]


def test_copy_that_exceeds_the_move_time_is_a_timeout(work: Path, temporary: Path, tmp_path: Path) -> None:
    bot = OneShotBot(program(tmp_path, "pass"), ADAPTERS["conga"], WorkdirFactory(work))
    game = create("conga")
    with pytest.raises(Failure, match="its folder was not copied in time"):
        bot.choose(game, game.start(), budget(0.0))
    assert list(temporary.iterdir()) == []
