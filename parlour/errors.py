"""The error for mistakes of the user."""

from __future__ import annotations


class UserError(Exception):
    """A mistake of the user. The text says what is wrong and what to do."""
