from __future__ import annotations

import pytest

from client.bots.builtin.names import BUILTIN_BOT, COURSE_BOT


@pytest.mark.parametrize(
    ("name", "course", "builtin"),
    [
        ("random", True, True),
        ("minimax:3:windows", True, True),
        ("search", False, True),
        ("search@5", False, True),
        ("searcher", False, False),
        ("alice", False, False),
    ],
)
def test_names_are_recognised(name: str, course: bool, builtin: bool) -> None:
    assert bool(COURSE_BOT.match(name)) is course
    assert bool(BUILTIN_BOT.match(name)) is builtin
