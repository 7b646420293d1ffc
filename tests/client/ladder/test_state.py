"""The journal of a ladder: cut at every line and at every byte of a line, it always adds up."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from client.ladder.ratings import table
from client.ladder.state import (
    LadderGame,
    LadderResult,
    LadderSettings,
    LadderState,
    Version,
    apply_entry,
    created_entry,
    dropped_entry,
    ended_entry,
    paired_entry,
    replay,
    settings_entry,
)
from client.tournament.journal.log import Entry, Log, read
from client.tournament.model.errors import TournamentError
from tests.client.ladder.night import ladder

PLAYERS = [Version("ann", "1"), Version("ann", "2"), Version("ben", ""), Version("cy", "\u202e<b>")]


def journal() -> list[Entry]:
    """Return the entries of a small ladder, with games that end, games that are dropped, and games that stay open."""
    rng, entries = Random(3), [settings_entry(ladder(anchors={"ben": 1000.0}))]
    for number in range(1, 25):
        first, second = rng.sample([PLAYERS[number // 13], *PLAYERS[2:]], 2)
        entries.append(paired_entry(LadderGame(number, (first, second), (number + 1) // 2, 100.0 * number)))
        if number % 7:
            entries.append(created_entry(number, f"r{number}"))
        if number % 5 == 0:
            entries.append(dropped_entry(number, "gone"))
        elif number % 6:
            forfeit = "time" if number % 4 == 0 else ""
            result = LadderResult(rng.choice(("1-0", "0-1", "1/2-1/2")), "line", f"r{number}", forfeit, 20)
            entries.append(ended_entry(number, result))
    return entries


def check(state: LadderState) -> None:
    """Check that the numbers of a state agree with each other."""
    assert sum(tally.games for tally in state.tallies.values()) == 2 * state.done
    assert sum(games for _, games in state.scores.values()) == state.done
    assert sum(tally.points for tally in state.tallies.values()) == state.done
    paired = sum(tally.first for tally in state.tallies.values())
    assert paired == sum(tally.second for tally in state.tallies.values()) == state.done + len(state.open)
    assert state.rooms.keys() <= state.open.keys()
    assert set(state.current.values()) <= state.tallies.keys()


def test_journal_adds_up_after_every_line() -> None:
    entries = journal()
    for end in range(1, len(entries) + 1):
        state = replay(entries[:end])
        check(state)
        assert state.settings is not None
        played = [player for player, tally in state.tallies.items() if tally.games]
        assert {row.player for row in table(state.settings, state)} == set(played)


async def test_ladder_killed_in_the_middle_of_a_line_goes_on(tmp_path: Path) -> None:
    entries = journal()
    lines = [json.dumps(entry).encode() + b"\n" for entry in entries]
    path = tmp_path / "night.jsonl"
    for whole in range(1, len(lines)):
        for cut in (1, len(lines[whole]) // 2, len(lines[whole]) - 1):
            path.write_bytes(b"".join(lines[:whole]) + lines[whole][:cut])
            log = Log(path)
            state = replay(log.open())
            assert log.was_cut
            for entry in entries[whole:]:
                log.append(entry)
                apply_entry(state, entry)
            await log.close()
            assert state == replay(read(path)) == replay(entries)


def test_result_counts_once() -> None:
    game = LadderGame(1, (PLAYERS[0], PLAYERS[2]), 1, 0.0)
    ended = ended_entry(1, LadderResult("1-0", "line", "r1"))
    state = replay([settings_entry(ladder()), paired_entry(game), ended, ended, dropped_entry(1, "late")])
    assert (state.done, state.tallies[PLAYERS[0]].games) == (1, 1)


def test_retired_is_what_a_later_version_replaced() -> None:
    state = replay(journal())
    assert state.is_retired(PLAYERS[0])
    assert not state.is_retired(PLAYERS[1])
    again = LadderGame(state.games + 1, (PLAYERS[0], PLAYERS[2]), state.games, 0.0)
    apply_entry(state, paired_entry(again))
    assert state.is_retired(PLAYERS[1])


def test_settings_come_back_as_they_were() -> None:
    settings = ladder(options={"stones": 5}, anchors={"search@3": 1248.0}, seed=9)
    assert replay([json.loads(json.dumps(settings_entry(settings)))]).settings == settings


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "nonsense"},
        {"type": "paired", "game": 1, "players": [["a", "1"]], "opening": 1, "at": 0},
        {"type": "paired", "game": 1, "players": [["a", "1"], ["a", "1"]], "opening": 1, "at": 0},
        {"type": "paired", "game": 1e999, "players": [["a", "1"], ["b", "1"]], "opening": 1, "at": 0},
        {"type": "paired", "game": 1, "players": [["a", "1"], ["b", "1"]], "opening": 0, "at": 0},
        {"type": "paired", "game": 1, "players": [["a", "1"], ["b", "1"]], "opening": 1, "at": 1e999},
        {"type": "paired", "game": 1, "players": [["a", "1"], ["b", "1"]], "opening": 2, "at": 0},
        {"type": "paired", "game": 10**8, "players": [["a", "1"], ["b", "1"]], "opening": 10**8, "at": 0},
        {"type": "ended", "game": 1, "result": "2-0", "reason": "", "room": "", "forfeit": "", "moves": 0},
        {"type": "ended", "game": 1, "result": "*", "reason": "", "room": "", "forfeit": "", "moves": 0},
        {"type": "ended", "game": [], "result": "1-0"},
        {"type": "ladder", "journal": 1, "options": 5},
        {"type": "ladder", "journal": 99},
        {**settings_entry(ladder()), "name": "\ud800"},
        {"type": "paired", "game": 1, "players": [["a", "\ud800"], ["b", "1"]], "opening": 1, "at": 0},
        {**settings_entry(ladder()), "anchors": {"ann": float("nan")}},
        {**settings_entry(ladder()), "anchors": {"ann": 1e9}},
        {**settings_entry(ladder()), "anchors": {"ann": []}},
        {},
    ],
)
def test_wrong_entry_is_one_clear_error(entry: dict[str, Any]) -> None:
    with pytest.raises(TournamentError, match=r"line 1 of the journal is not valid|another version of parlour"):
        replay([entry])


def test_versions_of_a_day_are_counted() -> None:
    state, day = LadderState(LadderSettings("x", "conga", {}, "none", 0)), 86_400.0
    for number, at in enumerate((0.0, day, day + 1), 1):
        game = LadderGame(number, (Version("Ann", str(number)), PLAYERS[2]), 1, at)
        apply_entry(state, paired_entry(game))
    assert state.new_versions("ann", day + 10) == 2
    assert state.new_versions("ann", 3 * day) == 0
    assert state.new_versions("ann", -3 * day) == 0  # the clock was set back
