from __future__ import annotations

import json
import logging
import sys

import pytest

from server.logs import configure_logging, log, quote


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_json_log_has_one_object_per_event(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info")
    log("created", room="r1", game="conga")
    log("hidden", logging.DEBUG)
    (line,) = map(json.loads, lines(capsys))
    assert {**line, "at": ""} == {"at": "", "level": "info", "event": "created", "room": "r1", "game": "conga"}


def test_text_log_is_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info", "text")
    log("created", room="r1", why="two words")
    log("store_failed", logging.ERROR, why="")
    first, second = lines(capsys)
    assert first[9:] == 'created room=r1 why="two words"'
    assert second[9:] == 'ERROR store_failed why=""'


@pytest.mark.parametrize(("form", "shown"), [("text", ["stopped"]), ("json", ["listening", "stopped"])])
def test_greeted_events_are_left_out_of_the_text_log(
    capsys: pytest.CaptureFixture[str], form: str, shown: list[str]
) -> None:
    configure_logging("info", form, greeted=True)
    log("listening", url="ws://host")
    log("stopped")
    written = "".join(lines(capsys))
    assert [name for name in ("listening", "stopped") if name in written] == shown


@pytest.mark.parametrize(("terminal", "brace"), [(True, False), (False, True)])
def test_auto_is_text_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, terminal: bool, brace: bool
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    configure_logging("info", "auto")
    log("stopped")
    assert lines(capsys)[0].startswith("{") is brace


def test_trace_of_the_current_exception_is_logged(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info")
    try:
        raise ValueError("a reason")
    except ValueError:
        log("bug", logging.ERROR, trace=True)
    assert json.loads(lines(capsys)[0])["trace"].endswith("ValueError: a reason")


def test_control_characters_are_escaped() -> None:
    assert quote("a\x1b[2J\nb") == r"a\u001b[2J\nb"
    assert (quote("plain"), quote("a b"), quote("")) == ("plain", '"a b"', '""')
