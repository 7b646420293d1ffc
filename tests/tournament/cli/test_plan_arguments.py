"""Plans from flags."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Contestant, Sprt
from engine.registry import create
from parlour.cli.main import main


def test_flags_create_plan_and_mistakes_give_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "cup")
    words = ["--game", "conga", "--format", "match", "--bot", "a=greedy", "--bot", "b=random", "--sprt", "0,50"]
    assert main(["tournament", "new", folder, *words, "--opening-plies", "4", "--option", "stones=9"]) == 0
    found = Folder(Path(folder)).plan()
    assert (found.names, found.sprt, found.games, found.options["stones"]) == (("a", "b"), Sprt(0, 50), 1000, 9)
    normalized = ["new", f"{folder}-normalized", *words[:-1], "0,5,0.1,0.1,normalized"]
    assert main(["tournament", *normalized]) == 0
    assert Folder(Path(f"{folder}-normalized")).plan().sprt == Sprt(0, 5, 0.1, 0.1, "normalized")
    capsys.readouterr()
    assert main(["tournament", "status", folder]) == 0
    assert "0 of at most 1000 games, not started" in capsys.readouterr().out
    for wrong in (
        ["new", folder, *words],
        ["run", folder, "--game", "conga"],
        ["new", f"{folder}2", "--game", "conga", "--bot", "unknown", "--bot", "greedy"],
        ["new", f"{folder}2", "--game", "conga", "--bot", "missing.py", "--bot", "greedy"],
        ["new", f"{folder}2", "--game", "conga", "--bot", "alphabeta:2:windows", "--bot", "greedy"],
        ["new", f"{folder}2", "--bot", "greedy"],
        ["new", f"{folder}2", *words, "--sprt", "50,0"],
        ["new", f"{folder}2", *words, "--sprt", "normalized"],
        ["new", f"{folder}2", *words, "--sprt", "0,5,normal"],
        ["new", f"{folder}2", *words, "--exec", "noname"],
        ["new", f"{folder}2", *words, "--seed", "-5"],
        ["new", f"{folder}2", *words, "--games", "1000000"],
        ["new", f"{folder}2", *words, "--concurrency", "0"],
        [
            "new",
            f"{folder}2",
            *words[:2],
            "--bot",
            "a=greedy",
            "--bot",
            "b=random",
            "--games",
            "90000",
            "--rounds",
            "99",
        ],
        ["new", f"{folder}2", "--plan", str(tmp_path / "missing.toml")],
        ["table", str(tmp_path / "nothing")],
        ["resume", str(tmp_path / "nothing")],
        ["fly", folder],
        [],
    ):
        assert main(["tournament", *wrong]) == 2, wrong
        output = capsys.readouterr()
        assert (output.out, output.err.count("\n"), output.err.startswith("parlour: ")) == ("", 1, True)
    assert not Path(f"{folder}2").exists()


def test_error_about_flags_suggests_flags(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tournament", "run", str(tmp_path / "q"), "--game", "mancala", "--bot", "greedy"]) == 2
    assert "not 1: add --bot, --exec or --connects" in capsys.readouterr().err


def test_players_take_the_keys_of_a_plan_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ann").mkdir()
    folder, words = tmp_path / "cup", ["tournament", "new"]
    ann = f"ann=exec:python3 a.py -i {{in}}; adapter=mancala;workdir={tmp_path / 'ann'};memory=512;lenient=true"
    bob = "bob=sh -c 'echo a; echo b';depth=6;adapter=mancala"
    players = ["--bot", ann, "--exec", bob, "--bot", "three=search@3;seconds=0.5"]
    jail = ["--jail", "auto", "--jail-cores", "0", "--jail-allow", str(tmp_path)]
    assert main([*words, str(folder), "--game", "mancala", *players, *jail]) == 0
    plan = Folder(folder).plan()
    assert plan.players == (
        Contestant(
            "ann", exec="python3 a.py -i {in}", adapter="mancala", workdir=str(tmp_path / "ann"), memory=512,
            lenient=True,
        ),
        Contestant("bob", exec="sh -c 'echo a; echo b'", adapter="mancala", workdir=str(Path.cwd()), depth=6),
        Contestant("three", bot="search@3", seconds=0.5),
    )  # fmt: skip
    assert (plan.jail, plan.jail_cores, plan.jail_allow) == ("auto", "0", (str(tmp_path),))
    capsys.readouterr()
    for wrong, sentence in (
        ("ann=exec:./a;adapter=chess", "adapter of ann should be one of"),
        ("ann=exec:./a;memory=much", "ann: memory should be a whole number"),
        ("ann=greedy;adapter=mancala", "adapter of ann should be one of"),
        ("exec:./a", "there is no bot 'exec:./a'"),
    ):
        game = ["--game", "mancala", "--bot", "greedy", "--bot", wrong]
        assert main([*words, str(tmp_path / "other"), *game]) == 2
        assert sentence in capsys.readouterr().err


def test_openings_of_a_file_become_part_of_the_plan(tmp_path: Path) -> None:
    (tmp_path / "openings.txt").write_text("a1 b2\nc3 d4\n")
    players = ["--game", "cohcoh", "--bot", "a=greedy", "--bot", "b=random"]
    words = [*players, "--openings", str(tmp_path / "openings.txt"), "--same-openings", "--concurrency", "auto"]
    assert main(["tournament", "new", str(tmp_path / "cup"), *words]) == 0
    (tmp_path / "openings.txt").unlink()
    found = Folder(tmp_path / "cup").plan()
    assert (len(found.openings), found.same_openings, found.opening_plies) == (2, True, 0)
    assert found.concurrency >= 1


def test_kind_of_openings_overrides_that_of_a_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = create("cohcoh").start_position
    players = '[[player]]\nbot = "greedy"\n[[player]]\nbot = "random"\n'
    (tmp_path / "plan.toml").write_text(f'game = "cohcoh"\nopenings = ["{start}"]\n{players}')
    for number, (words, balanced, plies) in enumerate(
        (
            (["balanced"], True, 4),
            (["random"], False, 4),
            (["balanced", "--opening-plies", "2"], True, 2),
        )
    ):
        folder = tmp_path / str(number)
        words = ["new", str(folder), "--plan", str(tmp_path / "plan.toml"), "--openings", *words]
        assert main(["tournament", *words]) == 0
        found = Folder(folder).plan()
        assert (found.openings, found.balanced, found.opening_plies) == ((), balanced, plies)
    words = ["new", str(tmp_path / "cup"), "--game", "conga", "--bot", "a=random", "--bot", "b=random"]
    assert main(["tournament", *words, "--openings", "balanced", "--opening-plies", "0"]) == 2
    assert "balanced openings have moves: set opening_plies to at least 1" in capsys.readouterr().err
    assert main(["tournament", *words, "--openings", "balance"]) == 2
    assert "balance" in capsys.readouterr().err
