"""Games that end by absence or adjudication."""

from __future__ import annotations

from pathlib import Path

from client.tournament.formats.standings import standings
from client.tournament.journal.folder import Folder
from tests.tournament.live import Recorder, contestants, moves, plan_of, run, server_with_bots, table


async def test_absent_player_forfeits(tmp_path: Path) -> None:
    players = (*contestants(2), *contestants(6)[5:])  # fay does not connect
    folder = Folder(tmp_path / "cup")
    folder.create(plan_of("round-robin", players, wait=2.0))
    async with server_with_bots(tmp_path, 2) as url:
        recorder = Recorder()
        await run(folder, url, recorder)
    known = standings(folder.plan(), folder.state().results)
    assert known.row("fay").forfeits == {"absent": 4}
    assert known.row("ann").points + known.row("ben").points == 6
    assert any(
        "fay should connect to ws" in message for message in [", ".join(recorder.messages).replace("ann, ben, ", "")]
    )


async def test_adjudication_is_deterministic(tmp_path: Path) -> None:
    given = plan_of("match", contestants(2), game="cohcoh", games=4, opening_plies=2, adjudicate=3000)
    folders = [Folder(tmp_path / name) for name in ("one", "two")]
    async with server_with_bots(tmp_path, 2) as url:
        for folder in folders:
            folder.create(given)
            await run(folder, url)
    assert table(folders[0]) == table(folders[1])
    assert moves(folders[0]) == moves(folders[1])
    results = folders[0].state().results.values()
    assert all(result.reason == "adjudicated" and result.proof is not None for result in results)
