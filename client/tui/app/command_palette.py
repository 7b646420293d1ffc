"""The command palette: every action of the screen with its key, to be found by its name."""

from __future__ import annotations

from textual.command import DiscoveryHit, Hit, Hits, Provider

from client.tui.screens.base import Action, BaseScreen

NAME_COLUMNS = 44


class ScreenActions(Provider):
    """Offers the actions of the screen from which the palette was opened."""

    @property
    def _actions(self) -> list[Action]:
        return list(self.screen.actions()) if isinstance(self.screen, BaseScreen) else []

    async def discover(self) -> Hits:
        """Yield all actions, before anything is typed."""
        for action in self._actions:
            yield DiscoveryHit(line_of(action), action.run)

    async def search(self, query: str) -> Hits:
        """Yield the actions that match the typed text."""
        matcher = self.matcher(query)
        for action in self._actions:
            score = matcher.match(line_of(action))
            if score > 0:
                yield Hit(score, matcher.highlight(line_of(action)), action.run)


def line_of(action: Action) -> str:
    return f"{action.name:<{NAME_COLUMNS}}{action.key}".rstrip()
