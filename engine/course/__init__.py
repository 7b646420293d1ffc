"""The searches and file formats of the course programs. Pure functions over text: no files, no clock.

    tree.py       nodes, depth, leaf values and the log of a search
    minimax.py    greedy and minimax               alphabeta.py   the same with a window
    deepening.py  alpha-beta with a time limit     players.py     these searches as players, by name
    lines.py      a course file as numbered lines
    mancala.py    the 7-line input, the 4-line output, the traverse log
    maxconnect4.py, cohcoh.py                      the other programs' boards

They are written for readability. The strong search is engine/search.
"""
