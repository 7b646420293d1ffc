"""Texts and line-by-line play, shared by the terminal client and the commands. Nothing here needs a screen."""
