"""A second, simple implementation of the Mancala course program, to check the fast one.

The ring for three pits, as indices of the list: B2 B3 B4 store1 A4 A3 A2 store2 = 0 1 2 3 4 5 6 7.
"""

from __future__ import annotations

import math

INF = math.inf


class Board:
    def __init__(self, top: list[int], bottom: list[int], store2: int, store1: int) -> None:
        self.pits = len(top)
        self.ring = [*bottom, store1, *reversed(top), store2]

    def copy(self) -> Board:
        new = Board([0] * self.pits, [0] * self.pits, 0, 0)
        new.ring = list(self.ring)
        return new

    def places(self, player: int) -> list[int]:
        """Return the pits of a player, from left to right on the board."""
        return list(range(self.pits)) if player == 1 else list(range(2 * self.pits, self.pits, -1))

    def store(self, player: int) -> int:
        return self.pits if player == 1 else 2 * self.pits + 1

    def row(self, player: int) -> list[int]:
        return [self.ring[place] for place in self.places(player)]

    def over(self) -> bool:
        return sum(self.row(1)) == 0 or sum(self.row(2)) == 0

    def moved(self, player: int, place: int) -> tuple[Board, bool]:
        new = self.copy()
        hand, new.ring[place] = new.ring[place], 0
        at = place
        while hand:
            at = (at + 1) % len(new.ring)
            if at == new.store(3 - player):
                continue
            new.ring[at] += 1
            hand -= 1
        again = at == new.store(player)
        if at in new.places(player) and new.ring[at] == 1:
            opposite = 2 * new.pits - at
            new.ring[new.store(player)] += 1 + new.ring[opposite]
            new.ring[at] = new.ring[opposite] = 0
        if new.over():
            for owner in (1, 2):
                new.ring[new.store(owner)] += sum(new.row(owner))
                for pit in new.places(owner):
                    new.ring[pit] = 0
        return new, again

    def text(self) -> str:
        rows = [" ".join(map(str, self.row(2))), " ".join(map(str, self.row(1)))]
        return "\n".join([*rows, str(self.ring[self.store(2)]), str(self.ring[self.store(1)])]) + "\n"


class Program:
    def __init__(self, task: int, me: int, depth: int) -> None:
        self.task, self.me, self.depth = task, me, depth
        self.lines: list[str] = []

    def write(self, name: str, depth: int, *numbers: float) -> None:
        shown = numbers if self.task == 3 else numbers[:1]
        words = ["Infinity" if n == INF else "-Infinity" if n == -INF else str(int(n)) for n in shown]
        self.lines.append(",".join([name, str(depth), *words]))

    def run(self, board: Board) -> str:
        if self.task == 1:
            self.depth = 1
        self.lines = ["Node,Depth,Value,Alpha,Beta" if self.task == 3 else "Node,Depth,Value"]
        _, path = self.visit(board, self.me, "root", 0, 1, -INF, INF)
        again = True
        for place in path:
            if again:
                board, again = board.moved(self.me, place)
        return board.text()

    def visit(
        self, board: Board, player: int, name: str, depth: int, below: int, alpha: float, beta: float
    ) -> tuple[float, list[int]]:
        """Return the value and the best line of a node. `below` is the depth of its children."""
        if board.over() or below > self.depth:
            lead = board.ring[board.store(self.me)] - board.ring[board.store(3 - self.me)]
            self.write(name, depth, lead, alpha, beta)
            return lead, []
        sign = 1 if player == self.me else -1
        best, path = -INF * sign, list[int]()
        self.write(name, depth, best, alpha, beta)
        for column, place in enumerate(board.places(player)):
            if board.ring[place] == 0:
                continue
            after, again = board.moved(player, place)
            next_player = player if again else 3 - player
            child = f"{'BA'[player - 1]}{column + 2}"
            value, rest = self.visit(after, next_player, child, below, below if again else below + 1, alpha, beta)
            if sign * value > sign * best:
                best, path = value, [place, *rest]
            if self.task == 3:
                if (sign == 1 and best >= beta) or (sign == -1 and best <= alpha):
                    self.write(name, depth, best, alpha, beta)
                    break
                alpha, beta = (max(alpha, best), beta) if sign == 1 else (alpha, min(beta, best))
            self.write(name, depth, best, alpha, beta)
        return best, path
