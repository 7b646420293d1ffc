"""Settings of Hypothesis, and fixtures for all tests: PostgreSQL databases and an MQTT broker."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import HealthCheck, settings

from bench.cluster.broker import Broker
from bench.cluster.postgres import Missing, Postgres
from server.logs import JsonFormatter, TextFormatter

_numbers = count(1)

# The same examples on every machine, without a time limit: a slow machine is not a failure.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def remove_log_handlers() -> Iterator[None]:
    """Drop the log handlers of servers started in this process: pytest closes the stderr they write to."""
    yield
    for handler in list(logging.root.handlers):
        if isinstance(handler.formatter, JsonFormatter | TextFormatter):
            logging.root.removeHandler(handler)
    logging.getLogger("parlour").setLevel(logging.NOTSET)


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
    """Return the address of an empty database."""
    name = f"test{next(_numbers)}"
    await postgres.create(name)
    return postgres.url(name)


@pytest.fixture(scope="session")
def broker(request: pytest.FixtureRequest) -> Iterator[Broker]:
    """Return an MQTT broker for the whole run: the best one installed, or the kind that a test asks for."""
    try:
        server = Broker(getattr(request, "param", ""))
    except Missing as missing:
        pytest.skip(str(missing))
    try:
        server.start()
        yield server
    finally:
        server.close()
