"""The error that is shown to the user as it is."""

from __future__ import annotations


class TournamentError(Exception):
    """A plan that cannot be played, a folder that is not a tournament, or a player that cannot be started."""
