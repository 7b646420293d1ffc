from __future__ import annotations

from pathlib import Path

import pytest

from client.bots.loader import LoadError, load
from tests.client.bots.bot_files import BOT_SOURCE


def test_file_with_several_bots_needs_the_name_of_the_class(tmp_path: Path) -> None:
    path = tmp_path / "two.py"
    path.write_text(BOT_SOURCE + BOT_SOURCE.replace("Mine", "Yours"))
    assert load(f"{path}:Yours").__name__ == "Yours"
    with pytest.raises(LoadError, match=r"must define one subclass of parlour\.Bot.*; it has Mine, Yours"):
        load(str(path))
    with pytest.raises(LoadError, match="has no bot 'Theirs'; it has Mine, Yours"):
        load(f"{path}:Theirs")


def test_file_cannot_shadow_our_packages(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text("raise RuntimeError('the wrong engine')\n")
    path = tmp_path / "shadow.py"
    path.write_text("import engine.registry\n" + BOT_SOURCE)
    assert load(str(path)).name == "mine"


def test_file_can_import_its_neighbours(tmp_path: Path) -> None:
    path = tmp_path / "my_bot.py"
    path.write_text("import helper_of_my_bot\n" + BOT_SOURCE)
    (tmp_path / "helper_of_my_bot.py").write_text("")
    assert load(str(path)).name == "mine"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("class Bot: pass", "must define one subclass of parlour.Bot.*; it has none"),
        ("x = = 1", r"cannot be loaded: invalid syntax \(line 1\)"),
        ("x = 1\ny = x / 0", r"cannot be loaded: ZeroDivisionError: division by zero \(line 2\)"),
        ("raise SystemExit(3)", r"cannot be loaded: SystemExit: 3 \(line 1\)"),
    ],
)
def test_errors_name_the_line(source: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text(source)
    with pytest.raises(LoadError, match=text):
        load(str(path))


def test_missing_and_other_files_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="there is no file"):
        load(str(tmp_path / "none.py"))
    (tmp_path / "bot.txt").write_text("")
    with pytest.raises(LoadError, match=r"is not a Python file: its name must end in \.py"):
        load(str(tmp_path / "bot.txt"))
