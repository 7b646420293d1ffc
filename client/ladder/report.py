"""The report on a ladder that its server shows, and the standings as text."""

from __future__ import annotations

from collections.abc import Sequence

from client.ladder.ratings import Row, table
from client.ladder.runner import LadderRunner
from client.ladder.state import LadderGame, LadderResult, LadderState, Version
from client.sdk.time_control import parse_time_control
from client.tournament.export.report import (
    FORFEIT_TEXTS,
    MAX_ELO_ERROR,
    MAX_LATEST,
    MAX_ROWS,
    MAX_RUNNING,
    MAX_TEXT_CHARS,
    REASON_TEXTS,
    fit,
)
from client.tournament.export.tables import columns
from protocol.types import TournamentGame, TournamentReport, TournamentRow

MAX_VERSION_CHARS = 16
HEADINGS = ["", "bot", "rating", "games", "+", "=", "-", "forfeits", "", "version"]


class LadderReport:
    """Builds reports on the ladder of a runner."""

    def __init__(self, runner: LadderRunner) -> None:
        self._runner = runner
        self.finished = False
        self._known: dict[Version, float] = {}  # the ratings of the last report

    def __call__(self) -> TournamentReport:
        """Return the report on the current state, as large as a command may be."""
        settings, state = self._runner.settings, self._runner.state
        rows = table(settings, state, self._runner.lobby.here(), self._known)
        self._known = {row.player: row.rating.elo for row in rows}
        return fit(
            TournamentReport(
                title=settings.name[:MAX_TEXT_CHARS],
                game=settings.game,
                format="ladder",
                players=len(rows),
                options={name: value for name, value in settings.options.items() if name != "start"},
                clock=parse_time_control(settings.clock),
                done=state.done,
                total=state.done,
                open_ended=True,
                finished=self.finished,
                rows=tuple(map(report_row, shown_rows(rows))),
                running=tuple(running_game(state, game) for game in list(state.open.values())[:MAX_RUNNING]),
                latest=tuple(ended_game(*played) for played in reversed(state.latest[-MAX_LATEST:])),
            )
        )


def shown_rows(rows: Sequence[Row]) -> list[Row]:
    """Return as many rows as a report may have, in their order. Retired versions give way to those that play."""
    kept = sorted(rows, key=lambda row: row.state == "retired")[:MAX_ROWS]
    return sorted(kept, key=rows.index)


def label(player: Version) -> str:
    """Return a version as a table shows it."""
    return str(Version(player.name, player.version[:MAX_VERSION_CHARS]))


def report_row(row: Row) -> TournamentRow:
    tally = row.tally
    return TournamentRow(
        name=label(row.player),
        points=tally.points,
        games=tally.games,
        wins=tally.wins,
        draws=tally.draws,
        losses=tally.losses,
        elo=round(row.rating.elo),
        error=round(min(row.rating.error, MAX_ELO_ERROR)),
        forfeits=tally.forfeits,
        state=row.state,
    )


def running_game(state: LadderState, game: LadderGame) -> TournamentGame:
    first, second = map(label, game.players)
    room = state.rooms.get(game.number, "")
    return TournamentGame(number=game.number, round=game.opening, first=first, second=second, room=room)


def ended_game(game: LadderGame, result: LadderResult) -> TournamentGame:
    first, second = map(label, game.players)
    return TournamentGame(
        number=game.number,
        round=game.opening,
        first=first,
        second=second,
        room=result.room,
        result=result.result,  # type: ignore[arg-type]  # the state has checked it
        why=reason_text(game, result)[: 2 * MAX_TEXT_CHARS],
        forfeit=bool(result.forfeit),
        moves=result.moves,
    )


def reason_text(game: LadderGame, result: LadderResult) -> str:
    loser = "" if result.loser is None else game.players[result.loser].name
    if result.forfeit:
        text = FORFEIT_TEXTS.get(result.forfeit, "{loser} lost by " + result.forfeit)
    else:
        text = REASON_TEXTS.get(result.reason, result.reason)
    return text.replace("{loser}", loser)


def result_line(game: LadderGame, result: LadderResult) -> str:
    first, second = map(label, game.players)
    return f"game {game.number}: {first} - {second} {result.result} ({reason_text(game, result)})"


# -- standings as text


def standings_lines(rows: Sequence[Row]) -> list[str]:
    """Return the table as lines."""
    return [line.rstrip() for line in columns([HEADINGS, *(cells(at, row) for at, row in enumerate(rows, 1))])]


def cells(number: int, row: Row) -> list[str]:
    tally, error = row.tally, f" ± {min(row.rating.error, MAX_ELO_ERROR):.0f}" if row.rating.error else " fixed"
    return [
        str(number), row.player.name, f"{row.rating.elo:.0f}{error}", str(tally.games), str(tally.wins),
        str(tally.draws), str(tally.losses), str(tally.forfeits or ""), "" if row.state == "anchor" else row.state,
        row.player.version,
    ]  # fmt: skip


def standings_json(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Return the table as values for JSON."""
    return [
        {
            "bot": row.player.name, "version": row.player.version, "rating": round(row.rating.elo, 1),
            "error": round(row.rating.error, 1), "games": row.tally.games, "wins": row.tally.wins,
            "draws": row.tally.draws, "losses": row.tally.losses, "forfeits": row.tally.forfeits, "state": row.state,
        }
        for row in rows
    ]  # fmt: skip
