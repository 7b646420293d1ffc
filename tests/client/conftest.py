"""Programs that are gone when a test is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from client.programs.child import Child


@pytest.fixture
def children() -> Iterator[list[Child]]:
    started: list[Child] = []
    yield started
    for child in started:
        child.stop()
