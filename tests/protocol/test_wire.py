"""Bytes to messages and back; whatever cannot be read is one Malformed."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, get_args

import msgpack
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol import codec, validation
from protocol.codec import CODECS, JSON, MAX_MESSAGE_BYTES, MSGPACK, Codec, Malformed
from protocol.commands import AnyCommand, Create, Hello, Move
from protocol.events import Ended, Moved, PublicEvent
from protocol.replies import Error, LobbyUpdate, ServerMessage
from protocol.types import END_REASONS, ERROR_CODES, Message, TimeControl, to_snake_case

BOTH = pytest.mark.parametrize("codec", CODECS.values(), ids=lambda codec: codec.name)
MOVE = {"type": "move", "id": 7, "room": "r", "ply": 3, "move": "a4b3"}


def write(codec: Codec[Message], tree: Any) -> bytes:
    """What another library writes."""
    return json.dumps(tree).encode() if codec.text else bytes(msgpack.packb(tree))


def read(codec: Codec[Message], data: bytes) -> Any:
    return json.loads(data) if codec.text else msgpack.unpackb(data)


@BOTH
def test_a_command_of_another_library_is_read(codec: Codec[Message]) -> None:
    assert codec.decode_command(write(codec, MOVE)) == Move(id=7, room="r", ply=3, move="a4b3")


@BOTH
def test_unknown_fields_are_ignored_and_absent_ones_have_their_default(codec: Codec[Message]) -> None:
    tree = {"type": "create", "id": 1, "game": "conga", "colour": {"deep": [1]}}
    assert codec.decode_command(write(codec, tree)) == Create(id=1, game="conga")


@BOTH
def test_another_library_reads_the_servers_messages(codec: Codec[Message]) -> None:
    ended = Ended(room="r", seq=9, at=5, result="1-0", reason="line", winner=0)
    expected = {"type": "ended", "room": "r", "seq": 9, "at": 5, "result": "1-0", "reason": "line", "winner": 0}
    assert read(codec, codec.encode(ended)) == expected
    assert codec.decode_server_message(codec.encode(ended)) == ended


@BOTH
@pytest.mark.parametrize("kind", get_args(AnyCommand) + get_args(ServerMessage), ids=lambda kind: kind.__name__)
def test_every_message_says_its_type_in_snake_case(codec: Codec[Message], kind: type[Message]) -> None:
    tag = kind.__struct_config__.tag
    assert tag == ("lobby" if kind is LobbyUpdate else to_snake_case(kind.__name__))


BROKEN_TREES = {
    "no map": [1, 2],
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
    "a seat that is none": {"type": "join", "id": 1, "room": "r", "seat": 2},
    "a clock of another kind": {"type": "create", "id": 1, "game": "conga", "clock": {"kind": "sand"}},
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
def test_the_id_of_a_malformed_command_is_told_where_it_can_be_found(codec: Codec[Message]) -> None:
    with pytest.raises(Malformed) as caught:
        codec.decode_command(write(codec, {**MOVE, "ply": "x"}))
    assert caught.value.id == 7
    with pytest.raises(Malformed) as caught:
        codec.decode_command(write(codec, {**MOVE, "id": "seven"}))
    assert caught.value.id is None


@BOTH
@pytest.mark.parametrize("kind", ["mooove", "welcome", "x" * 1000])
def test_who_sends_what_is_no_command_hears_which_there_are(codec: Codec[Message], kind: str) -> None:
    with pytest.raises(
        Malformed, match=rf"unknown command '{kind[:40]}', expected one of hello, list, .*, export$"
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
        b"\x84" + PACKED[1:] + b"\xd9\x02id\x02",  # the same key with its length written in another way
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
def test_long_messages_are_refused_before_they_are_read(codec: Codec[Message]) -> None:
    with pytest.raises(Malformed, match=f"the limit is {MAX_MESSAGE_BYTES}"):
        codec.decode_command(write(codec, {**MOVE, "note": "x" * MAX_MESSAGE_BYTES}))


@BOTH
@given(data=st.binary(max_size=200))
def test_any_bytes_are_a_command_or_malformed(codec: Codec[Message], data: bytes) -> None:
    with suppress(Malformed):
        codec.decode_command(data)


trees = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=40),
    lambda children: st.lists(children, max_size=20) | st.dictionaries(st.text(max_size=5), children, max_size=20),
    max_leaves=30,
)


@given(tree=trees)
@example(tree={str(n): n for n in range(70000)})
@example(tree=list(range(70000)))
@example(tree=["x" * 300, "y" * 70000, b"z" * 300, b"z" * 70000])
def test_the_walk_ends_where_the_value_ends(tree: Any) -> None:
    data = msgpack.packb(tree)
    assert validation.check(data, 100) == len(data)


@given(tree=trees, cut=st.integers(0, 400), byte=st.integers(0, 255))
def test_a_spoilt_command_is_a_command_or_malformed(tree: Any, cut: int, byte: int) -> None:
    data = bytearray(msgpack.packb({**MOVE, "x": tree}))
    data[cut % len(data)] = byte
    with suppress(Malformed):
        MSGPACK.decode_command(bytes(data))


def test_the_log_holds_the_very_bytes_that_are_sent() -> None:
    moved = Moved(
        room="r", seq=4, at=1, ply=1, side=0, move="3", position="p", turn=1, took=5, charged=5, left=(300, 400)
    )
    assert codec.decode_event(MSGPACK.encode(moved)) == moved


def test_parts_inside_messages_survive() -> None:
    create = Create(id=1, game="mancala", options={"pits": 6, "rules": "prose"}, clock=TimeControl(kind="move"))
    assert MSGPACK.decode_command(MSGPACK.encode(create)) == JSON.decode_command(JSON.encode(create)) == create


def test_the_vocabularies_are_closed() -> None:
    bad = MSGPACK.encode(Error(id=1, code="malformed", text="")).replace(b"malformed", b"malfarmed")
    with pytest.raises(Malformed):
        MSGPACK.decode_server_message(bad)
    assert len(set(ERROR_CODES)) == len(ERROR_CODES)
    assert {"no_moves", "score", "line", "repetition", "ply_limit"} < set(END_REASONS)


def test_secrets_are_not_in_what_everybody_sees() -> None:
    public = {name for kind in get_args(PublicEvent) for name in kind.__struct_fields__}
    assert not public & {"session", "token", "resume", "code"}
    assert "token" in Hello.__struct_fields__
