"""Terminals with 256 and 16 colours: what must differ still differs in the palette of the terminal."""

from __future__ import annotations

from itertools import combinations

import pytest
from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as TextualColor

from client.tui.models.move_picker import MovePicker
from client.tui.render.appearance import Appearance
from client.tui.render.fit import fit_board
from client.tui.render.marks import Marks
from client.tui.render.pixel_boards import LAST_TINT
from client.tui.render.pixel_kinds import pieces_of
from client.tui.render.pixels import text_style
from client.tui.render.terminal_colours import PALETTES, PaletteFilter, distance
from client.tui.render.tokens import BASIC_COLOURS, TOKENS, TRUE_COLOURS, Colour, Tokens, contrast, mix
from client.tui.screens.table import TableScreen
from engine.registry import GAMES, create
from tests.tui.lobby_samples import lobby_update
from tests.tui.offline_app import OfflineApp, snapshot_of
from tests.tui.test_snapshots import SCREENS, TABLES

CLEAR = 0.09  # two colours that can be told apart at a glance, in Oklab
SYSTEMS = {256: ColorSystem.EIGHT_BIT, 16: ColorSystem.STANDARD}
THEMES = ("dark", "light", "safe")


def on_screen(value: Colour, colours: int) -> Colour:
    """Return a colour as the terminal shows it: after our filter, and after what Rich makes of it."""
    (segment,) = PaletteFilter(colours).apply([Segment("x", text_style(value, value, False))], TextualColor(0, 0, 0))
    assert segment.style is not None
    assert segment.style.color is not None
    number = segment.style.color.downgrade(SYSTEMS[colours]).number
    assert number is not None
    return BASIC_COLOURS[number] if number < 16 else PALETTES[256][number]


def faded(tokens: Tokens, piece: Colour, ground: Colour) -> Colour:
    return mix(piece, ground, tokens.fade)


def groups(tokens: Tokens) -> list[tuple[Colour, ...]]:
    """Return the colours that must differ from one another."""
    stacks, discs, marbles = tokens.stacks, tokens.discs, tokens.marbles
    return [
        (tokens.bg, tokens.line, tokens.text, tokens.accent),
        (tokens.bg, tokens.muted, tokens.good, tokens.bad),
        (tokens.bg, stacks.ground, stacks.first, stacks.second),
        (stacks.ground, faded(tokens, stacks.first, stacks.ground), faded(tokens, stacks.second, stacks.ground)),
        (discs.ground, tokens.hole, discs.first, discs.second),
        (tokens.hole, *(faded(tokens, piece, tokens.hole) for piece in (discs.first, discs.second))),
        (marbles.ground, marbles.first, marbles.second, tokens.mark),
        (marbles.ground, *(faded(tokens, piece, marbles.ground) for piece in (marbles.first, marbles.second))),
        (tokens.wood, tokens.bowl, tokens.beads[0]),
        (tokens.wood, tokens.bg),
        (tokens.wood, tokens.bowl, tokens.bowl_last, tokens.bowl_mark),
        (stacks.ground, mix(stacks.ground, tokens.mark, LAST_TINT), tokens.mark),
    ]


@pytest.mark.parametrize("theme", THEMES)
def test_colours_that_must_differ_survive_256_colours(theme: str) -> None:
    for group in groups(TOKENS[f"{theme}-256"]):
        shown = [on_screen(value, 256) for value in group]
        assert min(distance(*pair) for pair in combinations(shown, 2)) >= CLEAR, (group, shown)


@pytest.mark.parametrize("theme", THEMES)
def test_small_pits_that_changed_do_not_look_like_the_wood(theme: str) -> None:
    tokens = TOKENS[theme]
    grounds = (tokens.wood, tokens.bowl, tokens.bowl_last, tokens.bowl_mark)
    assert min(distance(*pair) for pair in combinations(grounds, 2)) >= CLEAR


@pytest.mark.parametrize("theme", THEMES)
def test_texts_can_be_read_in_256_colours(theme: str) -> None:
    tokens = TOKENS[f"{theme}-256"]
    inks = (tokens.text, tokens.muted, tokens.accent, tokens.good, tokens.bad)
    pairs = [*((ink, tokens.bg) for ink in inks), (tokens.text, tokens.bar), (tokens.muted, tokens.bar)]
    pairs += [(tokens.on_accent, tokens.accent), (tokens.seed_number, tokens.wood)]
    assert min(contrast(*(on_screen(value, 256) for value in pair)) for pair in pairs) >= 4.5


def test_brown_stays_brown_in_256_colours() -> None:
    """The usual rounding of the truecolour token shows olive: red and green in equal parts."""
    red, green, _ = on_screen(TOKENS["dark-256"].wood, 256)
    assert red > green
    rounded = Color.from_rgb(*TOKENS["dark"].wood).downgrade(ColorSystem.EIGHT_BIT).get_truecolor()
    assert rounded.red == rounded.green


@pytest.mark.parametrize("theme", THEMES)
def test_sixteen_colours_have_both_sides_in_their_colours(theme: str) -> None:
    tokens = TOKENS[f"{theme}-16"]
    for pieces in (tokens.stacks, tokens.discs, tokens.marbles):
        shown = [on_screen(value, 16) for value in (pieces.first, pieces.second, tokens.bg)]
        assert shown == [pieces.first, pieces.second, tokens.bg]
        assert len(set(shown)) == 3
    assert on_screen(tokens.text, 16) == tokens.text


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", GAMES)
def test_sixteen_colours_draw_pieces_in_colour_and_marks_as_characters(name: str, theme: str) -> None:
    game, look = create(name), Appearance(theme, colours=16)
    state = game.start()
    for _ in range(5):
        state = game.play(state, game.moves(state)[0])
    picker, path = MovePicker(game, state), game.path(state, game.moves(state)[0])
    marks = Marks(cursor=path[0], targets=picker.targets())
    lines = fit_board(game, game.draw(state), 74, 19, look).lines(marks)
    text = "".join(segment.text for line in lines for segment in line)
    assert "[" in text
    assert "▀" not in text
    tokens = look.tokens
    assert tokens is not None
    grounds = {(segment.style or Style()).bgcolor for line in lines for segment in line if not is_reverse(segment)}
    assert len(grounds) == 1  # every part of the board has the ground of the theme
    assert None not in grounds
    inks = {style.color.triplet for line in lines for _, style, _ in line if style is not None and style.color}
    pieces = pieces_of(game.kind, tokens)
    assert {pieces.first, pieces.second} <= inks


def is_reverse(segment: Segment) -> bool:
    return segment.style is not None and bool(segment.style.reverse)


@pytest.mark.parametrize(("colours", "least"), [(256, 16), (16, 0)])
async def test_screen_uses_only_colours_of_the_palette(colours: int, least: int) -> None:
    app = OfflineApp(snapshot_of("conga", ("a4b4",)), appearance=Appearance("dark", colours=colours))
    async with app.run_test(size=(80, 24)) as pilot:
        await app.show(TableScreen("room"))
        await pilot.pause()
        styles = [segment.style for strip in app.screen._compositor.render_strips() for segment in strip]
        used = {value for style in styles if style for value in (style.color, style.bgcolor) if value is not None}
        numbers = [value.number for value in used if not value.is_default]
        assert all(number is not None and least <= number < colours for number in numbers)
        assert len(numbers) > 5


@pytest.mark.parametrize("colours", [TRUE_COLOURS, 16])
@pytest.mark.parametrize("name", ["lobby", "tournament"])
async def test_no_part_of_the_screen_has_the_ground_of_the_terminal(name: str, colours: int) -> None:
    rooms = [snapshot_of(t.game, [p.move for p in t.moves], room=key, options=t.options) for key, t in TABLES.items()]
    app = OfflineApp(*rooms, appearance=Appearance("light", colours=colours))
    async with app.run_test(size=(120, 40)) as pilot:
        await SCREENS[name](app)  # type: ignore[misc]
        app.deliver(lobby_update())
        await pilot.pause()
        segments = [segment for strip in app.screen._compositor.render_strips() for segment in strip if segment.text]
        assert all(segment.style and segment.style.bgcolor for segment in segments)
