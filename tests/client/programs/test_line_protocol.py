"""Line protocol: requests and answers."""

from __future__ import annotations

import json
import time

import pytest

from client.programs import line_protocol
from client.programs.failure import Failure
from client.sdk.bot import Budget, Thought
from engine.registry import create

CONGA = create("conga")


def test_move_request_has_all_fields() -> None:
    state = CONGA.play(CONGA.start(), CONGA.parse(CONGA.start(), "a4b3"))
    given = Budget(1.5, time.monotonic() + 10, left=60.0, ply=1, side=1, opponent="alice", room="r1", history=("a4b3",))
    asked = json.loads(line_protocol.encode_move_request(CONGA, state, given))
    deadline = asked.pop("deadline")
    assert 9 < deadline <= 10
    assert asked == {
        "type": "move",
        "game": "conga",
        "options": {"stones": 10, "max_plies": 400},
        "position": CONGA.dump(state),
        "side": 1,
        "moves": list(CONGA.legal(state)),
        "ply": 1,
        "history": ["a4b3"],
        "seconds": 1.5,
        "left": 60.0,
        "increment": 0.0,
        "opponent": "alice",
        "room": "r1",
    }


@pytest.mark.parametrize(
    ("text", "move", "note"),
    [
        ("a4b3", "a4b3", ""),
        ("  a4b3 \r", "a4b3", ""),
        ('"a4b3"', "a4b3", ""),
        ('{"move": "a4b3"}', "a4b3", ""),
        ('{"move": "a4b3", "note": "ha\\nha", "more": 1}', "a4b3", "ha ha"),
    ],
)
def test_answer_is_parsed(text: str, move: str, note: str) -> None:
    assert line_protocol.parse_answer(CONGA, CONGA.start(), text) == Thought(move, note)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "garbage"),
        ("hello", "garbage"),
        ('{"move": ', "garbage"),
        ("[" * 10_000, "garbage"),
        ("{" + '"a":{' * 10_000, "garbage"),
        ('{"move": null}', "garbage"),
        ('{"move": true}', "garbage"),
        ('{"note": "x"}', "garbage"),
        ('{"move": "a4b3", "note": 7}', "garbage"),
        ("\x00\udcff", "garbage"),
        ("a1a2", "illegal"),
        ('{"error": "KeyError: 3"}', "error"),
    ],
)
def test_invalid_answer_is_a_failure(text: str, kind: str) -> None:
    with pytest.raises(Failure) as caught:
        line_protocol.parse_answer(CONGA, CONGA.start(), text)
    assert caught.value.kind == kind
    assert "\n" not in str(caught.value)
