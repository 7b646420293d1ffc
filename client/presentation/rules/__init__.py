"""The rules of the games for people: one text per game, with positions that the engine draws.

docs/rules.md contains the same texts; scripts/rules copies them there.
Browser and terminal show them, too, without what is for programs.
"""
