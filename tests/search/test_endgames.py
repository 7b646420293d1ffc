"""Endgame tables: exact values, used by the search, and cached safely."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable
from math import comb
from pathlib import Path
from typing import Any

import pytest

from engine.game import Game, State
from engine.games import mancala, mancala_endgames
from engine.registry import create
from engine.search import Limits, Thinker, endgames
from engine.search.endgame_table import endgame_value
from engine.search.endgames import load_endgames, prepare_endgames, table_path
from engine.search.kernel import plain_names, search_rules
from runtime.file_lock import open_locked
from tests.engine.naive_solver import NaiveSolver
from tests.waiting import until_blocking

PROFILES = ("course", "standard", "prose")
SAMPLE = 40


@pytest.fixture
def few_stones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make tables small, and compute them without compiled code, which would take seconds."""
    monkeypatch.setattr(mancala_endgames, "MAX_ENDGAME_STONES", 6)
    monkeypatch.setattr(mancala, "endgame_constants", mancala_endgames.endgame_constants.__wrapped__)  # not cached
    monkeypatch.setattr(endgames, "compile_fill", plain_fill)
    monkeypatch.setattr(endgames, "_tables", {})


@pytest.fixture
def folder(tmp_path: Path, few_stones: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PARLOUR_CACHE_DIR", str(tmp_path))
    return tmp_path / "endgames"


def plain_fill(game: Game) -> Callable[..., None]:
    """Return `fill_endgames` in plain Python, for arrays."""
    fill = plain_names(game)["fill_endgames"]

    def run(words: Any, moves: Any, position: Any, start: int, end: int) -> None:
        lists = words.tolist(), moves.tolist(), position.tolist()
        fill(*lists, start, end)
        words[:] = [word - (word >> 63 << 64) for word in lists[0]]  # signed
        position[:] = lists[2]

    return run


def places(game: Game) -> list[tuple[int, int]]:
    """Return the words of all places, in their order."""
    rules = search_rules(game)
    found = [(0, 0)]
    for at in range(rules.ENDGAMES - 1):
        found.append(rules.endgame_next(at, *found[-1]))
    return found


def with_stores(game: Game, mine: int, rest: int, side: int) -> State:
    """Return the position with these rows and all other stones in the mover's store."""
    total = 2 * game.rules.PITS * int(game.spec.options["stones"])
    left = total - game.rules.row_sum(mine) - game.rules.row_sum(rest)
    return State(mine | left << game.rules.BITS * game.rules.PITS, rest, side)


@pytest.mark.usefixtures("few_stones")
@pytest.mark.parametrize("pits", [1, 2, 4])
def test_each_position_has_one_place(pits: int) -> None:
    game = create("mancala", {"pits": pits, "stones": 7})
    rules, found = search_rules(game), places(game)
    assert {sum(map(rules.row_sum, position)) for position in found} == set(range(7))
    assert len(set(found)) == comb(6 + 2 * pits, 2 * pits), "all positions"
    for at, position in enumerate(found):
        even = at & 1 and rules.row_sum(position[0]) == rules.row_sum(position[1])
        assert even or rules.endgame_index(*position) == at
        assert found[rules.endgame_index(*position)] == position
    assert rules.endgame_index(rules.first_row(7), 0) == -1


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("pits", [2, 3])
def test_values_are_exact(profile: str, pits: int, folder: Path) -> None:
    game, rng = create("mancala", {"pits": pits, "stones": 4, "rules": profile}), random.Random(pits)
    prepare_endgames(game, print)
    table, rules, solver = load_endgames(game), search_rules(game), NaiveSolver(game, 100_000)
    assert table.places == rules.ENDGAMES
    for mine, rest in rng.sample(places(game), SAMPLE):
        state = with_stores(game, mine, rest, rng.randrange(2))
        value = rules.base(state.mine, state.rest) + endgame_value(table.words, rules.endgame_index(mine, rest))
        assert value == solver.value(game.dump(state)), game.dump(state)


def test_large_table_agrees_with_the_search() -> None:
    """Compare values of the table that players use, which is computed once by compiled code."""
    game, rng = create("mancala"), random.Random(1)
    prepare_endgames(game, print)
    with_table, without = Thinker(game, endgames=True), Thinker(game)
    assert not without.driver.endgames.places
    for _ in range(SAMPLE):
        fields = [0] * 12
        for _ in range(16):
            fields[rng.randrange(12)] += 1
        top, bottom = (",".join(map(str, row)) for row in (fields[:6], fields[6:]))
        state = game.load(f"{top}/{bottom} 15,17 {rng.choice('12')}")
        assert with_table.driver.endgame_value(state) == without.solve(state, Limits()).value, game.dump(state)


def test_search_uses_the_table_from_the_first_ply() -> None:
    game = create("mancala")
    prepare_endgames(game, print)
    thinker, exact = Thinker(game, endgames=True), Thinker(game)
    state = game.load("1,2,0,3,0,2/2,0,1,1,3,1 15,17 1")
    report = thinker.think(state, Limits(depth=1))
    assert report.proved
    assert report.value == exact.solve(state, Limits()).value
    after = state
    for move in report.line:
        after = game.after(after, move)
    assert game.outcome(after) is not None, "the line reaches the end"
    assert game.rules.score(*after[:2]) == (report.value if after.turn == state.turn else -report.value)


def test_plain_and_compiled_searches_with_a_table_are_equal() -> None:
    game = create("mancala")
    prepare_endgames(game, print)
    plain, fast = Thinker(game, compiled=False), Thinker(game, compiled=True, endgames=True)
    plain.driver.use_endgames(load_endgames(game))
    state = game.load("1,2,0,3,3,2/2,0,4,1,3,1 13,13 2")
    reports = [thinker.think(state, Limits(nodes=2000)) for thinker in (plain, fast)]
    assert len({(report.nodes, report.value, report.move, report.depth, report.line) for report in reports}) == 1
    without = Thinker(game, compiled=True).think(state, Limits(nodes=2000))
    assert reports[0].proved
    assert not without.proved


def test_small_games_and_other_games_have_no_table(folder: Path) -> None:
    for name, options in (("mancala", {"pits": 3, "stones": 1}), ("conga", {}), ("cohcoh", {"n": 4, "k": 3})):
        game = create(name, options)
        prepare_endgames(game, print)
        assert table_path(game) is None
        assert load_endgames(game).places == 0
    assert not folder.exists()


def test_larger_table_holds_more_stones(folder: Path) -> None:
    large = create("mancala", {"pits": 2, "stones": 4})
    small = large.with_endgames(100)
    for game in (small, large):
        prepare_endgames(game, print)
    tables, rules = zip(*((load_endgames(game), search_rules(game)) for game in (small, large)), strict=True)
    assert tables[0].places <= 100 < tables[1].places
    assert rules[0].ENDGAME_STONES < rules[1].ENDGAME_STONES
    for position in places(small):
        values = [
            endgame_value(table.words, rule.endgame_index(*position)) for table, rule in zip(tables, rules, strict=True)
        ]
        assert values[0] == values[1]


def test_games_with_equal_endings_share_a_table(folder: Path) -> None:
    paths = {table_path(create("mancala", {"pits": 3, "stones": stones})) for stones in (2, 3, 50)}
    others = {table_path(create("mancala", {"pits": 3, "rules": profile})) for profile in PROFILES}
    assert len(paths) == 1
    assert len(others) == 3


@pytest.mark.parametrize("damage", ["shorter", "empty", "value", "header", "missing"])
def test_damaged_table_is_computed_again(damage: str, folder: Path) -> None:
    game, notices = create("mancala", {"pits": 2}), list[str]()
    prepare_endgames(game, notices.append)
    path = table_path(game)
    assert path is not None
    whole = path.read_bytes()
    endgames._tables.clear()
    prepare_endgames(game, notices.append)
    assert notices == ["computing the endgames of mancala (once)"]
    flipped = {"value": 100, "header": 3}.get(damage, 0)
    content = {"shorter": whole[:-8], "empty": b""}.get(
        damage, whole[:flipped] + bytes([whole[flipped] ^ 1]) + whole[flipped + 1 :]
    )
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(content)
    endgames._tables.clear()
    assert load_endgames(game).places == 0
    prepare_endgames(game, notices.append)
    assert len(notices) == 2
    assert path.read_bytes() == whole
    assert load_endgames(game).places == search_rules(game).ENDGAMES


def test_search_has_no_table_in_an_unwritable_folder(folder: Path) -> None:
    folder.write_text("a file, not a folder")
    game = create("mancala", {"pits": 2})
    prepare_endgames(game, print)
    assert load_endgames(game).places == 0


def test_failure_to_compile_is_reported_and_leaves_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(game: Game) -> Any:
        raise RuntimeError("no compiler")

    monkeypatch.setattr(endgames, "compile_fill", fail)
    game, notices = create("mancala", {"pits": 2}), list[str]()
    prepare_endgames(game, notices.append)
    assert notices[1:] == ["the search has no endgames for mancala: RuntimeError: no compiler"]
    assert [path.name for path in folder.iterdir()] == ["lock"]


def test_a_table_that_another_process_computes_is_awaited(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, notices = create("mancala", {"pits": 2}), list[str]()
    path, asleep = table_path(game), threading.Event()
    assert path is not None
    folder.mkdir(parents=True)
    lock = open_locked(folder / "lock")
    assert lock is not None
    real_sleep = time.sleep

    def sleep(seconds: float) -> None:
        asleep.set()
        real_sleep(seconds)

    monkeypatch.setattr(time, "sleep", sleep)
    thread = threading.Thread(target=prepare_endgames, args=(game, notices.append))
    thread.start()
    until_blocking("the second process waits", asleep.is_set)
    endgames.write_table(path, endgames.compute(game))
    os.close(lock)
    thread.join()
    assert notices == []
    assert load_endgames(game).places


def test_old_tables_are_removed(folder: Path) -> None:
    folder.mkdir(parents=True)
    names = [f"{number}.bin" for number in range(endgames.MAX_FILES + 1)]
    for number, name in enumerate((*names, "left.tmp", "new.tmp")):
        (folder / name).write_bytes(b"")
        if name != "new.tmp":
            os.utime(folder / name, (number, number))
    endgames.write_table(folder / "table.bin", b"")
    assert sorted(path.name for path in folder.iterdir()) == sorted([*names[2:], "new.tmp", "table.bin"])
