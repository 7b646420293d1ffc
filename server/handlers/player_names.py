"""Names of players: which ones are accepted, and how a guest gets a name that is free."""

from __future__ import annotations

from protocol.usernames import is_readable, mixed_alphabets
from server.domain.decision import Refusal
from server.ids import random_id
from server.storage.interface import Store

MAX_NUMBERED_GUESTS = 10  # guests of one name that get a number; the next ones get random letters
MAX_SUFFIX_CHARS = 4  # characters that a name may have in addition because of a suffix such as "~12"


def new_guest_name() -> str:
    """Return a name for a guest who has not given one."""
    return f"guest-{random_id(4)}"


async def claim_free_name(store: Store, name: str, node: str, player: str) -> str:
    """Claim a name that no account owns, with a suffix if a player at any node has it."""
    if await store.claim_name(node, player, name):
        return name
    return await claim_numbered_name(store, name, node, player)


async def claim_numbered_name(store: Store, name: str, node: str, player: str) -> str:
    """Claim a taken name with a suffix that makes it free.

    The suffix is a number. From the tenth player on it is random: the thousandth must not try a thousand numbers.
    """
    number = 2
    while True:
        candidate = f"{name}~{number if number < MAX_NUMBERED_GUESTS else random_id(3)}"
        if await store.account_named(candidate) is None and await store.claim_name(node, player, candidate):
            return candidate
        number += 1


def check_name(name: str, max_length: int) -> None:
    """Raise Refusal if a text cannot be a player's name."""
    if len(name) > max_length:
        raise Refusal("bad_name", f"a name has at most {max_length} characters: choose a shorter one")
    if not is_readable(name):
        raise Refusal("bad_name", "a name consists of visible characters, without spaces at its ends: choose another")


def check_new_name(name: str, max_length: int) -> None:
    """Raise Refusal if a new player may not take this name. Players keep names given under older rules."""
    check_name(name, max_length)
    mixed = mixed_alphabets(name)
    if len(mixed) > 1:
        raise Refusal(
            "bad_name", f"a word uses one alphabet, but this name mixes {' and '.join(mixed)} letters: choose another"
        )
