"""A Conga program for `--adapter conga`: reads a board and prints a move like 1,4 2,3. Uses the course classes.

parlour bot --exec "python3 examples/conga_homework.py" --adapter conga
"""

import sys

from parlour.conga import Agent, CongaBoard

*rows, player = sys.stdin.read().splitlines()
board = CongaBoard()
for y, row in zip((4, 3, 2, 1), rows, strict=True):
    for x, cell in zip((1, 2, 3, 4), row.split(), strict=True):
        board.territory[x][y] = -1 if cell == "." else "bw".index(cell[0])
        board.amount[x][y] = 0 if cell == "." else int(cell[1:])
move = Agent(player=int(player) - 1, hfunc=1, maxDepth=2).getBestMove(board)
print("{},{} {},{}".format(*move["from"], *move["to"]))
