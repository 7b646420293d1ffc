"""What is wrong with a tournament, in one sentence that can be shown as it is."""

from __future__ import annotations


class TournamentError(Exception):
    """A plan that cannot be, a folder that is none of ours, a player who cannot be started."""
