"""Screens that need a minimum size: they are hidden in a smaller terminal and restore the focus afterwards."""

from __future__ import annotations

from typing import TypeVar

from textual import events
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

MINIMUM_SIZE = (80, 24)
Answer = TypeVar("Answer")


def is_too_small(size: Size) -> bool:
    return size.width < MINIMUM_SIZE[0] or size.height < MINIMUM_SIZE[1]


class MinimumSizeScreen(Screen[Answer]):
    """A screen with the class `-small` while the terminal is too small."""

    _focused: Widget | None = None  # the focus before the terminal became too small

    def on_resize(self, event: events.Resize) -> None:
        was_small, small = self.has_class("-small"), is_too_small(event.size)
        if small and not was_small:
            self._focused = self.focused
        self.set_class(small, "-small")
        if was_small and not small:
            self.call_after_refresh(self._restore_focus)

    def _restore_focus(self) -> None:
        """Restore the focus, which hidden widgets lose."""
        if self._focused is not None:
            self.set_focus(self._focused)
        elif self.AUTO_FOCUS != "":
            self.focus_next()
