"""Launch plans: commands, default opponents, and the first game on a machine."""

from __future__ import annotations

from pathlib import Path

from client.presentation.launch_plan import BOT_AFTER_MS, GameRequest, mark_first_game
from protocol.commands import Pair
from protocol.types import BotInfo

DEFAULT = GameRequest("cohcoh", vs="search@5", vs_is_default=True)


def bot(name: str, *plays: str, house: bool = False) -> BotInfo:
    return BotInfo(name=name, plays=plays or ("cohcoh",), house=house)


def test_default_opponent_is_replaced_by_the_best_available_bot() -> None:
    here = [bot("careful"), bot("random", house=True), bot("search", "conga", house=True)]
    assert DEFAULT.with_available_bot(here).vs == "random"
    assert DEFAULT.with_available_bot([*here, bot("search@3", house=True)]).vs == "search@3"
    assert DEFAULT.with_available_bot([*here, bot("search@5")]).vs == "search@5"
    assert DEFAULT.with_available_bot(here[:1]).vs == "careful"
    assert DEFAULT.with_available_bot([]).vs == ""


def test_chosen_opponent_is_not_replaced() -> None:
    chosen = GameRequest("cohcoh", vs="search@5")
    assert chosen.with_available_bot([bot("random", house=True)]).vs == "search@5"


def test_pairing_accepts_a_bot_at_once_if_there_are_only_bots() -> None:
    request = GameRequest("conga", pair=True, bot_after=BOT_AFTER_MS)
    assert request.command(1) == Pair(id=1, game="conga", bot_after=BOT_AFTER_MS)
    assert request.command(1, bots_only=True) == Pair(id=1, game="conga", bot_after=0)


def test_only_the_first_game_is_the_first() -> None:
    assert [mark_first_game(), mark_first_game()] == [True, False]


def test_every_game_is_the_first_if_nothing_can_be_stored(state: Path) -> None:
    state.write_text("not a folder")
    assert [mark_first_game(), mark_first_game()] == [True, True]
