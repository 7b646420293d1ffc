"""The browser client is complete: its routes are known to the server, and it loads nothing that is not there."""

from __future__ import annotations

import os
import re
from pathlib import PurePosixPath

import pytest

from client.presentation.website import ROUTES, website_files

FILES = website_files()
SCRIPTS = {name: text.decode() for name, text in FILES.items() if name.endswith(".js")}

PAGES = sorted(set(re.findall(r'import\("\./(pages/\w+\.js)"\)', SCRIPTS["router.js"])))


def test_server_knows_the_routes_of_the_browser() -> None:
    patterns = re.findall(r"pattern: /(\^.*?\$)/,", SCRIPTS["router.js"])
    assert patterns
    examples = [re.sub("[A-Z]+", "x", route) for route in ROUTES]
    unknown = [
        path for path in examples if not any(re.match(pattern.replace("\\/", "/"), path) for pattern in patterns)
    ]
    assert unknown == []
    assert len(patterns) == len(ROUTES)


def imported(name: str) -> set[str]:
    """Return the files that a script imports when it is loaded."""
    folder = PurePosixPath(name).parent
    targets = re.findall(r'(?:from|^import) "(\.[^"]+\.js)"', SCRIPTS[name], re.MULTILINE)
    return {os.path.normpath(folder / target) for target in targets}


def loaded(*names: str) -> set[str]:
    """Return scripts with everything that they import, directly or not."""
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += imported(name)
    return seen


def test_imports_and_links_name_existing_files() -> None:
    assert loaded(*SCRIPTS) == set(SCRIPTS)
    linked = re.findall(r'(?:href|src)="/static/([^"]+)"', FILES["index.html"].decode())
    assert linked
    assert [name for name in linked if name not in FILES] == []
    assert [name for name in PAGES if name not in FILES] == []


def test_scripts_make_no_markup_from_text() -> None:
    for name, text in SCRIPTS.items():
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|DOMParser", text), name


@pytest.mark.parametrize("page", PAGES)
def test_page_loads_at_most_150_kilobytes(page: str) -> None:
    page_itself = FILES["index.html"].decode()
    shared = {name for name in FILES if name == "index.html" or f"/static/{name}" in page_itself}
    assert sum(len(FILES[name]) for name in shared | loaded("app.js", page)) <= 150_000
