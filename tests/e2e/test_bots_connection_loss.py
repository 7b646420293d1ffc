"""Bots among cuts, and bots that look for different games: they find each other, and play every game to its end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from protocol.types import Options
from tests.e2e.bots import builtin, finished_games, run_bot, seek
from tests.e2e.faults import FaultProxy
from tests.e2e.parlours import parlour, session

SMALL: Options = {"pits": 3, "stones": 3}


async def test_bots_play_on_among_cuts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.bots.matchmaking.SEEK_WAIT_S", (0.2, 1.0))
    wishes = (seek("mancala", options=SMALL), seek("maxconnect4"), seek("cohcoh"))
    async with parlour(tmp_path) as there:
        proxies = [FaultProxy(there.url, seed) for seed in (1, 2)]
        async with proxies[0].open() as left, proxies[1].open() as right:
            for proxy in proxies:  # a dozen moves or so; what is left to chance in time may not happen at all
                proxy.cut_between = (300, 1200)
            played = await asyncio.wait_for(
                asyncio.gather(
                    run_bot(left.url, builtin("random"), seeks=wishes, games=6),
                    run_bot(right.url, builtin("greedy"), seeks=wishes, games=6),
                ),
                50,
            )
        assert tuple(played) == (6, 6)
        assert sum(proxy.cuts for proxy in proxies) >= 6
        async with session(there.url) as guest:
            reasons = {info.reason for info in await finished_games(guest) if info.reason != "aborted"}
        assert reasons <= {"score", "line", "no_moves"}


async def test_bots_with_other_preferences_find_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each waits for another game, and has place for one only."""
    monkeypatch.setattr("client.bots.matchmaking.SEEK_WAIT_S", (0.05, 0.3))
    games = (seek("mancala", options=SMALL), seek("maxconnect4"))
    one = {"concurrent": 1}
    async with parlour(tmp_path) as there:
        played = await asyncio.wait_for(
            asyncio.gather(
                run_bot(there.url, builtin("random"), seeks=games, games=2, policy=one),
                run_bot(there.url, builtin("greedy"), seeks=games[::-1], games=2, policy=one),
            ),
            30,
        )
        assert tuple(played) == (2, 2)
