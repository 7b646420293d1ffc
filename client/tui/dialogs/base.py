"""The base class of all dialogs."""

from __future__ import annotations

from typing import TypeVar

from textual.screen import ModalScreen

from client.tui.widgets.minimum_size import MinimumSizeScreen

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer], MinimumSizeScreen[Answer]):
    """A modal screen. While the terminal is too small it is hidden, and the screen below says so."""
