"""The course's own searches and file formats, pure: text in, text out; no files, no clock.

    tree.py       what a search of the course walks through, and what it may tell of every node
    minimax.py    greedy and minimax               alphabeta.py   the same with a window
    deepening.py  alpha-beta against a clock       brains.py      these searches as players, by name
    lines.py      a course file as numbered lines
    mancala.py    the 7-line input, the 4-line output, the traverse log
    maxconnect4.py, cohcoh.py                      the other programs' boards

They are meant to be read. The search that is meant to win is engine/search.
"""
