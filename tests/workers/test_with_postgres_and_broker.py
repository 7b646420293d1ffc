"""Workers that use PostgreSQL, alone and with a broker. Towards the broker every worker is a node."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from bench.cluster.broker import Broker
from tests.nodes import test_pairing, test_two_nodes
from tests.nodes.conftest import Start
from tests.nodes.conftest import prefix as prefix
from tests.workers.conftest import start_workers

MAIN_TESTS = (
    test_two_nodes.test_game_is_played_across_two_nodes,
    test_two_nodes.test_rematch_takes_both_players_along,
    test_two_nodes.test_quick_pairing_finds_players_on_another_node,
    test_two_nodes.test_lobby_shows_rooms_and_bots_of_all_nodes,
    test_two_nodes.test_invitations_reach_players_on_any_node,
    test_two_nodes.test_guest_names_are_unique_among_all_nodes,
    test_two_nodes.test_watchers_of_all_nodes_are_counted,
    test_two_nodes.test_two_nodes_deciding_together_agree_on_one_order,
    test_pairing.test_house_bot_of_another_node_is_invited,
)
for test in MAIN_TESTS:
    globals()[test.__name__] = test


@pytest.fixture(params=["postgres", "postgres and broker"])
async def start(
    request: pytest.FixtureRequest, folder: str, database: str, broker: Broker, prefix: str
) -> AsyncIterator[Start]:
    """Start a worker with these settings, in this process."""
    bus = broker.url if request.param.endswith("broker") else ""
    async with AsyncExitStack() as stack:
        yield start_workers(stack, folder, db=database, bus=bus, bus_prefix=prefix)
