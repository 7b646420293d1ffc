"""Codes of private rooms."""

from __future__ import annotations

import pytest

from protocol.events import Created
from protocol.types import TimeControl
from server.domain.codes import hash_code, is_code, without_code


def created(**changes: str) -> Created:
    setup = {"room": "r1", "seq": 1, "at": 0, "game": "conga", "options": {}, "clock": TimeControl(), "by": "p1"}
    return Created(**{**setup, "private": True, **changes})  # type: ignore[arg-type]


def test_stored_event_has_a_salted_hash_instead_of_the_code() -> None:
    stored = without_code(created(code="k7d3m9q2xw"))
    assert (stored.code, stored.code_hash) == ("", hash_code("k7d3m9q2xw", "r1"))
    assert "k7d3m9q2xw" not in repr(stored)
    assert without_code(created(room="r2", code="k7d3m9q2xw")).code_hash != stored.code_hash
    assert without_code(stored) is stored


@pytest.mark.parametrize("setup", [created(code="k7d3m9q2xw"), without_code(created(code="k7d3m9q2xw"))])
def test_only_the_code_is_accepted(setup: Created) -> None:
    assert is_code(setup, "k7d3m9q2xw")
    for wrong in ("", "k7d3m9q2x", "K7D3M9Q2XW", setup.code_hash or "r1", setup.code_hash.partition(":")[2]):
        assert not is_code(setup, wrong)
