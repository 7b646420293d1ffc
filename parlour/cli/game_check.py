"""Find a game that is to be checked, and check it: its contract, its counts, its search, its pictures."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from client.presentation.rules.chapter import BadChapter, board_tree, layout_tree, read_chapter
from client.tui.render.appearance import Appearance
from client.tui.render.board_picture import BoardPicture
from client.tui.render.fit import fit_board
from engine.board import Board
from engine.contract.positions import walk
from engine.contract.report import Finding, all_findings, one
from engine.contract.sentences import ContractError, expect
from engine.contract.time_limit import within
from engine.entry_points import GROUP, Plugin, installed_plugins, sort_out
from engine.game import Game
from engine.plugins import LOAD_CPU_S, LOAD_TIMEOUT_S, game_class, import_game
from engine.registry import GAMES
from parlour.errors import UserError
from runtime.untrusted_files import MAX_PLAN_BYTES, parse_toml, read_file

LOOKS = (Appearance("dark"), Appearance("light"), Appearance("mono"), Appearance("mono", ascii_only=True))
OWN_PACKAGE = "Parlour"
COLUMNS, ROWS = 80, 24  # of the smallest usual terminal
DRAWN_STEP = 5  # every fifth position is drawn


def plugins_of(text: str) -> list[Plugin]:
    """Return the games of a folder, a file, a package or a module, or the game of a name. Raises UserError."""
    path = Path(text)
    if path.is_dir():
        return plugins_of_folder(path)
    if path.suffix == ".py":
        if not path.is_file():
            raise UserError(f"there is no file {text}: check the name")
        sys.path.insert(0, str(path.resolve().parent))
        return [Plugin("", text, path.stem, "")]
    if text in GAMES.own:
        game = GAMES[text]
        return [Plugin(text, OWN_PACKAGE, game.__module__, game.__name__)]
    plugins = installed_plugins()
    folded = text.lower().replace("_", "-")
    found = [one for one in plugins if text == one.name]
    found = found or [one for one in plugins if folded == one.package.rpartition(" ")[0].lower()]
    found = found or [one for one in plugins if text == one.module]
    if found:
        return found
    if is_module(text):
        return [Plugin("", text, text, "")]
    names = ", ".join(one.name for one in plugins) or "none"
    raise UserError(
        f"{text[:60]!r} is no game, folder, module or installed package; installed games of packages: {names}; "
        "'parlour game check FOLDER' checks a package that is not installed"
    )


def plugins_of_folder(folder: Path) -> list[Plugin]:
    """Return the games in the `pyproject.toml` of a folder. Raises UserError."""
    file = folder / "pyproject.toml"
    try:
        project = parse_toml(read_file(file, MAX_PLAN_BYTES).decode())["project"]
        games = project["entry-points"][GROUP]
        plugins = []
        for name, target in games.items():
            module, _, attribute = str(target).partition(":")
            plugins.append(Plugin(name, f"{project['name']} {project.get('version', '')}", module.strip(), attribute))
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UserError(f"cannot read {file}: {why}; 'parlour game new NAME' writes a package") from None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise UserError(
            f'{file} has no game: it needs a section [project.entry-points."{GROUP}"] with a line NAME = "MODULE"'
        ) from None
    for place in (folder / "src", folder):
        sys.path.insert(0, str(place.resolve()))
    return plugins


def is_module(name: str) -> bool:
    from importlib.util import find_spec

    try:
        return all(part.isidentifier() for part in name.split(".")) and find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def check_plugin(plugin: Plugin, perft: Path | None) -> Iterator[Finding]:
    """Yield the results of all checks of a game."""
    if plugin.name and plugin.package != OWN_PACKAGE:
        _, refused = sort_out([plugin], GAMES.own)
        mistakes = tuple(sentence.partition(" is refused: ")[2] for sentence in refused.values())
        yield Finding("name", mistakes)
    found: list[type[Game]] = []
    imported = one("import", lambda: found.append(loaded(plugin)))
    yield imported
    if not found:
        return
    game = found[0]
    module = sys.modules[game.__module__]
    file = perft or Path(str(module.__file__)).with_suffix(".perft.json")
    right = True
    for finding in all_findings(game, file):
        right &= not finding.mistakes or finding.check == "perft"
        yield finding
    if right:
        yield from pictures(game)


def loaded(plugin: Plugin) -> type[Game]:
    try:
        game = within(LOAD_CPU_S, LOAD_TIMEOUT_S, lambda: game_class(import_game(plugin.module), plugin.attribute))
    except TimeoutError:
        raise ContractError(f"importing {plugin.module!r} takes longer than {LOAD_CPU_S:.0f} s") from None
    name = getattr(game, "name", None)
    expect(
        not plugin.name or name == plugin.name,
        f"its entry point is {plugin.name!r}, but the class has the name {name!r}: use the same name in both",
    )
    if not plugin.name:
        _, refused = sort_out([Plugin(str(name), plugin.package, plugin.module, "")], GAMES.own)
        expect(not refused, "".join(sentence.partition(" is refused: ")[2] for sentence in refused.values()))
    return game


# -- pictures


def pictures(game: type[Game]) -> Iterator[Finding]:
    instance = game({})
    yield one("pictures in the terminal", lambda: draw_in_terminal(instance))
    yield one("pictures in the browser", lambda: draw_in_browser(instance))
    if game.page:
        yield one("page of rules", lambda: read_page(instance))
    else:
        yield Finding("page of rules", note="left out: the class has no `page`, so people see only the notation")


def draw_in_terminal(game: Game) -> None:
    for look in LOOKS:
        for flipped in (False, True):
            for state in list(walk(game, 1))[::DRAWN_STEP]:
                board = game.draw(state)
                picture = fit_board(game, board, COLUMNS, ROWS, look, flipped=flipped)
                check_picture(picture, board, game.dump(state))


def check_picture(picture: BoardPicture, board: Board, position: str) -> None:
    lines = picture.lines()
    widths = {sum(segment.cell_length for segment in line) for line in lines}
    expect(
        len(widths) == 1 and len(lines) == picture.rows,
        f"the picture of {position!r} is ragged: marks, files and ranks must be narrow characters",
    )
    places = [picture.cell_at(x, y) for y in range(picture.rows) for x in range(picture.columns)]
    missing = {cell.name for cell in board.cells()} - {cell.name for cell in places if cell is not None}
    expect(not missing, f"the cells {sorted(missing)[:3]} cannot be pointed at in the picture of {position!r}")


def draw_in_browser(game: Game) -> None:
    json.dumps(layout_tree(game))
    cells = len(game.draw(game.start()).cells())
    for state in walk(game, 1):
        board = board_tree(game.draw(state))
        json.dumps(board)
        expect(
            len(board) == cells,
            f"draw() gives {len(board)} cells in {game.dump(state)!r}, and {cells} at the start: the cells of a game "
            "are always the same",
        )


def read_page(game: Game) -> None:
    try:
        read_chapter(game, game.page)
    except BadChapter as error:
        raise ContractError(f"`page` cannot be shown: {error}") from error
