"""Write a package with a small game that works, as the beginning of another one."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from engine.entry_points import NAME
from engine.registry import GAMES
from parlour.errors import UserError

TEMPLATE_NAME = "apart"  # the game of the template
FILES = {  # a file of the template -> the file of the package
    "pyproject.toml.txt": "pyproject.toml",
    "game.py.txt": "parlour_apart.py",
    "perft.json.txt": "parlour_apart.perft.json",
    "test.py.txt": "test_apart.py",
    "README.md.txt": "README.md",
}


def check_name(name: str) -> None:
    """Refuse a name that a new game cannot have. Raises UserError."""
    if NAME.fullmatch(name) is None:
        raise UserError(
            f"{name[:40]!r} is not a name for a game: use a lower-case letter, then lower-case letters, digits and "
            "underscores, like hex or tic_tac_toe"
        )
    if name in GAMES.names():
        raise UserError(f"there is a game {name!r} already; choose another name")


def new_package(name: str, folder: Path) -> list[Path]:
    """Write the package into a new or empty folder, and return its files. Raises UserError or OSError."""
    check_name(name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} exists and is not an empty folder; choose another one with --folder")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for source, target in FILES.items():
        text = (files("parlour.cli") / "game_template" / source).read_text(encoding="utf-8")
        file = folder / renamed(target, name)
        file.write_text(renamed(text, name), encoding="utf-8")
        written.append(file)
    return written


def renamed(text: str, name: str) -> str:
    """Return a text of the template for a game of another name."""
    words = name.split("_")
    title = " ".join(word.capitalize() for word in words)
    marker = "\0"  # titles are not replaced twice
    text = text.replace("class Apart(", f"class {marker}(").replace("parlour_apart.Apart", f"parlour_apart.{marker}")
    text = text.replace("Apart", title).replace(marker, "".join(word.capitalize() for word in words))
    return text.replace("parlour-apart", f"parlour-{name.replace('_', '-')}").replace(TEMPLATE_NAME, name)
