"""Tournaments: what is to be played, by whom, what came of it, and how to make sure of that.

The runner is an ordinary client. It makes rooms for two others, watches them, and writes down how they end.
"""
