from __future__ import annotations

import pytest

from server.domain.decision import Refusal
from server.handlers.player_names import MAX_NUMBERED_GUESTS, check_name, check_new_name, claim_free_name
from tests.server.fakes import Harness

NODE = "n1"


async def test_many_guests_of_one_name_get_random_letters(server: Harness) -> None:
    names = [await claim_free_name(server.store, "ann", NODE, f"p{n}") for n in range(MAX_NUMBERED_GUESTS + 1)]
    assert names[:-2] == ["ann", *(f"ann~{n}" for n in range(2, MAX_NUMBERED_GUESTS))]
    assert not any(name.removeprefix("ann~").isdecimal() and len(name) < 7 for name in names[-2:])
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", ["x" * 9, "a\nb", " ann", "a\u200bb"])
def test_name_that_is_too_long_or_unreadable_is_refused(name: str) -> None:
    for check in (check_name, check_new_name):
        with pytest.raises(Refusal) as refused:
            check(name, 8)
        assert refused.value.code == "bad_name"


@pytest.mark.parametrize("name", ["ann", "Анна", "李 ann", "x" * 8])
def test_readable_names_are_accepted(name: str) -> None:
    check_new_name(name, 8)


def test_new_name_with_mixed_alphabets_is_refused() -> None:
    mixed = "аnn"  # with a Cyrillic а
    check_name(mixed, 8)  # players keep names given under older rules
    with pytest.raises(Refusal, match="mixes"):
        check_new_name(mixed, 8)
