"""A Conga program for a person at a terminal, as courses ask for. Uses the course classes.

parlour bot --exec "python3 examples/conga_interactive.py" --adapter examples/conga_interactive.toml
"""

from parlour.conga import Agent, CongaBoard

human = int(input("Do you want to be player 1 or 2? ")) - 1
agent, board, turn = Agent(player=1 - human, hfunc=1, maxDepth=2), CongaBoard(), 0
while agent.getRandomMove(turn, board):
    board.draw()
    if turn == human:
        x1, y1, x2, y2 = map(int, input("Your move, as x y x y: ").split())
        move = {"from": [x1, y1], "to": [x2, y2]}
    else:
        move = agent.getBestMove(board)
    board = agent.makeMove(move["from"], move["to"], turn, board)
    turn = 1 - turn
board.draw()
print(f"Player {turn + 1} cannot move and loses.")
