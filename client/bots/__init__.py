"""The bots of the house.

course.py     random, greedy, minimax:DEPTH, alphabeta:DEPTH, with the evaluations of the courses
search.py     the strong one                       levels.py     the same, weaker on purpose, in ten steps
load.py       a bot from somebody's file           recipe.py     any of them by its name
names.py      what they are called
"""
