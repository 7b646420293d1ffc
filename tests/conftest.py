"""The surroundings and the order of all tests, settings of Hypothesis, PostgreSQL databases and an MQTT broker."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

from bench.cluster.broker import Broker
from bench.cluster.postgres import Missing, Postgres
from server.logs import JsonFormatter, TextFormatter
from tests.isolation import isolate
from tests.order import shuffle, slow_first
from tests.stylesheets import share_parsed_rules

GC_THRESHOLDS = (20_000, 20, 20)
_numbers = count(1)

# The same examples on every machine, without a time limit: a slow machine is not a failure.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run files, and the tests in each, in random order")


def pytest_configure(config: pytest.Config) -> None:
    home = TemporaryDirectory(prefix="parlour-home-", ignore_cleanup_errors=True)
    config.add_cleanup(home.cleanup)
    assert config.cache is not None
    isolate(Path(home.name), config.cache.mkdir("xdg"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seed = config.getoption("--shuffle")
    if seed is None:
        slow_first(items, lambda item: item.path)
    else:
        shuffle(items, lambda item: item.path, seed)


def pytest_collection_finish() -> None:
    """Keep the collected tests and all modules out of garbage collections, which took a third of the CPU time.

    Parse each stylesheet once.
    """
    share_parsed_rules()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty state folder, as on a machine where no game was played."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


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
