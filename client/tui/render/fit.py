"""Choose the picture of a board: as large as the space and the terminal allow."""

from __future__ import annotations

from client.tui.render.appearance import Appearance
from client.tui.render.board_picture import BoardPicture
from client.tui.render.letter_board import Glyphs, LetterBoard, letter_sizes
from client.tui.render.pixel_kinds import fit_pixel_board, kind_of, pieces_of
from engine.board import Board
from engine.game import Game


def fit_board(
    game: Game,
    board: Board,
    columns: int,
    rows: int,
    appearance: Appearance,
    *,
    flipped: bool = False,
    labels: bool = True,
) -> BoardPicture:
    """Return the largest picture that fits into the space, or the smallest if none fits."""
    kind, tokens = kind_of(game, board), appearance.tokens
    if appearance.pixels:
        drawn = fit_pixel_board(kind, board, appearance.palette, columns, rows, flipped=flipped, labels=labels)
        if drawn is not None:
            return drawn
    for size in letter_sizes(board, lines=not appearance.pixels, tiny=not labels):
        picture = LetterBoard(
            board,
            size,
            glyphs_of(game, board, appearance),
            tokens=tokens,
            pieces=None if tokens is None else pieces_of(kind, tokens),
            tinted=appearance.pixels,
            flipped=flipped,
            labels=labels,
            ascii_only=appearance.ascii_only,
        )
        if picture.columns <= columns and picture.rows <= rows:
            break
    return picture


def glyphs_of(game: Game, board: Board, appearance: Appearance) -> Glyphs:
    """Return the characters of the pieces: letters in ASCII, otherwise filled and hollow circles."""
    if appearance.ascii_only:
        return Glyphs(board.marks, ".")
    if appearance.pixels:
        return Glyphs(("●", "●"), "·")
    return Glyphs(("○", "●") if game.colour_names[0] == "white" else ("●", "○"), "·")
