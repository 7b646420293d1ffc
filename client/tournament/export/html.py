"""A self-contained HTML page: the table, the ratings by round, and a replay of every game. It works offline.

Names and notes are untrusted. They are escaped, and a content security policy allows only the page's own script.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from client.presentation.texts import counted
from client.tournament.export.svg import plot
from client.tournament.export.tables import HEADINGS, crosstable, duel_line, row_cells, shown_duels, sprt_line
from client.tournament.formats.rating_history import ratings_by_round
from client.tournament.formats.standings import Forfeit, Standings
from client.tournament.model.plan import Plan
from client.tournament.model.results import Pairing, Result, Results
from engine.record import parse, play_through

MAX_CROSSTABLE_PLAYERS = 40  # larger crosstables are left out
Evidence = Callable[[Forfeit], str]


def no_evidence(forfeit: Forfeit) -> str:
    return ""


def page(table: Standings, plan: Plan, results: Results, evidence: Evidence = no_evidence) -> str:
    """Return the page. `evidence` returns the link to the report of a forfeit, relative to the page."""
    package = files("client.tournament.export")
    style, script = (package.joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    policy = page_policy(digest(style), digest(script))
    games = [game for game in table.schedule.games if game.number in results]
    data = [game_data(game, results[game.number]) for game in games]
    ratings = plot(ratings_by_round(table, plan, results), [row.name for row in table.rows])
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(plan.name)}</title><style>{style}</style></head><body>",
        f"<h1>{escape(plan.name)}</h1>",
        f"<p>{escape(summary(table, plan, len(games)))}</p>",
        html_table([HEADINGS, *(row_cells(number, row, table) for number, row in enumerate(table.rows, 1))]),
        html_table(crosstable(table)) if 2 < len(table.rows) <= MAX_CROSSTABLE_PLAYERS else "",
        "".join(f"<p>{escape(duel_line(duel))}</p>" for duel in shown_duels(table)),
        f"<p>{escape(sprt_line(table))}</p>" if table.sprt is not None else "",
        f"<h2>Ratings by round</h2>{ratings}" if ratings else "",
        forfeits(table, evidence),
        "<h2>Games</h2>",
        GAME_VIEWER,
        f'<div id="list">{game_list(games, results)}</div>',
        f'<script type="application/json" id="data">{embedded(data)}</script>',
        f"<script>{script}</script></body></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


GAME_VIEWER = """<section id="viewer" hidden><h3 id="title"></h3><pre id="board"></pre><p id="state"></p>
<p><button id="first">|&lt;</button> <button id="back">&lt;</button> <button id="next">&gt;</button>
<button id="last">&gt;|</button> or the arrow keys</p><p id="note"></p><p id="moves"></p></section>"""


def page_policy(style: str, script: str) -> str:
    """Return the content security policy that allows only the style and the script with these digests."""
    return f"default-src 'none'; style-src {style}; script-src {script}"


def digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def embedded(data: Any) -> str:
    """Return JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def summary(table: Standings, plan: Plan, count: int) -> str:
    options = ", ".join(f"{name} {value}" for name, value in plan.options.items() if name != "start")
    state = "finished" if table.finished else "not finished"
    clock = "" if plan.clock == "none" else f", clock {plan.clock}"
    players = f"{plan.format} of {counted(len(plan.players), 'player')}"
    return f"{players} in {plan.game} ({options or 'default options'}){clock}, {counted(count, 'game')}, {state}"


def html_table(rows: list[list[str]]) -> str:
    head, *body = rows
    lines = [cells_of(head, "th"), *(cells_of(row, "td") for row in body)]
    return f'<div class="wide"><table>{"".join(f"<tr>{line}</tr>" for line in lines)}</table></div>'


def cells_of(row: list[str], tag: str) -> str:
    return "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row)


def link(number: int) -> str:
    return f'<a href="#game-{number}">game {number}</a>'


def table_row(*parts: str) -> str:
    """Return a table row. The parts are already HTML."""
    return "<tr>" + "".join(f'<td class="left">{part}</td>' for part in parts) + "</tr>"


def forfeits(table: Standings, evidence: Evidence) -> str:
    if not table.forfeits:
        return ""
    rows = []
    for entry in table.forfeits:
        url = evidence(entry) if entry.evidence else ""
        where = f'<a href="{escape(quote(url))}">evidence</a>' if url else ""
        rows.append(table_row(link(entry.game), escape(entry.loser), escape(entry.reason), where))
    return f"<h2>Forfeits</h2><table>{''.join(rows)}</table>"


def game_list(games: list[Pairing], results: Results) -> str:
    rows = []
    for game in games:
        result = results[game.number]
        names = escape(f"{game.seats[0]} - {game.seats[1]}")
        rows.append(table_row(f"round {game.round}", link(game.number), names, result.result, escape(result.reason)))
    return f"<table>{''.join(rows)}</table>"


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
