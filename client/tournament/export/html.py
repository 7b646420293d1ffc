"""A self-contained HTML page: table, grades, ratings by round, and a replay of every game. It works offline.

The boards are drawn by the script and the style of the browser client.

Names and notes are untrusted. They are escaped, and a content security policy allows only the page's own script.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from client.presentation.rules.chapter import board_tree, layout_tree
from client.presentation.texts import counted
from client.presentation.website import WEB_FOLDER
from client.tournament.export.bracket import bracket_html, is_shown
from client.tournament.export.grades import grades, passed
from client.tournament.export.mistakes import WORST, FoundMistake, checked_mistakes, worst_mistakes
from client.tournament.export.svg import plot
from client.tournament.export.tables import (
    accuracy_text,
    crosstable,
    duel_line,
    review_line,
    shown_duels,
    sprt_line,
    table_cells,
)
from client.tournament.formats.rating_history import ratings_by_round
from client.tournament.formats.standings import Forfeit, Standings
from client.tournament.journal.replay import TournamentState
from client.tournament.model.chosen_opening import value_text
from client.tournament.model.game_review import GameReview
from client.tournament.model.plan import Plan
from client.tournament.model.results import Pairing, Result, Results
from engine.game import Game, Move, State
from engine.record import RULE_REASONS, parse, play_through

VERDICT_TEXTS = {"pass": "met", "fail": "not met", "open": "open"}
MAX_CROSSTABLE_PLAYERS = 40  # larger crosstables are left out
Evidence = Callable[[Forfeit], str]
BoardTree = list[tuple[int | None, int]]


def no_evidence(forfeit: Forfeit) -> str:
    return ""


def page(
    table: Standings, plan: Plan, state: TournamentState, evidence: Evidence = no_evidence, with_bracket: bool = True
) -> str:
    """Return the page. `evidence` returns the link to the report of a forfeit, relative to the page.

    `with_bracket`: show the bracket of a knockout tournament.
    """
    results = state.results
    style, script = page_style(), page_script()
    policy = page_policy(digest(style), digest(script))
    games = [game for game in table.schedule.games if game.number in results]
    rules = plan.create()
    data = {
        "layout": layout_tree(rules),
        "games": [game_data(game, results[game.number], state.reviews.get(game.number)) for game in games],
    }
    ratings = plot(ratings_by_round(table, plan, results), [row.name for row in table.rows])
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(plan.name)}</title><style>{style}</style></head><body>",
        f"<h1>{escape(plan.name)}</h1>",
        f"<p>{escape(summary(table, plan, len(games)))}</p>",
        html_table(table_cells(table)),
        f"<p>{escape(review_line(table.reviews))}</p>" if table.reviews is not None else "",
        bracket_html(table.bracket) if with_bracket and is_shown(table.bracket) else "",
        crosstable_html(table),
        duel_lines(table),
        f"<p>{escape(sprt_line(table))}</p>" if table.sprt is not None else "",
        grades_table(plan, state),
        mistakes_html(table, state, rules.colour_names),
        f"<h2>Ratings by round</h2>{ratings}" if ratings else "",
        forfeits(table, evidence),
        openings_table(table, plan, state),
        "<h2>Games</h2>",
        GAME_VIEWER,
        f'<div id="list">{game_list(games, results)}</div>',
        f'<script type="application/json" id="data">{embedded(data)}</script>',
        f'<script type="module">{script}</script></body></html>',
    ]
    return "\n".join(part for part in parts if part) + "\n"


GAME_VIEWER = """<section id="viewer" hidden><h3 id="title"></h3><div class="replay">
<div><p class="seat" id="above"></p><parlour-board id="board"></parlour-board><p class="seat" id="below"></p></div>
<div><p id="state" aria-live="polite"></p>
<p><button id="first" aria-label="first position">|&lt;</button>
<button id="back" aria-label="one move back">&lt;</button>
<button id="next" aria-label="one move forward">&gt;</button>
<button id="last" aria-label="last position">&gt;|</button>
or the arrow keys</p><p id="note"></p><p id="moves"></p></div></div></section>"""


def page_style() -> str:
    """Return the style: that of the page, then that of the boards."""
    return own_file("page.css") + (WEB_FOLDER / "board.css").read_text(encoding="utf-8")


def page_script() -> str:
    """Return the script: the element that draws boards, then the replay."""
    return (WEB_FOLDER / "board.js").read_text(encoding="utf-8") + own_file("page.js")


def own_file(name: str) -> str:
    return files("client.tournament.export").joinpath(name).read_text(encoding="utf-8")


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


def openings_table(table: Standings, plan: Plan, state: TournamentState) -> str:
    """Return the balanced openings with their values and games; nothing if the plan has none."""
    numbers: dict[int, list[int]] = {}
    for game in table.schedule.games:
        if plan.balanced and game.number in state.results:
            numbers.setdefault(game.opening, []).append(game.number)
    rows = [
        table_row(
            f"opening {number}",
            escape(state.openings[number - 1].position),
            escape(value_text(state.openings[number - 1])),
            ", ".join(map(link, games)),
        )
        for number, games in sorted(numbers.items())
        if number <= len(state.openings)
    ]
    title = "<h2>Openings</h2><p>Balanced openings, with their values for the first player</p>"
    return f'{title}<div class="wide"><table>{"".join(rows)}</table></div>' if rows else ""


def game_list(games: list[Pairing], results: Results) -> str:
    rows = []
    for game in games:
        result = results[game.number]
        names = escape(f"{game.seats[0]} - {game.seats[1]}")
        rows.append(table_row(f"round {game.round}", link(game.number), names, result.result, escape(result.reason)))
    return f"<table>{''.join(rows)}</table>"


def crosstable_html(table: Standings) -> str:
    return html_table(crosstable(table)) if 2 < len(table.rows) <= MAX_CROSSTABLE_PLAYERS else ""


def duel_lines(table: Standings) -> str:
    return "".join(f"<p>{escape(duel_line(duel))}</p>" for duel in shown_duels(table))


def grades_table(plan: Plan, state: TournamentState) -> str:
    """Return the grades of the students, with the evidence; nothing if the plan has no goals."""
    found = grades(plan, state)
    rows = [
        table_row(escape(student), escape(grade.goal.name), VERDICT_TEXTS[grade.verdict], escape(grade.evidence))
        for student, row in sorted(found.items())
        for grade in row
    ]
    met = sum(map(passed, found.values()))
    title = f"<h2>Grades</h2><p>{met} of {counted(len(rows), 'goal')} met</p>"
    return f'{title}<div class="wide"><table>{"".join(rows)}</table></div>' if rows else ""


def mistakes_html(table: Standings, state: TournamentState, colours: Sequence[str]) -> str:
    """Return the worst mistakes of each player; nothing if there are none. `colours`: of the two sides."""
    found = worst_mistakes(table, state)
    percents = {row.name: accuracy_text(row.accuracy) for row in table.rows}
    parts = [
        f'<section class="mistakes"><h3>{escape(player)} <small>accuracy {percents[player]}</small></h3>'
        f"{mistake_cards(mistakes, colours)}</section>"
        for player, mistakes in found.items()
    ]
    about = f"At most the {WORST} worst mistakes of each player. The boards show the position before the move."
    return f"<h2>Mistakes</h2><p>{about}</p>{''.join(parts)}" if parts else ""


def mistake_cards(mistakes: Sequence[FoundMistake], colours: Sequence[str], games_page: str = "") -> str:
    """Return a card for each mistake. `games_page`: the page with the games, if they are not on this one.

    The script of the page with the games draws the boards. Other pages have no boards.
    """
    cards = []
    for one in mistakes:
        board = f'<parlour-board mini data-game="{one.game}" data-ply="{one.ply}"></parlour-board>'
        lines = "".join(f"<p>{line}</p>" for line in mistake_texts(one, colours, games_page))
        cards.append(f"<figure>{'' if games_page else board}<figcaption>{lines}</figcaption></figure>")
    return f'<div class="cards">{"".join(cards)}</div>'


def mistake_texts(mistake: FoundMistake, colours: Sequence[str], games_page: str) -> tuple[str, ...]:
    """Return the lines of a card, as HTML."""
    where = f"game {mistake.game}, move {mistake.ply}"
    chip = f'<i class="chip side-{mistake.side} c-{escape(colours[mistake.side])}"></i>'
    sentence = mistake.sentence.replace(" %", "\N{NO-BREAK SPACE}%")
    return (
        f'<a href="{games_page}#game-{mistake.game}-{mistake.ply}">{where}</a> against {escape(mistake.opponent)}',
        f"{chip} <b>{escape(mistake.move)} {escape(mistake.mark)}</b> {escape(sentence)}",
        f"better: {escape(' '.join(mistake.line))}",
    )


def game_data(game: Pairing, result: Result, review: GameReview | None = None) -> dict[str, Any]:
    """Return what the script needs to replay a game.

    `start` is the first board; `changes` has for each move the index, owner and count of every cell that changed.
    `mistakes`: for each mistake its ply, its mark and a sentence, if the game is reviewed.
    """
    record = parse(result.record)
    through = play_through(record)
    rules, states = through.game, through.states
    boards = [board_tree(rules.draw(state)) for state in states]
    played = [rules.parse(state, move.move) for state, move in zip(states, record.moves, strict=False)]
    return {
        "number": game.number,
        "round": game.round,
        "seats": game.seats,
        "result": result.result,
        "reason": result.reason,
        "moves": [move.move for move in record.moves],
        "notes": [move.note for move in record.moves],
        "start": boards[0],
        "changes": list(map(changed_cells, boards, boards[1:])),
        "lasts": [last_cells(rules, state, move) for state, move in zip(states, played, strict=False)],
        "decisive": rules.decisive(states[-1]) if result.reason in RULE_REASONS else (),
        **({} if review is None else {"mistakes": mistakes_data(game, result, review)}),
    }


def mistakes_data(game: Pairing, result: Result, review: GameReview) -> list[tuple[int, str, str]]:
    found = checked_mistakes(game, result, review)
    return [(one.ply, one.mark, f"{one.sentence}; better: {' '.join(one.line)}") for one in found]


def changed_cells(before: BoardTree, after: BoardTree) -> list[tuple[int, int | None, int]]:
    return [(at, *new) for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]


def last_cells(game: Game, state: State, move: Move) -> tuple[str, ...]:
    """Return the path of a move and the cell where it ended, as the server marks them."""
    path = game.path(state, move)
    end = game.end_of(state, move) if path else ""
    return path if not path or path[-1] == end else (*path, end)
