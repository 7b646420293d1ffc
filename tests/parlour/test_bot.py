"""`parlour bot` reports a wrong argument in one sentence, before it connects."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.cli.main import main
from tests.parlour.test_cli import Out, error_of
from tests.waiting import TIMEOUT_S

FILES = {"broken.py": "def f(:\n", "empty.py": "x = 1\n", "raises.py": "\n1 / 0\n"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nosuchbot"], "there is no bot 'nosuchbot'"),
        ([], "name either a bot (a built-in one or a file), or a program with --exec"),
        (["random", "--exec", "true"], "name either a bot (a built-in one or a file), or a program with --exec"),
        (["broken.py"], "broken.py cannot be loaded: invalid syntax (line 1)"),
        (["empty.py"], "must define one subclass of parlour.Bot"),
        (["raises.py"], "raises.py cannot be loaded: ZeroDivisionError: division by zero (line 2)"),
        (["none.py"], "there is no file"),
        (["search", "--level", "11"], "--level must be from 1 to 10"),
        (["random", "--seek", "chess"], "random does not play 'chess'"),
        (["random", "--seek", "conga", "--games", "mancala"], "random does not play 'conga'; it plays mancala"),
        (["random", "--seek", "conga", "--clock", "quick"], "'quick' is not a valid clock"),
        (["random", "--seek", "conga", "--option", "stones=99"], "option stones of conga must be a whole number"),
        (["random", "--url", "not a url"], "'not a url' is not a server address"),
        (["random", "--challenge", "bob"], "--challenge needs one --seek GAME"),
        (["random", "--workdir", "."], "--workdir needs --exec"),
        (["random", "--moves", "a4b3"], "--position and --moves need --ask"),
        (["random", "--ask", "conga", "--moves", "a4b3 nonsense"], "'nonsense' is not a move of conga"),
        (["search@11"], "'search@11' is not a bot: only search has levels, search@1 to search@10"),
        (["random", "--state", "."], "--state: . is a folder: rename it, or choose another file"),
        (["--exec", "no-such-thing"], "there is no program 'no-such-thing': check its path, or install it"),
        (["--exec", "./empty.py"], "the file './empty.py' is not executable: make it executable with chmod +x"),
        (["--exec", "true", "--adapter", "chess"], "there is no adapter 'chess'"),
        (
            ["--exec", "true {board}", "--adapter", "conga"],
            "unknown placeholder {board}: use {depth} {side} {seconds} {seconds.3}",
        ),
        (["--exec", "true", "--ready", "--url", "127.0.0.1:9"], "it was not ready to play"),
        (
            ["--exec", "sh -c 'echo no wisdom >&2; exit 3'"],
            "it exited with status 3: no wisdom; a bot must keep",
        ),
        (["--exec", "false", "--ask", "conga"], "false failed: no answer: it exited with status 1; crash report in "),
    ],
)
def test_wrong_arguments_get_one_sentence(
    words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Out
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("client.programs.line_bot.EARLY_EXIT_S", TIMEOUT_S)  # the machine may be busy
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    assert sentence in error_of(["bot", *words], capsys)


def test_level_is_part_of_the_name(capsys: Out) -> None:
    assert main(["bot", "search@1", "--ask", "conga"]) == 0
    assert capsys.readouterr().out.startswith("a4")
