"""Choose the class that draws a board with pixels, and its size."""

from __future__ import annotations

from collections.abc import Mapping

from client.tui.render.pixel_boards import DiscBoard, MarbleBoard, PixelBoard, StackBoard
from client.tui.render.pixel_pits import PitBoard, SmallPitBoard
from client.tui.render.tokens import Pieces, Tokens
from engine.board import Board
from engine.game import Game

KINDS: Mapping[str, tuple[type[PixelBoard], ...]] = {  # from large to small
    "stacks": (StackBoard,),
    "discs": (DiscBoard,),
    "marbles": (MarbleBoard,),
    "pits": (PitBoard, SmallPitBoard),
}


def kind_of(game: Game, board: Board) -> str:
    """Return how a game is drawn. A game of an unknown kind gets stacks if its counts matter, else marbles."""
    return game.kind if game.kind in KINDS else "stacks" if board.counted else "marbles"


def pieces_of(kind: str, tokens: Tokens) -> Pieces:
    """Return the colours of a kind of board for a picture of characters."""
    if kind == "pits":
        return Pieces(tokens.bowl, tokens.beads[0], tokens.beads[0])
    return {"stacks": tokens.stacks, "discs": tokens.discs, "marbles": tokens.marbles}[kind]


def fit_pixel_board(
    kind: str, board: Board, theme: str, columns: int, rows: int, *, flipped: bool = False, labels: bool = True
) -> PixelBoard | None:
    """Return the largest picture that fits into the space, or None if none does."""
    for drawing in KINDS[kind]:
        for pitch in (*drawing.PITCHES, *(() if labels else drawing.TINY_PITCHES)):
            picture = drawing(board, pitch, theme, flipped=flipped, labels=labels)
            if picture.columns <= columns and picture.rows <= rows:
                return picture
    return None
