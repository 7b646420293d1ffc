"""`parlour play` and `parlour bot` report wrong combinations of flags in one sentence."""

from __future__ import annotations

import pytest

from parlour.cli.main import main


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["play", "--pair"], "--pair needs a game"),
        (["play", "conga", "--pair", "--vs", "search"], "cannot be used with --vs"),
        (["play", "conga", "--pair", "--seat", "first"], "--seat or --room"),
        (["play", "conga", "--bot-after", "5"], "--bot-after needs --pair"),
        (["play", "conga", "--pair", "--bot-after", "soon"], "a number from 0 to 3600"),
        (["play", "conga", "--pair", "--bot-after", "-1"], "a number from 0 to 3600"),
        (["play", "conga", "--pair", "--bot-after", "nan"], "a number from 0 to 3600"),
        (["play", "--hotseat"], "--hotseat needs a game, as in 'parlour play conga --hotseat'"),
        (["play", "conga", "--hotseat", "--rated"], "--hotseat cannot be used with --rated"),
        (["play", "conga", "--hotseat", "--plain"], "--hotseat cannot be used with --plain"),
        (["play", "conga", "--hotseat"], "--hotseat needs a terminal"),
        (["tv", "--game", "chess"], "chess"),
        (["tv"], "parlour tv needs a terminal"),
        (["play", "conga", "--private", "--token", "x"], "the private server has no accounts"),
        (["bot", "random", "--bot-after", "5"], "--bot-after needs --seek"),
        (
            ["bot", "random", "--seek", "conga", "--challenge", "ann", "--bot-after", "5"],
            "cannot be used with --challenge",
        ),
    ],
)
def test_wrong_flags_get_one_sentence(words: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert why in err
