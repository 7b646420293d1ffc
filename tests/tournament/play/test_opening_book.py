"""The openings of a tournament: chosen once, cached, logged, and played."""

from __future__ import annotations

import asyncio
from contextlib import closing, suppress
from pathlib import Path

import pytest

from client.tournament.export.bundle import pack
from client.tournament.export.verify import verify
from client.tournament.formats import openings_balanced
from client.tournament.formats.openings_balanced import Cancelled
from client.tournament.journal.folder import Folder
from client.tournament.journal.log import Log, read
from client.tournament.journal.replay import TournamentState, replay
from client.tournament.model.chosen_opening import ChosenOpening
from client.tournament.model.plan import Contestant, Plan
from client.tournament.play.opening_book import OpeningBook
from client.tournament.play.opening_cache import OpeningCache
from tests.tournament.live import Recorder, plan_of, run
from tests.tournament.plans import plan
from tests.waiting import until


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty folder for openings. The compiled search stays where it is."""
    folder = tmp_path / "cache"
    monkeypatch.setattr("client.tournament.play.opening_cache.cache_folder", lambda: folder)
    return folder / "openings"


def files_in(folder: Path) -> list[Path]:
    return list(folder.glob("*"))


def a_plan(seed: int = 1) -> Plan:
    return plan("match", "a", "b", game="maxconnect4", balanced=True, games=8, seed=seed)


async def choose(given: Plan, path: Path, count: int, messages: list[str] | None = None) -> list[ChosenOpening]:
    """Choose openings as a runner does, and return them as the log has them."""
    log = Log(path)
    state = replay(log.open())
    with closing(OpeningBook(given, log, state, (messages if messages is not None else []).append)) as book:
        await book.prepare(count)
        assert await book.start(count) == state.openings[-1].position
    await log.close()
    assert replay(read(path)).openings == state.openings
    return state.openings


def refuse_search(*given: object) -> ChosenOpening:
    raise AssertionError("the openings were chosen again")


async def test_openings_are_chosen_once(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    messages: list[str] = []
    first = await choose(a_plan(), tmp_path / "one", 3, messages)
    assert messages[0] == "choosing 3 balanced openings"
    (file,) = files_in(cache)
    with monkeypatch.context() as patch:
        patch.setattr(openings_balanced, "evaluate", refuse_search)
        assert await choose(a_plan(), tmp_path / "two", 3) == first
        with pytest.raises(AssertionError, match="chosen again"):
            await choose(a_plan(seed=2), tmp_path / "three", 3)
    longer = await choose(a_plan(), tmp_path / "one", 4)
    assert longer[:3] == first
    assert OpeningCache(a_plan()).load() == longer
    assert files_in(cache) == [file]


@pytest.mark.parametrize("damage", [b"", b"x", b"0" * 64 + b"\n[]", b'\n[{"position": 1}]'])
async def test_damaged_cache_is_not_used(damage: bytes, tmp_path: Path, cache: Path) -> None:
    first = await choose(a_plan(), tmp_path / "one", 2)
    (file,) = files_in(cache)
    good = file.read_bytes()
    file.write_bytes(damage + good[70:] if damage == b"x" else damage)
    assert OpeningCache(a_plan()).load() == []
    assert await choose(a_plan(), tmp_path / "two", 2) == first
    assert file.read_bytes() == good


async def test_openings_of_another_search_are_kept_and_not_cached(tmp_path: Path, cache: Path) -> None:
    state = TournamentState(openings=[ChosenOpening(a_plan().create().start_position, 0, 1, False, None, "other")])
    log = Log(tmp_path / "log")
    list(log.open())
    with closing(OpeningBook(a_plan(), log, state, lambda text: None)) as book:
        await book.prepare(2)
    await log.close()
    assert [opening.search == "other" for opening in state.openings] == [True, False]
    assert files_in(cache) == []


async def test_unwritable_cache_prevents_nothing(tmp_path: Path, cache: Path) -> None:
    cache.parent.write_text("not a folder")
    assert len(await choose(a_plan(), tmp_path / "one", 1)) == 1


async def test_interrupted_choice_is_resumed(tmp_path: Path) -> None:
    log = Log(tmp_path / "log")
    state = replay(log.open())
    book = OpeningBook(a_plan(), log, state, lambda text: None)
    task = asyncio.create_task(book.prepare(1000))
    await until("two openings", lambda: len(state.openings) >= 2)
    task.cancel()
    with suppress(asyncio.CancelledError, Cancelled):
        await task
    book.close()
    await log.close()
    kept = list(state.openings)
    assert OpeningCache(a_plan()).load()[: len(kept)] == kept
    assert (await choose(a_plan(), tmp_path / "log", len(kept) + 1))[:-1] == kept


async def test_change_of_the_plan_discards_openings(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "cup")
    bots = (Contestant("a", bot="greedy"), Contestant("b", bot="random"))
    folder.create(plan_of("match", bots, games=2, balanced=True, opening_plies=4))
    folder.log_file.write_text(
        '{"type":"tournament","version":1,"plan":"of an earlier plan"}\n'
        '{"type":"opening","number":1,"position":"?","value":0,"depth":1,"proved":false,"band":1,"search":""}\n'
    )
    assert len(folder.state().openings) == 1
    await run(folder)
    (opening,) = folder.state().openings
    assert opening.position != "?"


async def test_tournament_with_balanced_openings_is_played_and_verified(tmp_path: Path) -> None:
    folder, recorder = Folder(tmp_path / "cup"), Recorder()
    bots = (Contestant("a", bot="greedy"), Contestant("b", bot="random"), Contestant("c", bot="random"))
    folder.create(plan_of("round-robin", bots, game="cohcoh", balanced=True, opening_plies=6))
    await run(folder, recorder=recorder)
    plan, state = folder.plan(), folder.state()
    assert len(state.openings) == 3
    assert "choosing 3 balanced openings" in recorder.messages
    starts = {number: result.record.split("start: ")[1].split("\n")[0] for number, result in state.results.items()}
    assert [starts[number] for number in range(1, 7)] == [
        opening.position for opening in state.openings for _ in range(2)
    ]
    bundle = tmp_path / "cup.zip"
    bundle.write_bytes(pack(plan, state))
    assert verify(bundle) == ([], 6, [], 0)
