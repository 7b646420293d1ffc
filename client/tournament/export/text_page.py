"""The page of bundles with version 1 or 2 of the texts: boards are drawn with characters. Only `verify` needs it.

It has neither style nor script: `text_versions` knows their digests.
"""

from __future__ import annotations

from html import escape
from typing import Any

from client.tournament.export.html import (
    Evidence,
    crosstable_html,
    duel_lines,
    embedded,
    forfeits,
    game_list,
    html_table,
    summary,
)
from client.tournament.export.svg import plot
from client.tournament.export.tables import sprt_line, table_cells
from client.tournament.formats.rating_history import ratings_by_round
from client.tournament.formats.standings import Standings
from client.tournament.model.plan import Plan
from client.tournament.model.results import Pairing, Result, Results
from engine.record import parse, play_through

GAME_VIEWER = """<section id="viewer" hidden><h3 id="title"></h3><pre id="board"></pre><p id="state"></p>
<p><button id="first">|&lt;</button> <button id="back">&lt;</button> <button id="next">&gt;</button>
<button id="last">&gt;|</button> or the arrow keys</p><p id="note"></p><p id="moves"></p></section>"""


def text_page(table: Standings, plan: Plan, results: Results, evidence: Evidence) -> str:
    """Return the page without style, script and policy."""
    games = [game for game in table.schedule.games if game.number in results]
    data = [game_data(game, results[game.number]) for game in games]
    ratings = plot(ratings_by_round(table, plan, results), [row.name for row in table.rows])
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta http-equiv="Content-Security-Policy" content="">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(plan.name)}</title><style></style></head><body>",
        f"<h1>{escape(plan.name)}</h1>",
        f"<p>{escape(summary(table, plan, len(games)))}</p>",
        html_table(table_cells(table)),
        crosstable_html(table),
        duel_lines(table),
        f"<p>{escape(sprt_line(table))}</p>" if table.sprt is not None else "",
        f"<h2>Ratings by round</h2>{ratings}" if ratings else "",
        forfeits(table, evidence),
        "<h2>Games</h2>",
        GAME_VIEWER,
        f'<div id="list">{game_list(games, results)}</div>',
        f'<script type="application/json" id="data">{embedded(data)}</script>',
        "<script></script></body></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def game_data(game: Pairing, result: Result) -> dict[str, Any]:
    record = parse(result.record)
    through = play_through(record)
    return {
        "number": game.number,
        "round": game.round,
        "seats": game.seats,
        "result": result.result,
        "reason": result.reason,
        "moves": [played.move for played in record.moves],
        "notes": [played.note for played in record.moves],
        "boards": [through.game.draw(state).text() for state in through.states],
    }
