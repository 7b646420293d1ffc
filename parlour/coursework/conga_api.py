"""The course's Conga API: `from parlour.conga import Agent, CongaBoard`.  docs/course.md has examples.

Names, arguments and the form of a move are the course's. A board is passed in and a new one comes back: nothing
changes the board it was given. Agents search by alpha-beta, so that a move's value is what the opponent's best answer
leaves of it.
"""
# ruff: noqa: N802, N803  -- the course's own spelling

from __future__ import annotations

import copy
import random
from collections.abc import Sequence

from engine.course.alphabeta import alphabeta
from engine.course.players import shuffle_root
from engine.errors import GameError
from engine.game import Game, Move, State
from engine.registry import create
from parlour.coursework.tiles import tiles

__all__ = ["Agent", "CongaBoard", "Tile"]

EMPTY = -1
EDGE = range(1, 5)
HFUNCS = {0: "hfunc0", 1: "hfunc1"}

Tile = list[int]  # [x, y], x from the left and y from the bottom, both from 1 to 4


class CongaBoard:
    """Who holds a tile and with how many stones: `territory[x][y]` is -1, 0 or 1, `amount[x][y]` a number."""

    def __init__(self) -> None:
        self.territory = {x: dict.fromkeys(EDGE, EMPTY) for x in EDGE}
        self.amount = {x: dict.fromkeys(EDGE, 0) for x in EDGE}
        self.territory[1][4], self.amount[1][4] = 0, 10
        self.territory[4][1], self.amount[4][1] = 1, 10

    def draw(self) -> None:
        """Print the board: player 1 in blue, player 2 in red, empty tiles in yellow (NO_COLOR: letters instead)."""
        print(tiles([[(self.territory[x][y], self.amount[x][y]) for x in EDGE] for y in reversed(EDGE)]))

    def copy(self) -> CongaBoard:
        return copy.deepcopy(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CongaBoard):
            return NotImplemented
        return self.territory == other.territory and self.amount == other.amount

    __hash__ = None  # type: ignore[assignment]  # a board may be changed by whoever holds it

    def state(self, player: int) -> tuple[Game, State]:
        """The board as the engine knows it, with `player` to move."""
        stones = [sum(self.amount[x][y] for x in EDGE for y in EDGE if self.territory[x][y] == p) for p in (0, 1)]
        if stones[0] != stones[1]:
            raise GameError(f"player 1 has {stones[0]} stones and player 2 has {stones[1]}: expected as many of both")
        rows = [[_cell(self.territory[x][y], self.amount[x][y]) for x in EDGE] for y in reversed(EDGE)]
        game = create("conga", {"stones": stones[0]})
        return game, game.load("/".join(",".join(row) for row in rows) + " " + "bw"[player])

    @classmethod
    def of(cls, game: Game, state: State) -> CongaBoard:
        """The board of a position of the engine."""
        board = cls()
        for y, row in zip(reversed(EDGE), game.draw(state).rows, strict=True):
            for x, cell in zip(EDGE, row, strict=True):
                assert cell is not None
                board.territory[x][y] = EMPTY if cell.owner is None else cell.owner
                board.amount[x][y] = cell.count
        return board


def _cell(owner: int, count: int) -> str:
    return "." if owner == EMPTY else f"{'bw'[owner]}{count}"


class Agent:
    """A player: 0 (player 1) or 1 (player 2), a heuristic (0, 1 or the name of another), a depth in moves."""

    def __init__(self, player: int, hfunc: int | str, maxDepth: int) -> None:
        if player not in (0, 1):
            raise GameError(f"player is 0 or 1, not {player!r}")
        known = create("conga").evaluations
        evaluation = HFUNCS.get(hfunc, "") if isinstance(hfunc, int) else hfunc
        if evaluation not in known:
            raise GameError(f"hfunc is 0, 1 or one of {', '.join(known)}, not {hfunc!r}")
        if maxDepth < 0:
            raise GameError(f"maxDepth is 0 or more, not {maxDepth!r}")
        self.player = player
        self.hfunc = hfunc
        self.maxDepth = maxDepth
        self.board = CongaBoard()
        self.bestMove: dict[str, Tile] = {}
        self.bestValue: int | None = None
        self.numExplored = 0
        self._evaluation = evaluation
        self._rng = random.Random(random.random())  # random.seed() before makes a game the same again
        self._searched: CongaBoard | None = None  # the board bestMove and bestValue are for

    def updateBoard(self, board: CongaBoard) -> None:
        """Tell the agent where the game stands, for buildTree() and for getBestMove() without a board."""
        self.board = board

    def buildTree(self) -> None:
        """Search maxDepth moves deep (one at least) from the agent's board, with the agent to move.

        Afterwards bestMove is the move, any of the best ({} if there is none), bestValue what it is worth, and
        numExplored the number of positions seen.
        """
        game, state = self.board.state(self.player)
        order = shuffle_root(state, self._rng)
        choice = alphabeta(game, state, max(1, self.maxDepth), self._evaluation, order=order)
        self.bestMove = _move(game, state, choice.line[0]) if choice.line else {}
        self.bestValue = choice.value
        self.numExplored = choice.nodes
        self._searched = self.board.copy()

    def getBestMove(self, state: CongaBoard | None = None) -> dict[str, Tile]:
        """The best move on a board, {} if there is none; a board searched just before is not searched again."""
        if state is not None:
            self.updateBoard(state)
        if self._searched != self.board:
            self.buildTree()
        return {name: list(tile) for name, tile in self.bestMove.items()}

    def getRandomMove(self, player: int, board: CongaBoard) -> dict[str, Tile]:
        """Any legal move of a player, {} if there is none."""
        game, state = board.state(player)
        moves = game.moves(state)
        return _move(game, state, self._rng.choice(moves)) if moves else {}

    def makeMove(self, fromTile: Sequence[int], toTile: Sequence[int], player: int, board: CongaBoard) -> CongaBoard:
        """The board after a move, given by its tile and the first tile of its run; GameError if it is not legal."""
        game, state = board.state(player)
        return CongaBoard.of(game, game.after(state, game.parse(state, _square(fromTile) + _square(toTile))))


def _move(game: Game, state: State, move: Move) -> dict[str, Tile]:
    text = game.format(state, move)
    return {"from": _tile(text[:2]), "to": _tile(text[2:])}


def _tile(square: str) -> Tile:
    return ["abcd".index(square[0]) + 1, int(square[1])]


def _square(tile: Sequence[int]) -> str:
    if len(tile) != 2 or any(place not in EDGE for place in tile):
        raise GameError(f"a tile is [x, y] with x and y from 1 to 4, not {list(tile)!r}")
    return f"{'abcd'[tile[0] - 1]}{tile[1]}"
