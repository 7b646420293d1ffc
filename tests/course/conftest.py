"""Fixtures for the tests of the course programs."""

from __future__ import annotations

import os

import pytest


@pytest.fixture
def quiet_machine() -> None:
    """Skip tests of elapsed time while other processes use the processors."""
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    if busy > 1.5:
        pytest.skip(f"the machine is too busy to measure time ({busy:.1f} jobs per processor)")
