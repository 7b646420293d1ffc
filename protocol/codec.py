"""Encode and decode messages as msgpack and as JSON.

Bytes that cannot be decoded raise `Malformed`, with the id of the command if it can be found.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Generic, NoReturn, TypeVar, get_args

import msgspec

from protocol import validation
from protocol.commands import AnyCommand
from protocol.events import AnyEvent
from protocol.replies import ServerMessage
from protocol.types import CommandId, Message, tag_of

MAX_MESSAGE_BYTES = 16 * 1024  # of a command
MAX_MESSAGE_DEPTH = 4  # nested maps and lists in a command

M = TypeVar("M")


class Malformed(Exception):
    """Bytes that are not a message. The text is one sentence for the sender."""

    def __init__(self, text: str, id: int | None = None) -> None:
        super().__init__(text)
        self.id = id


class UnknownType(Malformed):
    """A message of a newer server: its type is not known. Clients ignore it."""


class Numbered(msgspec.Struct):
    """The field that all commands have."""

    id: CommandId


class Typed(msgspec.Struct):
    """The field that all messages have."""

    type: str


COMMAND_TYPES = [tag_of(command) for command in get_args(AnyCommand)]
SERVER_TYPES = frozenset(tag_of(message) for message in get_args(ServerMessage))


class Codec(Generic[M]):
    """One of the two encodings.

    `parse`: decodes strictly into plain values, to find duplicate keys and deep nesting. `minimal`: for commands whose
    first byte proves that they need no such check, that byte.
    """

    def __init__(
        self,
        name: str,
        text: bool,
        encode: Callable[[Any], bytes],
        parse: Callable[[bytes], Any],
        minimal: dict[type[Any], int] | None = None,
    ) -> None:
        self.name = name
        self.subprotocol = f"parlour.v1.{name}"
        self.text = text  # sent in text frames
        self.encode: Callable[[Message], bytes] = encode
        self._parse = parse
        self._minimal = minimal or {}
        decoder = msgspec.json.Decoder if text else msgspec.msgpack.Decoder
        self._command = decoder(AnyCommand)
        self._server = decoder(ServerMessage)
        self._numbered = decoder(Numbered)
        self._typed = decoder(Typed)

    def decode_command(self, data: bytes) -> AnyCommand:
        """Return a client's command, decoded strictly. Raises Malformed."""
        if len(data) > MAX_MESSAGE_BYTES:
            raise Malformed(f"the message has {len(data)} bytes, the limit is {MAX_MESSAGE_BYTES}", self.find_id(data))
        try:
            message: AnyCommand = self._command.decode(data)
            if data[0] != self._minimal.get(type(message)):
                self._parse(data)
        except (ValueError, RecursionError, msgspec.MsgspecError) as error:
            self._refuse(data, error)
        return message

    def find_id(self, data: bytes) -> int | None:
        """Return the id of a command that may otherwise be malformed, None if it cannot be found."""
        try:
            numbered: Numbered = self._numbered.decode(data)
        except (ValueError, RecursionError, msgspec.MsgspecError):
            return None
        return numbered.id

    def decode_server_message(self, data: bytes) -> ServerMessage:
        """Return a message from the server. Raises UnknownType if its type is not known, otherwise Malformed."""
        try:
            message: ServerMessage = self._server.decode(data)
        except (ValueError, RecursionError, msgspec.MsgspecError) as error:
            kind = self._type_of(data)
            if kind is not None and kind not in SERVER_TYPES:
                raise UnknownType(f"unknown type of message: {kind[:40]!r}") from None
            raise Malformed(f"not a message from a server: {error}") from None
        return message

    def _refuse(self, data: bytes, error: Exception) -> NoReturn:
        if isinstance(error, validation.DuplicateKey):
            why = "duplicate key in a map"
        elif isinstance(error, validation.TooDeep | RecursionError):
            why = f"more than {MAX_MESSAGE_DEPTH} levels of nested maps or lists"
        elif isinstance(error, UnicodeDecodeError):
            why = "a text is not UTF-8"
        else:
            why = self._unknown_type(data) or str(error)
        id = (
            None if isinstance(error, validation.DuplicateKey) else self.find_id(data)
        )  # with duplicate keys there may be two ids
        raise Malformed(f"cannot read this message as {self.name}: {why}", id) from None

    def _unknown_type(self, data: bytes) -> str:
        """Return what is wrong with the type of a message, empty if it is a known command."""
        kind = self._type_of(data)
        if kind is None or kind in COMMAND_TYPES:
            return ""
        return f"unknown command {kind[:40]!r}, expected one of {', '.join(COMMAND_TYPES)}"

    def _type_of(self, data: bytes) -> str | None:
        """Return the type of a message that may otherwise be malformed, None if it cannot be found."""
        try:
            typed: Typed = self._typed.decode(data)
        except (ValueError, RecursionError, msgspec.MsgspecError):
            return None
        return typed.type


# -- msgpack


pack: Callable[[Any], bytes] = msgspec.msgpack.encode  # plain values that are not a message


def unpack(data: bytes) -> Any:
    """Return the plain values of `pack`. Raises Malformed."""
    try:
        return msgspec.msgpack.decode(data)
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise Malformed(f"not msgpack: {error}") from None


NESTED_TYPES = {dict, list}
_msgpack_parser = msgspec.msgpack.Decoder()


def parse_msgpack(data: bytes) -> Any:
    """Return the value as dicts and lists. Raises DuplicateKey or TooDeep.

    A flat map with as many entries as its header says has no duplicate keys, so it needs no check of its bytes.
    """
    tree = _msgpack_parser.decode(data)
    if type(tree) is not dict or data[0] != 0x80 + len(tree) or not NESTED_TYPES.isdisjoint(map(type, tree.values())):
        validation.check(data, MAX_MESSAGE_DEPTH)
    return tree


def minimal_first_byte(command: type[Any]) -> int | None:
    """Return the first byte of a command that has exactly its required fields, None if one of them can be nested.

    A command that decodes and begins with this byte has no duplicate keys and no nesting.
    """
    needed = [field for field in msgspec.structs.fields(command) if field.required]
    flat = all(getattr(field.type, "__origin__", field.type) in (int, str) for field in needed)
    return 0x80 + 1 + len(needed) if flat else None  # a map of the fields and the tag


MINIMAL_FIRST_BYTES = {
    command: first for command in get_args(AnyCommand) if (first := minimal_first_byte(command)) is not None
}


# -- JSON


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs as a dict. Raises DuplicateKey."""
    tree = dict(pairs)
    if len(tree) != len(pairs):
        raise validation.DuplicateKey
    return tree


def parse_json(data: bytes) -> Any:
    """Return the value as dicts and lists. Raises DuplicateKey or TooDeep."""
    tree = json.loads(str(data, "utf-8"), object_pairs_hook=unique_keys)
    check_depth(tree, MAX_MESSAGE_DEPTH)
    return tree


def check_depth(tree: Any, depth: int) -> None:
    """Raise TooDeep if there are more than `depth` levels of dicts and lists."""
    children = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else None
    if children is not None:
        if depth == 0:
            raise validation.TooDeep
        for child in children:
            check_depth(child, depth - 1)


MSGPACK: Codec[Message] = Codec("msgpack", False, msgspec.msgpack.Encoder().encode, parse_msgpack, MINIMAL_FIRST_BYTES)
JSON: Codec[Message] = Codec("json", True, msgspec.json.Encoder().encode, parse_json)
CODECS = {codec.subprotocol: codec for codec in (MSGPACK, JSON)}  # the first is the default


# -- the log: events as msgpack, the same bytes that are sent


_events = msgspec.msgpack.Decoder(AnyEvent)


def decode_event(data: bytes) -> AnyEvent:
    """Return an event of the log."""
    event: AnyEvent = _events.decode(data)
    return event


def decode_part(data: bytes, kind: type[M]) -> M:
    """Return a stored part of a message."""
    return msgspec.msgpack.decode(data, type=kind)


def encode_part(part: object) -> bytes:
    """Return a part of a message as msgpack."""
    return msgspec.msgpack.encode(part)


def to_builtins(message: object) -> Any:
    """Return a message as dicts and lists."""
    return msgspec.to_builtins(message)


def schemas(types: list[Any]) -> tuple[Any, dict[str, Any]]:
    """Return the JSON Schemas of messages and of their parts, for the documentation."""
    return msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
