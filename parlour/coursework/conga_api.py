"""The Conga API of the course: `from parlour.conga import Agent, CongaBoard`. docs/course.md has examples.

Names, arguments and the form of a move are those of the course. No function changes the board it is given. Agents
search with alpha-beta, so the value of a move takes the opponent's best replies into account.
"""
# ruff: noqa: N802, N803  -- the spelling of the course

from __future__ import annotations

import copy
import random
from collections.abc import Mapping, Sequence

from engine.course.alphabeta import alphabeta
from engine.course.players import shuffle_root
from engine.errors import GameError, IllegalMove, InvalidNotation
from engine.game import Game, Move, State
from engine.registry import create
from parlour.coursework.tiles import tiles

__all__ = ["Agent", "CongaBoard", "Tile"]

EMPTY = -1
EDGE = range(1, 5)
HFUNCS = {0: "hfunc0", 1: "hfunc1"}

Grid = Mapping[int, Mapping[int, int]]
Tile = list[int]  # [x, y], x from the left and y from the bottom, both from 1 to 4


class CongaBoard:
    """A board: `territory[x][y]` is the owner of a tile (0, 1, or -1 for none), `amount[x][y]` its number of stones."""

    def __init__(self, territory: Grid | None = None, amount: Grid | None = None) -> None:
        """Make the board of the start, or the one that two grids describe. Raises GameError if it is not valid.

        Tiles that a grid leaves out are empty. Both grids may be changed later: `check()` looks again.
        """
        self.territory = {x: dict.fromkeys(EDGE, EMPTY) for x in EDGE}
        self.amount = {x: dict.fromkeys(EDGE, 0) for x in EDGE}
        if territory is None and amount is None:
            self.territory[1][4], self.amount[1][4] = 0, 10
            self.territory[4][1], self.amount[4][1] = 1, 10
            return
        for grid, given in ((self.territory, territory), (self.amount, amount)):
            for x, column in (given or {}).items():
                grid[x].update(column)
        self.check()

    def check(self) -> None:
        """Raise GameError if the board is not valid, for example if the players have different numbers of stones."""
        self.state(0)

    def draw(self) -> None:
        """Print the board: player 1 in blue, player 2 in red, empty tiles in yellow (NO_COLOR: letters instead)."""
        print(tiles([[(self.territory[x][y], self.amount[x][y]) for x in EDGE] for y in reversed(EDGE)]))

    def copy(self) -> CongaBoard:
        return copy.deepcopy(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CongaBoard):
            return NotImplemented
        return self.territory == other.territory and self.amount == other.amount

    __hash__ = None  # type: ignore[assignment]  # a board is mutable

    def state(self, player: int) -> tuple[Game, State]:
        """Return the game and the state of this board with `player` to move. Raises GameError if it is not valid."""
        stones = [sum(self.amount[x][y] for x in EDGE for y in EDGE if self.territory[x][y] == p) for p in (0, 1)]
        if stones[0] != stones[1]:
            raise GameError(
                f"player 1 has {stones[0]} stones and player 2 has {stones[1]}: both must have the same number"
            )
        rows = [[_cell(self.territory[x][y], self.amount[x][y]) for x in EDGE] for y in reversed(EDGE)]
        game = create("conga", {"stones": stones[0]})
        return game, game.load("/".join(",".join(row) for row in rows) + " " + "bw"[player])

    @classmethod
    def of(cls, game: Game, state: State) -> CongaBoard:
        """Return the board of a state."""
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
    """A player that searches: 0 (player 1) or 1 (player 2), an evaluation (0, 1 or a name), and a depth in plies.

    Raises GameError if an argument is not valid.
    """

    def __init__(self, player: int, hfunc: int | str, maxDepth: int) -> None:
        if player not in (0, 1):
            raise GameError(f"player must be 0 or 1, not {player!r}")
        known = create("conga").evaluations
        evaluation = HFUNCS.get(hfunc, "") if isinstance(hfunc, int) else hfunc
        if evaluation not in known:
            raise GameError(f"hfunc must be 0, 1 or one of {', '.join(known)}, not {hfunc!r}")
        if maxDepth < 0:
            raise GameError(f"maxDepth must be 0 or more, not {maxDepth!r}")
        self.player = player
        self.hfunc = hfunc
        self.maxDepth = maxDepth
        self.board = CongaBoard()
        self.bestMove: dict[str, Tile] = {}
        self.bestValue: int | None = None
        self.numExplored = 0
        self._evaluation = evaluation
        self._rng = random.Random(random.random())  # repeatable with random.seed()
        self._searched: CongaBoard | None = None  # the board of bestMove and bestValue

    def updateBoard(self, board: CongaBoard) -> None:
        """Set the board for buildTree() and getBestMove(). Raises GameError if it is not valid."""
        board.check()
        self.board = board

    def buildTree(self) -> None:
        """Search maxDepth plies deep (at least one) from the agent's board, with the agent to move.

        Sets bestMove (a random one of the best moves, or {} if there is none), bestValue (its value) and numExplored
        (the number of positions searched).
        """
        game, state = self.board.state(self.player)
        order = shuffle_root(state, self._rng)
        choice = alphabeta(game, state, max(1, self.maxDepth), self._evaluation, order=order)
        self.bestMove = _move(game, state, choice.line[0]) if choice.line else {}
        self.bestValue = choice.value
        self.numExplored = choice.nodes
        self._searched = self.board.copy()

    def getBestMove(self, state: CongaBoard | None = None) -> dict[str, Tile]:
        """Return the best move on a board, or {} if there is none. The same board is not searched twice in a row."""
        if state is not None:
            self.updateBoard(state)
        if self._searched != self.board:
            self.buildTree()
        return {name: list(tile) for name, tile in self.bestMove.items()}

    def getRandomMove(self, player: int, board: CongaBoard) -> dict[str, Tile]:
        """Return a random legal move of a player, or {} if there is none."""
        game, state = board.state(player)
        moves = game.moves(state)
        return _move(game, state, self._rng.choice(moves)) if moves else {}

    def makeMove(self, fromTile: Sequence[int], toTile: Sequence[int], player: int, board: CongaBoard) -> CongaBoard:
        """Return the board after a move from one tile towards another. Raises IllegalMove if the move is not legal."""
        game, state = board.state(player)
        text = _square(fromTile) + _square(toTile)
        try:
            move = game.parse(state, text)
        except InvalidNotation:
            sentence = f"{list(fromTile)} to {list(toTile)} is not legal: toTile must be next to fromTile"
            raise IllegalMove(sentence, tuple(game.legal(state))) from None
        return CongaBoard.of(game, game.after(state, move))


def _move(game: Game, state: State, move: Move) -> dict[str, Tile]:
    text = game.format(state, move)
    return {"from": _tile(text[:2]), "to": _tile(text[2:])}


def _tile(square: str) -> Tile:
    return ["abcd".index(square[0]) + 1, int(square[1])]


def _square(tile: Sequence[int]) -> str:
    if len(tile) != 2 or any(place not in EDGE for place in tile):
        raise IllegalMove(f"a tile must be [x, y] with x and y from 1 to 4, not {list(tile)!r}")
    return f"{'abcd'[tile[0] - 1]}{tile[1]}"
