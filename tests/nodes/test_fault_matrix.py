"""Each part of a cluster fails for some seconds, with each broker, during games with short clocks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bench.cluster.broker import Broker, available
from bench.cluster.postgres import Postgres
from tests.nodes.fault_games import (
    FAULTS,
    Cluster,
    Fault,
    Outcome,
    SilentGame,
    broker_killed,
    database_frozen,
    late_flag_ms,
    node_cut_from_the_broker,
    node_stopped,
    play_through,
)
from tests.nodes.haproxy import balancer

pytestmark = pytest.mark.long
MAX_LATE_FLAG_MS = 1000
BROKER_FAULTS = broker_killed, node_cut_from_the_broker
MAX_SILENCE_MS = 4000  # of a game while only the broker fails: twice what is documented, for a busy machine


@pytest.fixture
async def cluster(
    database: str, postgres: Postgres, prefix: str, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Cluster]:
    """Three nodes, with a broker that may be killed."""
    broker = Broker(request.param)
    await asyncio.to_thread(broker.start)
    cluster = Cluster(postgres, database, broker, prefix, tmp_path / "nodes.log")
    await cluster.start()
    yield cluster
    await cluster.close()
    await asyncio.to_thread(broker.close)


both_brokers = pytest.mark.parametrize("cluster", available() or ["nats"], indirect=True)


def check(result: Outcome) -> None:
    assert (result.wrong_flags, result.lost, result.duplicated, result.desyncs) == (0, 0, 0, 0)


@both_brokers
@pytest.mark.parametrize("fault", FAULTS)
async def test_no_player_loses_on_time_because_of_a_fault(
    cluster: Cluster, database: str, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Afterwards, a player who does not move still loses on time. Without the broker, games go on meanwhile."""
    urls = [node.url for node in cluster.nodes]
    result = await play_through(cluster, urls, database, fault, monkeypatch)
    check(result)
    if fault in BROKER_FAULTS:
        assert result.silence_ms < MAX_SILENCE_MS
    assert await late_flag_ms(urls, database) < MAX_LATE_FLAG_MS


@both_brokers
@pytest.mark.parametrize("fault", BROKER_FAULTS)
@pytest.mark.parametrize("place", [0, 1], ids=["cut off", "connected"])
async def test_silent_player_loses_on_time_while_the_broker_fails(
    cluster: Cluster, database: str, fault: Fault, place: int
) -> None:
    """`place`: the node of the silent player."""
    urls = [cluster.nodes[number].url for number in (1 - place, place)]
    game = SilentGame(urls, 0)
    await game.start()
    _, late = await asyncio.gather(fault(cluster), game.late_flag_ms(database))
    assert late < MAX_LATE_FLAG_MS


@both_brokers
@pytest.mark.parametrize("fault", [database_frozen, node_stopped])
async def test_no_player_loses_on_time_because_of_a_fault_behind_a_balancer(
    cluster: Cluster, database: str, fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HAProxy keeps the clients of a node without a database, and moves those of a node that is stopped."""
    async with balancer([f"127.0.0.1:{node.port}" for node in cluster.nodes], tmp_path) as url:
        result = await play_through(cluster, [url] * 3, database, fault, monkeypatch)
        check(result)
        assert bool(result.reconnects) == (fault is node_stopped)
        assert await late_flag_ms([url] * 3, database) < MAX_LATE_FLAG_MS
