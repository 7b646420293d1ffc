"""The colours of the themes: readable, and safe for colour-blind people."""

from __future__ import annotations

import pytest

from client.tui.app.themed_app import textual_themes
from client.tui.render.appearance import THEMES, Appearance
from client.tui.render.tokens import SAFE, TOKENS, Colour, Tokens, colour, contrast, hex_text, mix

TEXT, SHAPE = 4.5, 3.0  # the least contrast of texts and of shapes, as WCAG 2.2 demands for level AA


DRAWN = {name: tokens for name, tokens in TOKENS.items() if not name.endswith("-16")}  # boards with pixels


@pytest.mark.parametrize("tokens", DRAWN.values(), ids=DRAWN)
def test_texts_can_be_read(tokens: Tokens) -> None:
    pairs = [
        (tokens.text, tokens.bg),
        (tokens.muted, tokens.bg),
        (tokens.text, tokens.bar),
        (tokens.muted, tokens.bar),
        (tokens.accent, tokens.bg),
        (tokens.on_accent, tokens.accent),
        (tokens.good, tokens.bg),
        (tokens.bad, tokens.bg),
        (tokens.number, tokens.stacks.first),
        (tokens.number, tokens.stacks.second),
        (tokens.seed_number, tokens.wood),
    ]
    assert min(contrast(*pair) for pair in pairs) >= TEXT


@pytest.mark.parametrize("tokens", DRAWN.values(), ids=DRAWN)
def test_pieces_stand_out_from_the_board(tokens: Tokens) -> None:
    pairs: list[tuple[Colour, Colour]] = []
    for kind in (tokens.stacks, tokens.marbles):
        pairs += [(kind.first, kind.ground), (kind.second, kind.ground)]
    pairs += [(tokens.discs.of(side), tokens.hole) for side in (0, 1)]
    pairs += [(bead, tokens.bowl) for bead in tokens.beads]
    assert min(contrast(*pair) for pair in pairs) >= SHAPE


def test_safe_sides_differ_in_lightness_and_shape() -> None:
    for kind in (SAFE.stacks, SAFE.discs, SAFE.marbles):
        assert contrast(kind.first, kind.second) >= 2.6
    assert SAFE.by_shape


def test_colours_are_read_written_and_mixed() -> None:
    assert hex_text(colour("#15171c")) == "#15171c"
    assert mix((0, 0, 0), (100, 200, 50), 0.5) == (50, 100, 25)


def test_every_theme_is_known_to_textual() -> None:
    assert [theme.name for theme in textual_themes(Appearance())] == [f"parlour-{name}" for name in THEMES]
