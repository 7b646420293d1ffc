"""The search for all games. thinker.py is the interface, tree.py the algorithm."""

from engine.search.limits import Limits, Report
from engine.search.thinker import Thinker, think

__all__ = ["Limits", "Report", "Thinker", "think"]
