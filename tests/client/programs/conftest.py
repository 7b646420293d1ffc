"""Fixtures for programs and bots that are ended after a test."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from client.programs.child import Child
from client.programs.line_bot import LineBot, ProgramPool
from client.programs.program import Program

Start = Callable[[Program], LineBot]


@pytest.fixture
def children() -> Iterator[list[Child]]:
    started: list[Child] = []
    yield started
    for child in started:
        child.stop()


@pytest.fixture
def start() -> Iterator[Start]:
    bots: list[LineBot] = []

    def begin(program: Program) -> LineBot:
        bots.append(LineBot(ProgramPool(program)))
        return bots[-1]

    yield begin
    for bot in bots:
        bot.close()
        bot.pool.close()
