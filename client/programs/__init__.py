"""Programs that are not ours, playing all the same.

limits.py     what a program may use               child.py      one running program, supervised
failure.py    how a program failed                 forensics.py  the evidence, in a folder
lines.py      the line protocol, pure              exec.py       a bot that is a program speaking it
adapters/     the assignments' own formats         homework.py   a bot that runs such a program for every turn
process.py    a process that can be got rid of     guard.py      even if the bot itself is killed
workshop.py   the folders they run in              program.py    a program as somebody wants it to play
"""
