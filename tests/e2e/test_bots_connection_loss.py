"""Bots that lose their connections finish every game, and bots that seek different games find each other."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from protocol.types import Options
from tests.e2e.bots import builtin, finished_games, run_bot, seek
from tests.e2e.faults import FaultProxy
from tests.e2e.local_server import running_server, session
from tests.waiting import TIMEOUT_S

SMALL: Options = {"pits": 3, "stones": 3}


async def test_bots_finish_their_games_over_bad_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.bots.matchmaking.SEEK_WAIT_S", (0.2, 1.0))
    seeks = (seek("mancala", options=SMALL), seek("maxconnect4"), seek("cohcoh"))
    async with running_server(tmp_path) as server:
        proxies = [FaultProxy(server.url, seed) for seed in (1, 2)]
        async with proxies[0].open() as left, proxies[1].open() as right:
            for proxy in proxies:  # every dozen moves or so: by bytes, since cuts by time might not happen
                proxy.cut_between = (300, 1200)
            played = await asyncio.wait_for(
                asyncio.gather(
                    run_bot(left.url, builtin("random"), seeks=seeks, games=6),
                    run_bot(right.url, builtin("greedy"), seeks=seeks, games=6),
                ),
                TIMEOUT_S,
            )
        assert tuple(played) == (6, 6)
        assert sum(proxy.cuts for proxy in proxies) >= 6
        async with session(server.url) as guest:
            reasons = {info.reason for info in await finished_games(guest) if info.reason != "aborted"}
        assert reasons <= {"score", "line", "no_moves"}


async def test_bots_with_different_preferences_find_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each seeks another game first and may play only one at a time."""
    monkeypatch.setattr("client.bots.matchmaking.SEEK_WAIT_S", (0.05, 0.3))
    games = (seek("mancala", options=SMALL), seek("maxconnect4"))
    one = {"concurrent": 1}
    async with running_server(tmp_path) as server:
        played = await asyncio.wait_for(
            asyncio.gather(
                run_bot(server.url, builtin("random"), seeks=games, games=2, policy=one),
                run_bot(server.url, builtin("greedy"), seeks=games[::-1], games=2, policy=one),
            ),
            TIMEOUT_S,
        )
        assert tuple(played) == (2, 2)
