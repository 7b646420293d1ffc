"""The command line: output, one sentence for a mistake, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from engine.registry import GAMES
from parlour.cli.main import COMMANDS, main
from tests.parlour.records import GOOD, MANCALA, save

Out = pytest.CaptureFixture[str]


def test_help_lists_every_command(capsys: Out) -> None:
    for words in ([], ["-h"], ["--help"], ["help"]):
        assert main(words) == 0
        text = capsys.readouterr().out
        assert all(f"  {name}" in text and summary in text for name, summary in COMMANDS.items())


def test_version_is_printed(capsys: Out) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("parlour 0.")


@pytest.mark.parametrize("name", ["perft", "rules", "show", "verify", "export"])
def test_command_has_help(name: str, capsys: Out) -> None:
    for words in ([name, "--help"], ["help", name]):
        with pytest.raises(SystemExit) as caught:
            main(words)
        assert caught.value.code == 0
        assert f"usage: parlour {name}" in capsys.readouterr().out


def test_every_command_has_a_module() -> None:
    for name in COMMANDS:
        module = __import__(f"parlour.cli.commands.{name}", fromlist=["run"])
        assert module.__doc__
        assert callable(module.arguments)
        assert callable(module.run)


def error_of(words: list[str], capsys: Out) -> str:
    """Run a command that fails, and return its error: one line, exit code 2."""
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("parlour: ")
    assert captured.err.count("\n") == 1
    return captured.err


def test_unknown_command_is_refused(capsys: Out) -> None:
    assert "there is no command 'dance'; 'parlour --help' lists them" in error_of(["dance"], capsys)


def test_mistyped_command_gets_a_suggestion(capsys: Out) -> None:
    assert "there is no command 'Plya': did you mean 'play'? 'parlour --help' lists them" in error_of(["Plya"], capsys)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["play", "conga", "--clock"], "--clock needs a value; see 'parlour play --help'"),
        (["play", "conga", "--clock", "-1+2"], "'-1+2' is not a valid clock: try 5+3"),
        (["play", "conga", "--seat", "third"], "--seat must be one of first, 0, second, 1, not 'third'; see"),
        (["play", "conga", "mancala"], "unknown option or extra argument: mancala; see 'parlour play --help'"),
        (["play", "conga", "--t", "x"], "--t is ambiguous: write one of --token, --tls-trust, --theme; see"),
        (["export", "x", "--json", "--text"], "--text and --json exclude each other: use one of them; see"),
        (["loadtest", "--matches", "x"], "--matches must be a number, not 'x'; see 'parlour loadtest --help'"),
        (["course"], "missing: PROGRAM; see 'parlour course --help'"),
        (["tournament", "run"], "missing: FOLDER; see 'parlour tournament run --help'"),
        (["tournament", "run", "x", "--bot", "x="], "--bot: expected BOT or NAME=BOT, for example greedy"),
        (["best", "conga", "--seconds", "-1"], "--seconds: expected seconds, a number above 0, not '-1'; see"),
        (["verify", "-3.txt"], "there is no file -3.txt: check the name"),
    ],
)
def test_wrong_arguments_are_explained(words: list[str], sentence: str, capsys: Out) -> None:
    assert f"parlour: {sentence}" in error_of(words, capsys)


def test_records_and_tournaments_are_told_apart(tmp_path: Path, capsys: Out) -> None:
    folder, bundle, game = tmp_path / "cup", tmp_path / "cup.zip", save(tmp_path, GOOD)
    folder.mkdir()
    (folder / "plan.toml").touch()
    with ZipFile(bundle, "w") as archive:
        archive.writestr("plan.toml", "")
    for command in ("verify", "show", "export"):
        assert f"'parlour tournament verify {bundle}'" in error_of([command, str(bundle)], capsys)
        assert f"'parlour tournament export {folder}'" in error_of([command, str(folder)], capsys)
    assert f"'parlour tournament export {folder}'" in error_of(["tournament", "verify", str(folder)], capsys)
    assert f"'parlour verify {game}' checks a single game" in error_of(["tournament", "verify", game], capsys)


def test_tournament_folder_that_is_a_file_is_refused(tmp_path: Path, capsys: Out) -> None:
    file = save(tmp_path, GOOD)
    words = ["tournament", "new", file, "--game", "conga", "--bot", "greedy", "--bot", "random"]
    assert f"{file} is a file, not a folder: choose another name" in error_of(words, capsys)


def test_rules_lists_the_games_or_explains_one(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["rules"]) == 0
    listed = capsys.readouterr().out
    assert all(f"{name} " in listed for name in GAMES)
    for columns in (44, 100):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert main(["rules", "cohcoh"]) == 0
        text = capsys.readouterr().out
        assert "NOTATION" in text
        assert columns - 12 < max(map(len, text.splitlines())) <= columns


def test_rules_of_an_unknown_game_are_refused(capsys: Out) -> None:
    assert "chess" in error_of(["rules", "chess"], capsys)


def test_perft_prints_one_line_per_depth(capsys: Out) -> None:
    assert main(["perft", "conga", "4"]) == 0
    assert capsys.readouterr().out == "1 3\n2 8\n3 96\n4 1112\n"
    assert main(["perft", "mancala", "3", "--option", "pits=3", "--option", "stones=3"]) == 0
    assert capsys.readouterr().out == "1 3\n2 8\n3 19\n"
    assert main(["perft", "cohcoh", "1", "--position", ".w......b w"]) == 0
    assert capsys.readouterr().out == "1 7\n"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["chess", "3"], "there is no game 'chess'; choose one of conga"),
        (["conga", "3", "--option", "pits=3"], "conga has no option 'pits'"),
        (["conga", "3", "--option", "stones"], "--option needs NAME=VALUE, for example pits=6, not 'stones'"),
        (["conga", "3", "--option", "=3"], "--option needs NAME=VALUE"),
        (["conga", "3", "--option", "stones=x"], "option stones of conga must be a whole number from 1 to 15, not 'x'"),
        (["mancala", "3", "--option", "rules=mine"], "option rules of mancala must be one of course, prose, standard"),
        (["conga", "3", "--position", "x"], "not a position of conga: 'x' does not have the form"),
        (["conga", "3", "--position", ""], "not a position of conga: "),
        (
            ["cohcoh", "3", "--position", ".w......b w", "--option", "start=x"],
            "use either --position or --option start",
        ),
    ],
)
def test_perft_refuses_wrong_arguments(words: list[str], why: str, capsys: Out) -> None:
    assert why in error_of(["perft", *words], capsys)


@pytest.mark.parametrize(
    "words", [["perft"], ["perft", "conga", "0"], ["perft", "conga", "x"], ["verify"], ["export", "a", "b"]]
)
def test_missing_and_impossible_arguments_point_to_help(words: list[str], capsys: Out) -> None:
    assert f"; see 'parlour {words[0]} --help'" in error_of(words, capsys)


def test_verify_accepts_good_records(tmp_path: Path, capsys: Out) -> None:
    good, unfinished = save(tmp_path, GOOD, "good.txt"), save(tmp_path, MANCALA, "unfinished.txt")
    assert main(["verify", good, unfinished]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{good}: ok, conga, 1 ply, 1-0 no_moves",
        f"{unfinished}: ok, mancala, 4 plies, not finished",
    ]


def test_verify_names_the_first_wrong_ply_and_continues(tmp_path: Path, capsys: Out) -> None:
    wrong, good = (
        save(tmp_path, MANCALA.replace("player2 1", "player2 7"), "wrong.txt"),
        save(tmp_path, GOOD, "good.txt"),
    )
    assert main(["verify", wrong, good]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert (
        first == f"{wrong}: WRONG: ply 3: '7' is not a move of mancala: expected a column counted from the left, like 3"
    )
    assert second.endswith("ok, conga, 1 ply, 1-0 no_moves")


def test_verify_reports_unreadable_files(tmp_path: Path, capsys: Out) -> None:
    good, latin = save(tmp_path, GOOD), tmp_path / "latin.txt"
    latin.write_bytes("bøb".encode("latin-1"))
    assert main(["verify", str(tmp_path / "none"), str(tmp_path), str(latin), good]) == 2
    captured = capsys.readouterr()
    assert captured.err.splitlines() == [
        f"parlour: there is no file {tmp_path / 'none'}: check the name",
        f"parlour: {tmp_path} is a folder: give the name of a file",
        f"parlour: {latin} is not UTF-8 text: check that it is the right file",
    ]
    assert captured.out.endswith("ok, conga, 1 ply, 1-0 no_moves\n")


def test_export_writes_json(tmp_path: Path, capsys: Out) -> None:
    for words in ([], ["--json"]):
        assert main(["export", save(tmp_path, GOOD), *words]) == 0
        data = json.loads(capsys.readouterr().out)
        assert data["seats"] == ["alice", "bøb"]
        assert (data["game"], data["result"], data["reason"], data["seed"]) == ("conga", "1-0", "no_moves", 7)
        (move,) = data["moves"]
        assert move["note"] == "found \x1b[31m it"
        assert (move["ply"], move["side"], move["move"], move["left"], move["took"]) == (1, 0, "c3b4", 299.0, 1.0)
        assert move["position"] == "w9,b3,b1,./b1,b1,.,b1/b1,b1,.,./w1,b1,.,. w"


def test_export_writes_normalized_text(tmp_path: Path, capsys: Out) -> None:
    untidy = GOOD.replace("\n", "\r\n").replace("option stones: 10\r\n", "").replace("seat 0: ", "seat 0:   ")
    assert main(["export", "--text", save(tmp_path, untidy)]) == 0
    assert capsys.readouterr().out == GOOD


def test_export_reports_unreadable_records(tmp_path: Path, capsys: Out) -> None:
    assert "there is no file nowhere.txt: check the name" in error_of(["export", "nowhere.txt"], capsys)
    wrong = save(tmp_path, "parlour record 1\ngame: chess\n")
    assert f"{wrong}: line 2: there is no game 'chess'" in error_of(["export", wrong], capsys)


def test_wrong_record_is_exported_up_to_the_wrong_move(tmp_path: Path, capsys: Out) -> None:
    assert main(["export", save(tmp_path, MANCALA.replace("player2 1", "player2 7"))]) == 0
    moves = json.loads(capsys.readouterr().out)["moves"]
    assert [("position" in move) for move in moves] == [True, True, False, False]
