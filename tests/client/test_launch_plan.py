"""Launch plans: commands, default opponents, and how to resume."""

from __future__ import annotations

import pytest

from client.presentation.launch_plan import BOT_AFTER_MS, GameRequest, LaunchPlan
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


@pytest.mark.parametrize(
    ("plan", "private", "command"),
    [
        (LaunchPlan("play"), True, "parlour play"),
        (LaunchPlan("play", private=True, name="ann"), True, "parlour play --private --name ann"),
        (LaunchPlan("play", url="host:9", name="a b"), False, "parlour play --url host:9 --name 'a b'"),
        (LaunchPlan("join", url="host", token="secret"), False, "PARLOUR_TOKEN=… parlour play --url host"),
        (
            LaunchPlan("play", name="ann", request=GameRequest("conga", vs="bob"), hotseat=True),
            True,
            "parlour play conga --hotseat --vs bob --name ann",
        ),
    ],
)
def test_resume_command_finds_the_same_server_and_player(plan: LaunchPlan, private: bool, command: str) -> None:
    assert plan.resume_command(private) == command


def test_record_command_names_the_server_of_the_game() -> None:
    assert LaunchPlan("play").record_command("show", "1abc", private=True) == "parlour show 1abc --private"
    assert LaunchPlan("play").record_command("show", "1abc", private=False) == "parlour show 1abc"
    plan = LaunchPlan("play", url="host:9", name="ann", token="secret")
    assert plan.record_command("review", "1abc", private=False) == "parlour review 1abc --url host:9"
