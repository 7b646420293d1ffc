"""Checks that every game passes: those of Parlour in the tests, others when they are loaded and in `game check`."""
