"""Mistakes with `parlour play` and `parlour bot`, most of them about pairing: one sentence each."""

from __future__ import annotations

import pytest

from parlour.cli.main import main


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["play", "--pair"], "--pair needs a game"),
        (["play", "conga", "--pair", "--vs", "search"], "neither with --vs"),
        (["play", "conga", "--pair", "--seat", "first"], "nor with --seat"),
        (["play", "conga", "--bot-after", "5"], "--bot-after goes with --pair"),
        (["play", "conga", "--pair", "--bot-after", "soon"], "a number from 0 to 3600"),
        (["play", "conga", "--pair", "--bot-after", "-1"], "a number from 0 to 3600"),
        (["play", "conga", "--pair", "--bot-after", "nan"], "a number from 0 to 3600"),
        (["play", "conga", "--private", "--token", "x"], "a server of your own knows no tokens"),
        (["bot", "random", "--bot-after", "5"], "--bot-after goes with --seek"),
        (["bot", "random", "--seek", "conga", "--challenge", "ann", "--bot-after", "5"], "not with --challenge"),
    ],
)
def test_mistakes_with_flags(words: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert why in err
