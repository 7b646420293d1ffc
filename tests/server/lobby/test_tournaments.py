from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

import pytest

from protocol.codec import JSON, MAX_MESSAGE_BYTES, MSGPACK, Malformed
from protocol.commands import ReportTournament, Tournaments, WatchTournament
from protocol.replies import Error, Ok, TournamentUpdate
from protocol.types import TournamentGame, TournamentReport, TournamentRow
from server.domain.decision import Refusal
from server.lobby import tournaments
from server.lobby.tournaments import NAME_RESERVED_MS, TournamentReports
from tests.server.domain.helpers import ANN, BEN, EVE
from tests.server.fakes import Harness, ManualClock, RecordingClient

INTERVAL_S = 3600.0  # the tests flush by hand
IDS = count(1)


def report(title: str = "Autumn cup", **more: Any) -> TournamentReport:
    return TournamentReport(title=title, game="conga", format="round-robin", players=2, **more)


class Board:
    """Tournaments of a node, with an arbiter and a watcher."""

    def __init__(self) -> None:
        self.announced: list[TournamentUpdate] = []
        self.clock = ManualClock()
        self.reports = TournamentReports(self.announced.append, self.clock, INTERVAL_S)
        self.ann, self.ben, self.eve = (RecordingClient(player) for player in (ANN, BEN, EVE))

    async def report(self, client: RecordingClient, name: str = "cup", **more: Any) -> None:
        await self.reports.report(client, ReportTournament(id=next(IDS), name=name, report=report(**more)))

    async def watch(self, client: RecordingClient, name: str = "cup") -> list[TournamentUpdate]:
        await self.reports.watch(client, WatchTournament(id=next(IDS), name=name))
        return client.of(TournamentUpdate)

    async def names(self) -> list[str]:
        await self.reports.list(self.eve, Tournaments(id=next(IDS)))
        return [info.name for info in self.eve.of(Ok)[-1].tournaments or ()]

    def titles(self) -> list[str]:
        """Return the titles that the watcher gets on the next tick."""
        self.eve.messages.clear()
        self.reports.flush()
        return [update.report.title for update in self.eve.of(TournamentUpdate)]


@pytest.fixture
async def board() -> Board:
    return Board()


async def test_watcher_gets_the_latest_report_and_then_one_a_tick(board: Board) -> None:
    await board.report(board.ann, title="first")
    (update,) = await board.watch(board.eve)
    assert (update.name, update.by, update.report.title) == ("cup", "ann", "first")
    await board.report(board.ann, title="second")
    await board.report(board.ann, title="third")
    assert board.titles() == ["third"]
    assert board.titles() == []


async def test_tournament_can_be_watched_before_it_exists(board: Board) -> None:
    assert await board.watch(board.eve) == []
    await board.report(board.ann)
    assert board.titles() == ["Autumn cup"]


async def test_client_watches_one_tournament_at_a_time(board: Board) -> None:
    await board.watch(board.eve, "cup")
    await board.watch(board.eve, "league")
    await board.report(board.ann, "cup", title="cup")
    await board.report(board.ann, "league", title="league")
    assert board.titles() == ["league"]
    await board.watch(board.eve, "")
    await board.report(board.ann, "league", title="more")
    assert board.titles() == []
    assert not board.reports.is_watching(board.eve)


async def test_only_the_arbiter_may_report_until_the_name_is_free_again(board: Board) -> None:
    await board.report(board.ann)
    with pytest.raises(Refusal, match="ann reports") as refused:
        await board.report(board.ben, title="taken")
    assert refused.value.code == "name_taken"
    await board.report(RecordingClient(ANN), title="from another connection")
    assert (await board.watch(board.eve))[0].report.title == "from another connection"
    board.clock.advance(NAME_RESERVED_MS)
    await board.report(board.ben, title="of ben")
    assert board.titles() == ["of ben"]


@pytest.mark.parametrize("name", ["cup\x1b[2J", " cup", "cup\u202e", "a\nb"])
async def test_name_with_control_characters_is_refused(board: Board, name: str) -> None:
    with pytest.raises(Refusal, match="printable"):
        await board.report(board.ann, name)
    assert await board.names() == []


async def test_disconnected_watcher_is_forgotten(board: Board) -> None:
    await board.watch(board.eve)
    board.reports.disconnect(board.eve)
    await board.report(board.ann)
    assert board.titles() == []


async def test_watcher_who_does_not_read_is_disconnected(board: Board) -> None:
    await board.watch(board.eve)
    await board.report(board.ann)
    board.eve.unread_bytes = tournaments.MAX_UNREAD_BYTES + 1
    assert board.titles() == []
    assert board.eve.closed is not None
    assert not board.reports.is_watching(board.eve)


async def test_list_has_the_latest_first_and_says_how_old_they_are(board: Board) -> None:
    await board.report(board.ann, "old", done=3, total=8)
    board.clock.advance(5000)
    await board.report(board.ben, "new")
    assert await board.names() == ["new", "old"]
    infos = board.eve.of(Ok)[-1].tournaments
    assert infos is not None
    assert (infos[1].by, infos[1].done, infos[1].total, infos[1].age) == ("ann", 3, 8, 5000)


async def test_number_of_tournaments_is_limited(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournaments, "MAX_TOURNAMENTS", 4)
    monkeypatch.setattr(tournaments, "MAX_TOURNAMENTS_PER_ADDRESS", 2)
    board.ben.address = "192.0.2.2"
    await board.report(board.ben, "of ben")
    for number in range(5):
        await board.report(board.ann, f"cup {number}")
    assert await board.names() == ["cup 4", "cup 3", "of ben"]  # one address does not displace another
    for number in range(3):
        client = RecordingClient(EVE)
        client.address = f"192.0.2.{number + 10}"
        await board.report(client, f"of eve {number}")
    assert await board.names() == ["of eve 2", "of eve 1", "of eve 0", "cup 4"]


async def test_report_reaches_other_nodes(board: Board) -> None:
    other = Board()
    await other.watch(other.eve)
    await board.report(board.ann, title="from the first node")
    other.reports.receive(board.announced[0])
    assert other.titles() == ["from the first node"]
    with pytest.raises(Refusal, match="ann reports"):
        await other.report(other.ben)
    board.reports.receive(board.announced[0])  # its own announcement
    await other.report(other.ann, title="ann has reconnected to the second node")
    assert other.titles() == ["ann has reconnected to the second node"]


async def test_late_echo_of_an_older_report_is_ignored(board: Board) -> None:
    await board.watch(board.eve)
    for title in ("older", "newer"):
        await board.report(board.ann, title=title)
    board.reports.receive(board.announced[0])
    assert board.titles()[-1] == "newer"


async def test_json_watchers_get_text_frames(board: Board) -> None:
    board.eve.text = True
    await board.watch(board.eve)
    await board.report(board.ann)
    assert board.titles() == ["Autumn cup"]


@pytest.mark.parametrize("codec", [JSON, MSGPACK])
def test_full_report_fits_the_limits_of_a_command(codec: Any) -> None:
    rows = tuple(TournamentRow(name=f"player {n}", points=1.5, games=4, elo=17, error=90) for n in range(20))
    games = tuple(TournamentGame(number=n, first="player 1", second="player 2", room="abcdef") for n in range(9))
    full = report(
        options={"n": 5}, rows=rows, crosstable=(("1.5/4",) * 20,) * 20, running=games, latest=games, goals_total=1
    )
    data = codec.encode(ReportTournament(id=1, name="cup", report=full))
    assert codec.decode_command(data).report == full
    assert len(data) < MAX_MESSAGE_BYTES


def test_long_name_is_malformed() -> None:
    with pytest.raises(Malformed):
        JSON.decode_command(JSON.encode(ReportTournament(id=1, name="x" * 65, report=report())))


@pytest.mark.parametrize(
    "fields",
    [
        '"left": 99999999999999999999999999',
        '"done": -1',
        '"options": {"n": 99999999999999999999999999}',
        '"rows": [{"name": "a", "points": 1e999}]',
        '"rows": [{"name": "a", "points": 1, "elo": 99999999999999999999999999}]',
        '"title": "\\ud800"',
        '"rows": [{"name": "a", "points": 1, "elo": {"a": {"b": 1}}}]',
    ],
)
def test_report_that_could_not_be_sent_on_is_malformed(fields: str) -> None:
    text = '{"type": "report_tournament", "id": 1, "name": "cup", "report": {"title": "a", "game": "b", "format": "c", '
    with pytest.raises(Malformed):
        JSON.decode_command(f'{text}"players": 2, {fields}}}}}'.encode())


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_of_a_report_are_finite(value: float) -> None:
    rows = (TournamentRow(name="a", points=value),)
    with pytest.raises(Malformed):
        MSGPACK.decode_command(MSGPACK.encode(ReportTournament(id=1, name="cup", report=report(rows=rows))))


# -- in a server


async def test_commands_arrive_and_updates_are_pushed(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.app.tournaments, "_interval_s", 0.0)
    ann, ben, eve = (server.connect(player) for player in (ANN, BEN, EVE))
    assert isinstance(await server.ask(eve, WatchTournament, name="cup"), Ok)
    assert isinstance(await server.ask(ann, ReportTournament, name="cup", report=report()), Ok)
    await asyncio.sleep(0)
    await server.settle()
    assert [update.by for update in eve.of(TournamentUpdate)] == ["ann"]
    refused = await server.ask(ben, ReportTournament, name="cup", report=report())
    assert isinstance(refused, Error)
    assert refused.code == "name_taken"
    assert ben.charged > 0
    listed = await server.ask(ben, Tournaments)
    assert isinstance(listed, Ok)
    assert [info.name for info in listed.tournaments or ()] == ["cup"]
    server.app.dispatcher.disconnected(eve)
    assert not server.app.tournaments.is_watching(eve)
