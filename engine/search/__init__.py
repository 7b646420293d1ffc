"""One search for every game: think.py says how to call it, tree.py what it does."""

from engine.search.think import Limits, Report, Thinker, think

__all__ = ["Limits", "Report", "Thinker", "think"]
