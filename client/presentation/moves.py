"""Words about cells and moves, with the labels that the board shows."""

from __future__ import annotations

from collections.abc import Sequence

from engine.board import Board, Cell
from engine.game import Game, Move, State

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
CHOICES_SHOWN = 6
MOVES_SHOWN = 3


def listed(words: Sequence[str], last: str = "or") -> str:
    """Return words as a list in a sentence: `a, b or c`."""
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)


def place_of(board: Board, name: str) -> tuple[int, int]:
    """Return the row and the column of a cell. Raises KeyError."""
    for row, cells in enumerate(board.rows):
        for column, cell in enumerate(cells):
            if cell is not None and cell.name == name:
                return row, column
    raise KeyError(name)


def cell_label(game: Game, board: Board, name: str) -> str:
    """Return a cell as a player reads it on the board: `d2`, `pit 3`, `the store`, `column 4`."""
    _, column = place_of(board, name)
    if game.kind == "pits":
        return f"pit {board.files[column]}" if board.files[column] else "the store"
    return f"column {board.files[column]}" if game.kind == "discs" else name


def short_label(game: Game, board: Board, name: str) -> str:
    """Return the label of a cell without its noun: `d2`, `3`, `4`."""
    return cell_label(game, board, name).split()[-1]


def preview_text(game: Game, state: State, move: Move, names: tuple[str, str] | None = None) -> str:
    """Return what a move would do: `d1d2: 1 to d2, 2 to d3.`, `Pit 3 ends in your store`.

    `names`: of both players, if both read this; otherwise only the player to move does.
    """
    before, after_state = game.draw(state), game.after(state, move)
    after, end = game.draw(after_state), game.end_of(state, move)
    text = game.format(state, move)
    if game.kind == "pits":
        start = cell_label(game, before, game.path(state, move)[0])
        where = "your store" if end.startswith("store") else cell_label(game, before, end)
        words = f"{start.capitalize()} ends in {where}"
        words += ": you move again." if after_state.turn == state.turn else "."
    elif game.kind == "discs":
        row = len(before.rows) - place_of(before, end)[0]
        ordinal = ORDINALS[row - 1] if row <= len(ORDINALS) else str(row)
        words = f"Column {text}: your disc falls to the {ordinal} row."
    elif before.counted:
        row, column = place_of(before, game.path(state, move)[0])
        grown = [(old, new) for old, new in pairs(before, after) if new.count > old.count]
        grown.sort(key=lambda pair: distance(place_of(before, pair[0].name), (row, column)))
        words = f"{text}: {', '.join(f'{new.count - old.count} to {new.name}' for old, new in grown)}."
    else:
        words = f"{text}."
    outcome = game.outcome(after_state)
    if outcome is None:
        return words
    if outcome.winner is None:
        result = "a draw"
    elif names is not None:
        result = f"{names[outcome.winner]} wins"
    else:
        result = "you win" if outcome.winner == state.turn else "you lose"
    return f"{words} The game ends: {result}."


def distance(first: tuple[int, int], second: tuple[int, int]) -> int:
    return max(abs(first[0] - second[0]), abs(first[1] - second[1]))


def pairs(before: Board, after: Board) -> list[tuple[Cell, Cell]]:
    return list(zip(before.cells(), after.cells(), strict=True))


def picked_text(game: Game, state: State, picked: Sequence[str], targets: Sequence[str]) -> str:
    """Return what is picked, and which cells can follow: `a4 is picked (10 stones). Now choose a3 or b4`."""
    board = game.draw(state)
    row, column = place_of(board, picked[-1])
    cell = board.rows[row][column]
    stones = f" ({cell.count} {'stone' if cell.count == 1 else 'stones'})" if cell is not None and board.counted else ""
    labels = sorted(short_label(game, board, name) for name in targets)[:CHOICES_SHOWN]
    return f"{cell_label(game, board, picked[-1])} is picked{stones}. Now choose {listed(labels)}."


def illegal_text(game: Game, state: State, text: str) -> str:
    """Return a message for a typed move that is not legal. It lists legal moves, those that begin alike first."""
    legal = game.legal(state)
    alike = next((found for at in range(len(text), 0, -1) if (found := starting(legal, text[:at]))), legal)
    return f"{text} is not a legal move. Try {listed(alike[:MOVES_SHOWN])}."


def starting(texts: Sequence[str], start: str) -> list[str]:
    return [text for text in texts if text.startswith(start)]


def refusal_text(game: Game, state: State, picked: Sequence[str], cell: str, targets: Sequence[str]) -> str:
    """Return why pointing at a cell leads to no move, and which cells do."""
    board = game.draw(state)
    row, column = place_of(board, cell)
    labels = sorted({short_label(game, board, name) for name in targets}, key=lambda text: (len(text), text))
    shown = labels if len(labels) <= CHOICES_SHOWN else labels[:CHOICES_SHOWN]
    if picked:
        return f"{picked[-1]} cannot go to {cell}. Try {listed(shown)}."
    content = board.rows[row][column]
    if game.kind == "discs":
        return f"Column {board.files[column]} is full. Choose {listed(shown)}."
    if game.kind == "pits":
        empty = content is not None and content.owner == state.turn and content.count == 0
        return f"{'That pit is empty' if empty else 'That pit is not yours'}. Choose {listed(shown)}."
    if content is not None and content.owner == state.turn:
        return f"{cell} cannot move. Try {listed(shown)}."
    if content is not None and content.owner is None and game.kind == "stacks":
        return f"{cell} is empty. Choose one of your stones: {listed(shown)}."
    return f"{cell} is taken. Choose another cell." if game.kind == "marbles" else f"No move starts at {cell}."
