"""Bytes to messages and back: the same messages as msgpack and as JSON. The only importer of a codec.

Whatever cannot be read becomes one `Malformed`, with the command's id where it could be found.
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
from protocol.types import CommandId, Message

MAX_MESSAGE_BYTES = 16 * 1024  # of a client's message
MAX_MESSAGE_DEPTH = 4  # of maps and lists inside each other, in a client's message

M = TypeVar("M")


class Malformed(Exception):
    """Bytes that are no message; the text is one sentence for the sender."""

    def __init__(self, text: str, id: int | None = None) -> None:
        super().__init__(text)
        self.id = id


class Numbered(msgspec.Struct):
    """What all commands have in common."""

    id: CommandId


class Typed(msgspec.Struct):
    """What all messages have in common."""

    type: str


COMMANDS = [str(command.__struct_config__.tag) for command in get_args(AnyCommand)]


class Codec(Generic[M]):
    """One of the two encodings."""

    def __init__(
        self,
        name: str,
        text: bool,
        encode: Callable[[Any], bytes],
        plain: Callable[[bytes], Any],
        bare: dict[type[Any], int] | None = None,
    ) -> None:
        self.name = name
        self.subprotocol = f"parlour.v1.{name}"
        self.text = text  # it travels in text frames
        self.encode: Callable[[Message], bytes] = encode
        self._plain = plain
        self._bare = bare or {}
        decoder = msgspec.json.Decoder if text else msgspec.msgpack.Decoder
        self._command = decoder(AnyCommand)
        self._server = decoder(ServerMessage)
        self._numbered = decoder(Numbered)
        self._typed = decoder(Typed)

    def decode_command(self, data: bytes) -> AnyCommand:
        """A client's message: judged strictly, since it comes from anybody."""
        if len(data) > MAX_MESSAGE_BYTES:
            raise Malformed(
                f"a message has at most {MAX_MESSAGE_BYTES} bytes, this one has {len(data)}", self.find_id(data)
            )
        try:
            message: AnyCommand = self._command.decode(data)
            if data[0] != self._bare.get(type(message)):
                self._plain(data)
        except (ValueError, RecursionError, msgspec.MsgspecError) as error:
            self._refuse(data, error)
        return message

    def find_id(self, data: bytes) -> int | None:
        """The id of a command that is refused whatever else is in it."""
        try:
            numbered: Numbered = self._numbered.decode(data)
        except (ValueError, RecursionError, msgspec.MsgspecError):
            return None
        return numbered.id

    def decode_server_message(self, data: bytes) -> ServerMessage:
        """A server's message, as clients read it."""
        try:
            message: ServerMessage = self._server.decode(data)
        except (ValueError, RecursionError, msgspec.MsgspecError) as error:
            raise Malformed(f"not a message of the server: {error}") from None
        return message

    def _refuse(self, data: bytes, error: Exception) -> NoReturn:
        if isinstance(error, validation.DuplicateKey):
            why = "a key stands twice in one map"
        elif isinstance(error, validation.TooDeep | RecursionError):
            why = f"more than {MAX_MESSAGE_DEPTH} maps or lists inside each other"
        elif isinstance(error, UnicodeDecodeError):
            why = "a text is not UTF-8"
        else:
            why = self._unknown_type(data) or str(error)
        id = (
            None if isinstance(error, validation.DuplicateKey) else self.find_id(data)
        )  # of two ids none can be trusted
        raise Malformed(f"cannot read this message as {self.name}: {why}", id) from None

    def _unknown_type(self, data: bytes) -> str:
        """What to say of a message whose type is no command; nothing if that is not what is wrong with it."""
        try:
            kind = self._typed.decode(data).type
        except (ValueError, RecursionError, msgspec.MsgspecError):
            return ""
        return "" if kind in COMMANDS else f"its type {kind[:40]!r} is no command; they are {', '.join(COMMANDS)}"


# -- msgpack


NESTING = {dict, list}
_msgpack_plain = msgspec.msgpack.Decoder()


def plain_msgpack(data: bytes) -> Any:
    """The value as dicts and lists. A flat map with as many entries as its head says has no key twice."""
    tree = _msgpack_plain.decode(data)
    if type(tree) is not dict or data[0] != 0x80 + len(tree) or not NESTING.isdisjoint(map(type, tree.values())):
        validation.walk(data, MAX_MESSAGE_DEPTH)
    return tree


def bare(command: type[Any]) -> int | None:
    """The first byte of a command with what it must have and no more: so no key is there twice, and none is nested."""
    needed = [field for field in msgspec.structs.fields(command) if field.required]
    flat = all(getattr(field.type, "__origin__", field.type) in (int, str) for field in needed)
    return 0x80 + 1 + len(needed) if flat else None  # a map of them and of the tag


BARE = {command: first for command in get_args(AnyCommand) if (first := bare(command)) is not None}


# -- JSON


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    tree = dict(pairs)
    if len(tree) != len(pairs):
        raise validation.DuplicateKey
    return tree


def plain_json(data: bytes) -> Any:
    tree = json.loads(str(data, "utf-8"), object_pairs_hook=once)
    check_depth(tree, MAX_MESSAGE_DEPTH)
    return tree


def check_depth(tree: Any, depth: int) -> None:
    children = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else None
    if children is not None:
        if depth == 0:
            raise validation.TooDeep
        for child in children:
            check_depth(child, depth - 1)


MSGPACK: Codec[Message] = Codec("msgpack", False, msgspec.msgpack.Encoder().encode, plain_msgpack, BARE)
JSON: Codec[Message] = Codec("json", True, msgspec.json.Encoder().encode, plain_json)
CODECS = {codec.subprotocol: codec for codec in (MSGPACK, JSON)}  # the first is the default


# -- the log: events as msgpack, exactly the bytes that were sent


_events = msgspec.msgpack.Decoder(AnyEvent)


def decode_event(data: bytes) -> AnyEvent:
    event: AnyEvent = _events.decode(data)
    return event


def decode_part(data: bytes, kind: type[M]) -> M:
    return msgspec.msgpack.decode(data, type=kind)


def encode_part(part: object) -> bytes:
    return msgspec.msgpack.encode(part)


def to_builtins(message: object) -> Any:
    """A message as dicts and lists."""
    return msgspec.to_builtins(message)


def schemas(types: list[Any]) -> tuple[Any, dict[str, Any]]:
    """The JSON Schemas of messages and of their parts, for the documentation."""
    return msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
