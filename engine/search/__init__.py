"""One search for every game: think.py says how to call it, tree.py what it does."""

from engine.search.limits import Limits, Report
from engine.search.think import Thinker, think

__all__ = ["Limits", "Report", "Thinker", "think"]
