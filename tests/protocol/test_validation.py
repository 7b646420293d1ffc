"""The checks of msgpack values: where they end, duplicate keys, nesting."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest
from hypothesis import example, given

from protocol import validation
from protocol.validation import DuplicateKey, TooDeep
from tests.protocol.trees import msgpack_trees


@given(tree=msgpack_trees)
@example(tree={str(n): n for n in range(70000)})
@example(tree=list(range(70000)))
@example(tree=["x" * 300, "y" * 70000, b"z" * 300, b"z" * 70000])
def test_check_returns_the_end_of_the_value(tree: Any) -> None:
    data = msgpack.packb(tree)
    assert validation.check(data, 100) == len(data)


def test_duplicate_key_with_different_length_encodings_is_found() -> None:
    with pytest.raises(DuplicateKey):
        validation.check(b"\x82\xa2id\x01\xd9\x02id\x02", 1)


def test_nesting_is_limited() -> None:
    assert validation.check(b"\x91\x91\x01", 2) == 3
    with pytest.raises(TooDeep):
        validation.check(b"\x91\x91\x01", 1)
