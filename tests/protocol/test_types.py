"""The vocabularies and the types of messages."""

from __future__ import annotations

from typing import get_args

import pytest

from protocol.commands import AnyCommand, Hello
from protocol.events import PublicEvent
from protocol.replies import LobbyUpdate, ServerMessage
from protocol.types import END_REASONS, ERROR_CODES, Message, to_snake_case


@pytest.mark.parametrize("kind", get_args(AnyCommand) + get_args(ServerMessage), ids=lambda kind: kind.__name__)
def test_type_of_every_message_is_in_snake_case(kind: type[Message]) -> None:
    tag = kind.__struct_config__.tag
    assert tag == ("lobby" if kind is LobbyUpdate else to_snake_case(kind.__name__))


def test_every_message_has_a_description() -> None:
    assert all(kind.__doc__ for kind in get_args(AnyCommand) + get_args(ServerMessage))


def test_vocabularies_have_no_duplicates() -> None:
    assert len(set(ERROR_CODES)) == len(ERROR_CODES)
    assert len(set(END_REASONS)) == len(END_REASONS)
    assert {"no_moves", "score", "line", "repetition", "ply_limit"} < set(END_REASONS)


def test_public_events_have_no_secret_fields() -> None:
    public = {name for kind in get_args(PublicEvent) for name in kind.__struct_fields__}
    assert not public & {"session", "token", "resume", "code"}
    assert "token" in Hello.__struct_fields__
