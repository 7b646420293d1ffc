"""The colours of the themes. No other module names a colour."""

from __future__ import annotations

from dataclasses import dataclass, replace

Colour = tuple[int, int, int]
BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)


def colour(text: str) -> Colour:
    """Return the colour of a text such as "#15171c"."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def hex_text(value: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*value)


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """Return a colour between two others. `share` is the part of the second one."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


def luminance(value: Colour) -> float:
    """Return the relative luminance as defined by WCAG 2.2."""
    shares = (c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in value)
    return sum(weight * share for weight, share in zip((0.2126, 0.7152, 0.0722), shares, strict=True))


def contrast(first: Colour, second: Colour) -> float:
    """Return the contrast ratio as defined by WCAG 2.2."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@dataclass(frozen=True, slots=True)
class Pieces:
    """The colours of one kind of board: the ground, and the pieces of both sides."""

    ground: Colour
    first: Colour
    second: Colour

    def of(self, side: int) -> Colour:
        return self.second if side else self.first


@dataclass(frozen=True, slots=True)
class Tokens:
    """All colours of a theme.

    `mark` marks cells of a board, `accent` everything else; `on_accent` is text on it. `number` is a number on a stone.
    `hole` is the empty hole of a board with discs; `wood`, `bowl` and `beads` belong to a board with pits,
    and so do `bowl_mark` and `bowl_last`, which a small bowl has if it is chosen or part of the last move.
    `by_shape`: the sides also differ in shape. `fade`: how much of the ground shows through a piece that did not decide
    the game.
    """

    bg: Colour
    bar: Colour
    line: Colour
    text: Colour
    muted: Colour
    accent: Colour
    on_accent: Colour
    mark: Colour
    good: Colour
    bad: Colour
    number: Colour
    stacks: Pieces
    discs: Pieces
    hole: Colour
    marbles: Pieces
    wood: Colour
    bowl: Colour
    bowl_mark: Colour
    bowl_last: Colour
    beads: tuple[Colour, Colour, Colour]
    seed_number: Colour
    by_shape: bool = False
    fade: float = 0.6


def pieces(ground: str, first: str, second: str) -> Pieces:
    return Pieces(colour(ground), colour(first), colour(second))


DARK = Tokens(
    bg=colour("#15171c"),
    bar=colour("#1f232b"),
    line=colour("#3a404d"),
    text=colour("#e8e6df"),
    muted=colour("#a3a9b5"),
    accent=colour("#f2bd42"),
    on_accent=colour("#16181d"),
    mark=colour("#f2bd42"),
    good=colour("#84cf95"),
    bad=colour("#ff8a7a"),
    number=colour("#101318"),
    stacks=pieces("#4a4024", "#7fb2ff", "#ff7f70"),
    discs=pieces("#25365c", "#ff6f61", "#6fd68a"),
    hole=colour("#10141f"),
    marbles=pieces("#66715f", "#f7f4ea", "#14161a"),
    wood=colour("#6b4a2b"),
    bowl=colour("#2c1d11"),
    bowl_mark=colour("#f2bd42"),
    bowl_last=colour("#8f6d29"),
    beads=(colour("#f4d58d"), colour("#e9b872"), colour("#fbe9c0")),
    seed_number=colour("#e8e6df"),
)
LIGHT = Tokens(
    bg=colour("#fbf9f4"),
    bar=colour("#efebe0"),
    line=colour("#cfc8b8"),
    text=colour("#20242b"),
    muted=colour("#5c626d"),
    accent=colour("#a84b00"),
    on_accent=colour("#ffffff"),
    mark=colour("#7a2a00"),
    good=colour("#1d6f3a"),
    bad=colour("#b3261e"),
    number=colour("#ffffff"),
    stacks=pieces("#f2dc93", "#2554c7", "#bf2f26"),
    discs=pieces("#b4c4e8", "#c4302b", "#1c7d3f"),
    hole=colour("#f7f5ef"),
    marbles=pieces("#8b9683", "#ffffff", "#1a1c20"),
    wood=colour("#c79a63"),
    bowl=colour("#5d3b1c"),
    bowl_mark=colour("#ff8c1a"),
    bowl_last=colour("#a65f1b"),
    beads=(colour("#ffe9b8"), colour("#f6cf85"), colour("#fff4d8")),
    seed_number=colour("#20140a"),
)
SAFE = replace(
    DARK,
    stacks=pieces("#33363d", "#b4dcff", "#e2503a"),
    discs=pieces("#263456", "#e2503a", "#c2f5cd"),
    by_shape=True,
)

# In a palette of 256 colours dark tones have few steps. These grounds are in the palette, so that their hues survive.
DARK_256 = replace(
    DARK,
    stacks=replace(DARK.stacks, ground=colour("#444444")),
    discs=replace(DARK.discs, ground=colour("#005f87")),
    marbles=replace(DARK.marbles, ground=colour("#5f875f")),
    wood=colour("#875f00"),
    bowl=colour("#262626"),
    bowl_last=colour("#af8700"),
    fade=0.45,
)
LIGHT_256 = replace(LIGHT, wood=colour("#d7af87"), bowl=colour("#444444"), bowl_last=colour("#875f00"), fade=0.45)
SAFE_256 = replace(DARK_256, stacks=SAFE.stacks, discs=replace(SAFE.discs, ground=DARK_256.discs.ground), by_shape=True)

# The sixteen colours as xterm has them. Users may have changed them.
BASIC_COLOURS = (
    *map(colour, ["#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5"]),
    *map(colour, ["#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff"]),
)
RED, GREEN, BLUE, SILVER, GREY, BRIGHT_RED, BRIGHT_GREEN, YELLOW, BRIGHT_BLUE = (
    BASIC_COLOURS[number] for number in (1, 2, 4, 7, 8, 9, 10, 11, 12)
)
DARK_16 = replace(
    DARK,
    bg=BLACK,
    bar=BLACK,
    line=GREY,
    text=WHITE,
    muted=SILVER,
    accent=YELLOW,
    on_accent=BLACK,
    mark=YELLOW,
    good=BRIGHT_GREEN,
    bad=BRIGHT_RED,
    stacks=Pieces(BLACK, BRIGHT_BLUE, BRIGHT_RED),
    discs=Pieces(BLACK, BRIGHT_RED, BRIGHT_GREEN),
    marbles=Pieces(BLACK, WHITE, GREY),
    bowl=BLACK,
    beads=(WHITE, WHITE, WHITE),
)
LIGHT_16 = replace(
    LIGHT,
    bg=WHITE,
    bar=WHITE,
    line=GREY,
    text=BLACK,
    muted=GREY,
    accent=RED,
    on_accent=WHITE,
    mark=RED,
    good=GREEN,
    bad=RED,
    stacks=Pieces(WHITE, BLUE, RED),
    discs=Pieces(WHITE, RED, GREEN),
    marbles=Pieces(WHITE, GREY, BLACK),
    bowl=WHITE,
    beads=(BLACK, BLACK, BLACK),
)
TRUE_COLOURS = 1 << 24
TOKENS = {  # by the name of the palette: the theme, and the number of colours if it is small; "mono" has none
    "dark": DARK,
    "light": LIGHT,
    "safe": SAFE,
    "dark-256": DARK_256,
    "light-256": LIGHT_256,
    "safe-256": SAFE_256,
    "dark-16": DARK_16,
    "light-16": LIGHT_16,
    "safe-16": DARK_16,
}
