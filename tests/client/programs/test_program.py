"""Commands and names of programs."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from client.programs.failure import Failure
from client.programs.program import parse_command, program_name


def test_command_is_parsed_or_reported(tmp_path: Path) -> None:
    for command, why in (
        ("", "the command is empty"),
        ("'oops", "cannot be read: no closing quotation"),
        ("no-such-program-here", "there is no program 'no-such-program-here'"),
        ("./nor-this", "there is no program './nor-this'"),
    ):
        with pytest.raises(Failure, match=why):
            parse_command(command, tmp_path)
    (tmp_path / "mine").write_text("#!/bin/sh\n")
    (tmp_path / "mine").chmod(0o755)
    assert parse_command("./mine -x 'a b'", tmp_path) == (str(tmp_path / "mine"), "-x", "a b")


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("./my_program --fast", "my_program"),
        ("python3 exec_bot.py", "exec_bot"),
        ("/usr/bin/python3.12 -u bots/mine.py {in}", "mine"),
        ("java ExecBot", "ExecBot"),
        ("java -Xmx1g -cp build/classes Main", "Main"),
        ("java -jar target/my-bot.jar", "my-bot"),
        ("node exec_bot.js", "exec_bot"),
        ("python3 -m mybot", "mybot"),
        ("sh -c 'echo a4b3'", "sh"),
        ("python3", "python3"),
        (f"./{'x' * 50}", "x" * 32),
    ],
)
def test_program_is_named_after_its_script(command: str, name: str) -> None:
    assert program_name(shlex.split(command)) == name
