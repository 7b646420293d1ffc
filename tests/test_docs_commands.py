"""The `parlour` commands in documents and in --help are valid, and --help fits 100 columns."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from parlour.cli.commands.course import PROGRAMS
from parlour.cli.commands.tournament import ACTIONS
from parlour.cli.main import COMMANDS, main, parser_of
from parlour.errors import UserError
from server.config import BadSetting, read_settings

ROOT = Path(__file__).parents[1]
EXAMPLES = [path for path in (ROOT / "examples").rglob("*.*") if path.is_file() and path.suffix != ".pyc"]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *EXAMPLES, ROOT / "docker-compose.yml"])
PAGES = [page for page in PAGES if page.name != "CHANGELOG.md"]
MODULES = [*(ROOT / "parlour/cli/commands").glob("*.py"), *(ROOT / "parlour/coursework").glob("*.py")]
COMMAND = r"(?:\S*/)?parlour (?P<words>[a-z].*)"
LINE = re.compile(rf"^[#/* ]*(?:\$ )?(?:[A-Z_]+=\S+ )*(?:cc .* && |javac .* && )?{COMMAND}$", re.M)
INLINE = re.compile(r"`(?:[A-Z_]+=\S+ )*parlour ([a-z][^`]*)`")
END_OF_COMMAND = re.compile(r"""   |  # | 2?[|>&]|\n|\"{3}""")
HELP_WIDTH = 100
SHOWN_AS_SYNTAX = re.compile(r"[\[|]|^\w+ …$|COMMAND|PROGRAM|course NAME")  # a form with alternatives, not a command


def commands_in(text: str) -> Iterator[str]:
    """Yield the arguments of every `parlour` command in a text."""
    for match in (*LINE.finditer(text), *INLINE.finditer(text)):
        words = END_OF_COMMAND.split(match[1])[0].removesuffix(" */").strip()
        if words.split()[0] in COMMANDS and not SHOWN_AS_SYNTAX.search(words):
            yield words


def problem(words: str) -> str:
    """Return what is wrong with the arguments of a command, or an empty text."""
    name, *rest = shlex.split(words)
    if rest[-1:] == ["--help"]:
        return ""
    try:
        args = parser_of(name).parse_args(rest)
        if name == "serve":
            read_settings({**vars(args), "tls_cert": None, "tls_key": None}, {})
        if name == "course":
            assert args.program in PROGRAMS
    except (BadSetting, UserError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize("page", [*PAGES, *MODULES], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_are_valid(page: Path) -> None:
    wrong = {words: problem(words) for words in commands_in(page.read_text(encoding="utf-8"))}
    wrong = {words: text for words, text in wrong.items() if text and not text.startswith("missing: ")}
    assert wrong == {}


def test_wrong_commands_are_found() -> None:
    text = "`parlour play --vas x`, `parlour dance`\n```\n$ X=1 parlour serve --port x   # go\nparlour perft conga 3\n"
    assert list(commands_in(text)) == ["serve --port x", "perft conga 3", "play --vas x"]
    assert [bool(problem(words)) for words in commands_in(text)] == [True, False, True]


@pytest.mark.parametrize(
    "words",
    [
        [],
        *([name] for name in COMMANDS),
        *(["tournament", name] for name in ACTIONS),
        *(["course", name] for name in PROGRAMS),
        *(["course", "maxconnect4", mode] for mode in ("interactive", "one-move")),
    ],
    ids=" ".join,
)
def test_help_fits_and_has_an_example(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(HELP_WIDTH))
    with suppress(SystemExit):
        assert main([*words, "--help"]) == 0
    text = capsys.readouterr().out
    assert [line for line in text.splitlines() if len(line) > HELP_WIDTH] == []
    assert text.count(" ".join(["parlour", *words[:2]])) > 1, "usage, and at least one example"
