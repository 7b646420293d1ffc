"""Real parts for the tests: a PostgreSQL for the whole run, with a fresh database for whoever asks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from bench.cluster.broker import Broker
from bench.cluster.postgres import Missing, Postgres

_numbers = count(1)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    try:
        server = Postgres(durable=False)
    except Missing as missing:
        pytest.skip(str(missing))
    try:
        server.start()
        yield server
    finally:
        server.close()


@pytest.fixture
async def database(postgres: Postgres) -> str:
    """The address of an empty database."""
    name = f"test{next(_numbers)}"
    await postgres.create(name)
    return postgres.url(name)


@pytest.fixture(scope="session")
def broker(request: pytest.FixtureRequest) -> Iterator[Broker]:
    """An MQTT broker for the whole run: the best that is installed, or of the kind that a test asks for."""
    try:
        server = Broker(getattr(request, "param", ""))
    except Missing as missing:
        pytest.skip(str(missing))
    try:
        server.start()
        yield server
    finally:
        server.close()
