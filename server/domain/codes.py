"""Codes of private rooms: the store keeps a salted hash, and only the memory of a node has the code itself. Pure."""

from __future__ import annotations

from hashlib import sha256

from protocol.events import Created


def hash_code(code: str, salt: str) -> str:
    """Return the salt and the hash of a code, as one text."""
    return f"{salt}:{sha256(f'{salt}:{code}'.encode()).hexdigest()}"


def is_code(setup: Created, code: str) -> bool:
    """Return whether a text is the code of a room."""
    if setup.code or not setup.code_hash:
        return code == setup.code
    return hash_code(code, setup.code_hash.partition(":")[0]) == setup.code_hash


def without_code(setup: Created) -> Created:
    """Return the event as it is stored: with the hash instead of the code."""
    if not setup.code:
        return setup
    values = {name: getattr(setup, name) for name in Created.__struct_fields__}
    return Created(**{**values, "code": "", "code_hash": hash_code(setup.code, setup.room)})
