"""Walks through a live server, traced by bench.walk."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.waiting import TIMEOUT_S

# files, changes of file; a reconnect varies a little with the order in which pong and hello arrive
MAX_FILES_AND_CHANGES = {"move": (14, 28), "reconnect": (30, 81), "rated-end": (31, 82)}


def run_walk(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench.walk", *words], capture_output=True, text=True, timeout=TIMEOUT_S
    )


def test_walk_of_a_move_starts_in_the_transport_and_passes_rules_and_store() -> None:
    done = run_walk("move")
    assert done.returncode == 0, done.stderr
    title, *visits, summary = done.stdout.splitlines()
    assert title.startswith("move: ")
    assert "data_received" in visits[0]
    files = [line.split()[1] for line in visits]
    rules, store = files.index("engine/games/conga.py"), next(n for n, file in enumerate(files) if "sqlite" in file)
    assert 0 < rules < store < len(files) - 1
    assert summary == f"{len(set(files))} files, {len(files) - 1} changes of file"


def test_other_walks_are_traced_too() -> None:
    done = run_walk("reconnect", "rated-end", "--json")
    assert done.returncode == 0, done.stderr
    walks = json.loads(done.stdout)
    assert list(walks) == ["reconnect", "rated-end"]
    for walk in walks.values():
        files = {call["file"] for call in walk["calls"]}
        assert walk["files"] == len(files) > 1
        assert any("sqlite" in file for file in files)


def test_walks_do_not_grow() -> None:
    walks = json.loads(run_walk("--json").stdout)
    seen = {name: (walk["files"], walk["changes"]) for name, walk in walks.items()}
    assert seen.keys() == MAX_FILES_AND_CHANGES.keys()
    for name, (files, changes) in MAX_FILES_AND_CHANGES.items():
        assert seen[name][0] <= files, seen
        assert seen[name][1] <= changes, seen


def test_unknown_walk_is_refused_with_the_names_of_the_walks() -> None:
    done = run_walk("stroll")
    assert done.returncode == 2
    assert "'stroll' is not a walk: try move, reconnect, rated-end" in done.stderr
