"""The files and routes of the browser client, for the server that serves them.

The files are in `client/web`. The server does not import this package: the command hands both to it.
"""

from __future__ import annotations

import json
from pathlib import Path

from client.presentation.rules.chapter import all_chapters

WEB_FOLDER = Path(__file__).parents[1] / "web"
SERVED = (".css", ".html", ".js", ".svg")
ROUTES = (  # a segment in capitals stands for any text; client/web/router.js has the same routes
    "/",
    "/room/ID",
    "/game/ID",
    "/tv",
    "/tournaments",
    "/tournament/NAME",
    "/embed/ID",
    "/leaderboard/GAME",
    "/puzzles",
    "/puzzles/GAME",
    "/player/NAME",
    "/rules/GAME",
)


def website_files() -> dict[str, bytes]:
    """Return the contents of all files by their paths: those of the folder, and the rules of each game."""
    found = sorted(path for path in WEB_FOLDER.rglob("*") if path.suffix in SERVED)
    pages = {path.relative_to(WEB_FOLDER).as_posix(): path.read_bytes() for path in found}
    return pages | {f"rules/{game}.json": json.dumps(tree).encode() for game, tree in all_chapters().items()}
