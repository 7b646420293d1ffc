"""Screens that want room: in a terminal that is too small they hide, and afterwards know where the keys went."""

from __future__ import annotations

from typing import TypeVar

from textual import events
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

LEAST = (80, 24)
Answer = TypeVar("Answer")


def is_too_small(size: Size) -> bool:
    return size.width < LEAST[0] or size.height < LEAST[1]


class MinimumSizeScreen(Screen[Answer]):
    _focused: Widget | None = None  # before the terminal was too small

    def on_resize(self, event: events.Resize) -> None:
        was_small, small = self.has_class("-small"), is_too_small(event.size)
        if small and not was_small:
            self._focused = self.focused
        self.set_class(small, "-small")
        if was_small and not small:
            self.call_after_refresh(self._focus_again)

    def _focus_again(self) -> None:
        """What is hidden loses the focus."""
        if self._focused is not None:
            self.set_focus(self._focused)
        elif self.AUTO_FOCUS != "":
            self.focus_next()
