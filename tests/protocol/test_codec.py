"""Encoding and decoding of messages; bytes that cannot be decoded raise Malformed."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import codec
from protocol.codec import CODECS, JSON, MAX_MESSAGE_BYTES, MSGPACK, Codec, Malformed
from protocol.commands import Create, Move
from protocol.events import Ended, Moved
from protocol.replies import Error
from protocol.types import Message, TimeControl
from tests.protocol.trees import msgpack_trees

BOTH = pytest.mark.parametrize("codec", CODECS.values(), ids=lambda codec: codec.name)
MOVE = {"type": "move", "id": 7, "room": "r", "ply": 3, "move": "a4b3"}


def write(codec: Codec[Message], tree: Any) -> bytes:
    """Encode with another library."""
    return json.dumps(tree).encode() if codec.text else bytes(msgpack.packb(tree))


def read(codec: Codec[Message], data: bytes) -> Any:
    return json.loads(data) if codec.text else msgpack.unpackb(data)


@BOTH
def test_command_from_another_library_is_decoded(codec: Codec[Message]) -> None:
    assert codec.decode_command(write(codec, MOVE)) == Move(id=7, room="r", ply=3, move="a4b3")


@BOTH
def test_unknown_fields_are_ignored_and_absent_fields_have_defaults(codec: Codec[Message]) -> None:
    tree = {"type": "create", "id": 1, "game": "conga", "colour": {"deep": [1]}}
    assert codec.decode_command(write(codec, tree)) == Create(id=1, game="conga")


@BOTH
def test_another_library_decodes_server_messages(codec: Codec[Message]) -> None:
    ended = Ended(room="r", seq=9, at=5, result="1-0", reason="line", winner=0)
    expected = {"type": "ended", "room": "r", "seq": 9, "at": 5, "result": "1-0", "reason": "line", "winner": 0}
    assert read(codec, codec.encode(ended)) == expected
    assert codec.decode_server_message(codec.encode(ended)) == ended


BROKEN_TREES = {
    "not a map": [1, 2],
    "no type": {"id": 1},
    "an unknown type": {"type": "nonsense", "id": 1},
    "a number for a type": {"type": 3, "id": 1},
    "no id": {"type": "resign", "room": "r"},
    "a negative id": {**MOVE, "id": -1},
    "a text for a number": {**MOVE, "ply": "3"},
    "true for a number": {**MOVE, "ply": True},
    "a number for a text": {**MOVE, "move": 3},
    "null for a text": {**MOVE, "move": None},
    "a missing field": {"type": "move", "id": 1, "room": "r", "ply": 1},
    "an invalid seat": {"type": "join", "id": 1, "room": "r", "seat": 2},
    "an unknown kind of clock": {"type": "create", "id": 1, "game": "conga", "clock": {"kind": "sand"}},
    "a negative time": {"type": "create", "id": 1, "game": "conga", "clock": {"kind": "move", "per_move": -5}},
    "a list as an option": {"type": "create", "id": 1, "game": "conga", "options": {"stones": [1]}},
    "deep nesting": {**MOVE, "x": [[[[[[]]]]]]},
}


@BOTH
@pytest.mark.parametrize("tree", BROKEN_TREES.values(), ids=BROKEN_TREES.keys())
def test_wrong_shapes_are_malformed(codec: Codec[Message], tree: Any) -> None:
    with pytest.raises(Malformed, match="cannot read this message as"):
        codec.decode_command(write(codec, tree))


@BOTH
def test_malformed_has_the_id_of_the_command_if_it_can_be_found(codec: Codec[Message]) -> None:
    with pytest.raises(Malformed) as caught:
        codec.decode_command(write(codec, {**MOVE, "ply": "x"}))
    assert caught.value.id == 7
    with pytest.raises(Malformed) as caught:
        codec.decode_command(write(codec, {**MOVE, "id": "seven"}))
    assert caught.value.id is None


@BOTH
@pytest.mark.parametrize("kind", ["mooove", "welcome", "x" * 1000])
def test_unknown_command_is_answered_with_the_known_ones(codec: Codec[Message], kind: str) -> None:
    with pytest.raises(
        Malformed, match=rf"unknown command '{kind[:40]}', expected one of hello, list, .*, tournaments$"
    ) as caught:
        codec.decode_command(write(codec, {**MOVE, "type": kind}))
    assert caught.value.id == 7


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b'{"type": "resign", "id": 1, "room": "r"} x',
        b'{"type": "resign", "id": 1, "room": "r", "id": 2}',
        b'{"type": "resign", "id": 1, "room": "r", "\\u0069d": 2}',
        b'{"type": "create", "id": 1, "game": "conga", "options": {"stones": 1, "stones": 2}}',
        b'{"type": "resign", "id": NaN, "room": "r"}',
        b'{"type": "resign", "id": 1, "room": "r", "x": NaN}',
        b'{"type": "resign", "id": 1, "room": "r", "x": -Infinity}',
        b'{"type": "resign", "id": 1, "room": "\xff"}',
        b'{"type": "resign", "id": 1, "room": "r", "x": "\xff"}',
        b'{"type": "resign", "id": 1, "room": "\\ud800"}',
        b'{"type": "resign", "id": 1, "room": "r", "x": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)
def test_broken_json_is_malformed(data: bytes) -> None:
    with pytest.raises(Malformed):
        JSON.decode_command(data)


PACKED = msgpack.packb({"type": "resign", "id": 1, "room": "r"})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        PACKED[:-1],
        PACKED + b"\x00",
        b"\x84" + PACKED[1:] + b"\xa2id\x02",
        b"\x84" + PACKED[1:] + b"\xd9\x02id\x02",  # the same key with its length encoded in another way
        b"\xde\x00\x04" + PACKED[1:] + b"\xa2id\x02",
        b"\x84" + PACKED[1:] + b"\xa1x\xa1\xff",
        b"\x84" + PACKED[1:] + b"\xa1x" + b"\x91" * 5000 + b"\xc0",
        b"\x84" + PACKED[1:] + b"\xa1x\xc1",
        b"\x84" + PACKED[1:] + b"\xa1x\x82\xa1y\x01\xa1y\x02",
    ],
)
def test_broken_msgpack_is_malformed(data: bytes) -> None:
    with pytest.raises(Malformed):
        MSGPACK.decode_command(data)


@BOTH
def test_long_messages_are_malformed(codec: Codec[Message]) -> None:
    with pytest.raises(Malformed, match=f"the limit is {MAX_MESSAGE_BYTES}"):
        codec.decode_command(write(codec, {**MOVE, "note": "x" * MAX_MESSAGE_BYTES}))


@BOTH
@given(data=st.binary(max_size=200))
def test_any_bytes_are_a_command_or_malformed(codec: Codec[Message], data: bytes) -> None:
    with suppress(Malformed):
        codec.decode_command(data)


@given(tree=msgpack_trees, cut=st.integers(0, 400), byte=st.integers(0, 255))
def test_corrupted_command_is_a_command_or_malformed(tree: Any, cut: int, byte: int) -> None:
    data = bytearray(msgpack.packb({**MOVE, "x": tree}))
    data[cut % len(data)] = byte
    with suppress(Malformed):
        MSGPACK.decode_command(bytes(data))


def test_event_is_decoded_from_the_bytes_that_are_sent() -> None:
    moved = Moved(
        room="r", seq=4, at=1, ply=1, side=0, move="3", position="p", turn=1, took=5, charged=5, left=(300, 400)
    )
    assert codec.decode_event(MSGPACK.encode(moved)) == moved


def test_parts_of_messages_survive_a_round_trip() -> None:
    create = Create(id=1, game="mancala", options={"pits": 6, "rules": "prose"}, clock=TimeControl(kind="move"))
    assert MSGPACK.decode_command(MSGPACK.encode(create)) == JSON.decode_command(JSON.encode(create)) == create


def test_unknown_error_code_is_malformed() -> None:
    bad = MSGPACK.encode(Error(id=1, code="malformed", text="")).replace(b"malformed", b"malfarmed")
    with pytest.raises(Malformed):
        MSGPACK.decode_server_message(bad)
