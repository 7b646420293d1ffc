"""Fill in the defaults of a plan, and check that it can be played."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, log2

from client.programs.adapters import ADAPTERS
from client.programs.recipe import SUFFIX as RECIPE_SUFFIX
from client.sdk.time_control import parse_time_control
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Contestant, Plan
from engine.errors import GameError
from protocol.usernames import fold, is_readable

MAX_NAME_CHARS = 32
MATCH_GAMES, SPRT_MATCH_GAMES = 100, 1000  # defaults without and with a test that ends the match early
DEFAULT_OPENING_PLIES = 4
MAX_GAMES = 1_000_000
MAX_PLAYERS = 1000  # pairing players takes time and memory quadratic in their number
HOW_TO_ADD_PLAYERS = "add --bot, --exec or --connects, or [[player]] tables to a file"
DEFAULT_ROUNDS = {"round-robin": 1, "gauntlet": 1}


def with_defaults(plan: Plan, where: str) -> Plan:
    """Return the plan with complete options and defaults filled in.

    Raises TournamentError if it cannot be played. The message begins with `where`.
    """
    try:
        clock = parse_time_control(plan.clock)
        game = plan.create()
        if game.judge(game.start(), 0, 1) is not None:
            raise TournamentError("the game is over at the start position: use another one")
        complete = replace(
            plan,
            options=dict(game.spec.options),
            games=games_of(plan),
            rounds=rounds_of(plan),
            opening_plies=opening_plies_of(plan) if plan.opening_plies < 0 else plan.opening_plies,
            openings=tuple(checked_opening(plan, position) for position in plan.openings),
        )
        if complete.openings and complete.opening_plies:
            raise TournamentError("give either openings or opening_plies, not both")
        if plan.balanced and not plan.rated and not complete.opening_plies:
            raise TournamentError("balanced openings have moves: set opening_plies to at least 1, for example 4")
        if plan.rated and (complete.opening_plies or complete.openings or complete.balanced):
            how = "remove openings or set" if complete.balanced else "set opening_plies to 0 or"
            raise TournamentError(f"rated games begin at the usual position: {how} rated to false")
        if plan.rated and clock.kind == "none":
            raise TournamentError("rated games need a clock: set clock, for example to 5+3, or rated to false")
        check_players(complete)
        check_format(complete)
        check_goals(complete)
    except (GameError, TournamentError) as error:
        raise TournamentError(f"{where}: {error}") from None
    return complete


def games_of(plan: Plan) -> int:
    if plan.games % 2:
        raise TournamentError(
            f"games should be an even number, not {plan.games}: every opening is played from both seats"
        )
    default = 2 if plan.format != "match" else MATCH_GAMES if plan.sprt is None else SPRT_MATCH_GAMES
    return plan.games or default


def opening_plies_of(plan: Plan) -> int:
    return 0 if plan.rated or plan.openings else DEFAULT_OPENING_PLIES


def checked_opening(plan: Plan, position: str) -> str:
    """Return a position in its usual notation. Raises TournamentError or GameError if no game can begin there."""
    game = plan.create(position)
    if game.judge(game.start(), 0, 1) is not None:
        raise TournamentError(f"the game is over in the opening {position[:60]!r}: remove it")
    return game.dump(game.start())


def rounds_of(plan: Plan) -> int:
    if plan.rounds and plan.format in ("knockout", "match", "grading"):
        raise TournamentError(f"rounds cannot be used with format = '{plan.format}': remove it")
    swiss = max(1, ceil(log2(max(2, len(plan.players)))))
    return plan.rounds or (swiss if plan.format == "swiss" else DEFAULT_ROUNDS.get(plan.format, 0))


def check_players(plan: Plan) -> None:
    seen: dict[str, str] = {}
    for player in plan.players:
        name = player.name
        if len(name) > MAX_NAME_CHARS or not is_readable(name):
            raise TournamentError(
                f"a player's name should have 1 to {MAX_NAME_CHARS} printable characters, not {name[:60]!r}"
            )
        if fold(name) in seen:
            raise TournamentError(f"two players are called {name}: rename one of them (--bot NAME=BOT)")
        seen[fold(name)] = name
        if player.adapter:
            check_adapter(player, plan)
        if player.protocol != "lines" and (not player.exec or player.adapter):
            raise TournamentError(f"protocol of {player.name} needs exec, and no adapter")


def check_adapter(player: Contestant, plan: Plan) -> None:
    recipe = player.adapter.endswith(RECIPE_SUFFIX)
    if not player.exec or (player.adapter not in ADAPTERS and not recipe):
        names = f"{', '.join(ADAPTERS)}, or a recipe, FILE{RECIPE_SUFFIX}"
        raise TournamentError(f"adapter of {player.name} should be one of {names}, and needs exec")
    if recipe and (plan.opening_plies or plan.openings):
        problem = "set opening_plies to 0 and remove openings"
        raise TournamentError(f"{player.name} has a recipe and plays from the usual start: {problem}")
    if not recipe and ADAPTERS[player.adapter].game != plan.game:
        raise TournamentError(f"adapter {player.adapter} of {player.name} does not play {plan.game}: use another one")


def check_format(plan: Plan) -> None:
    count = len(plan.players)
    if count < 2:
        raise TournamentError(f"a tournament needs at least two players, not {count}: {HOW_TO_ADD_PLAYERS}")
    if count > MAX_PLAYERS:
        raise TournamentError(f"this plan has {count:,} players; the maximum is {MAX_PLAYERS:,}")
    if plan.format == "match" and count != 2:
        raise TournamentError(f"a match has two players, not {count}: remove players, or use another format")
    if plan.sprt is not None and plan.format != "match":
        raise TournamentError("sprt needs format = 'match' (--format match)")
    if plan.goals and plan.format != "grading":
        raise TournamentError("goals need format = 'grading'")
    if max_games(plan) > MAX_GAMES:
        raise TournamentError(f"this plan has up to {max_games(plan):,} games; the maximum is {MAX_GAMES:,}")


def max_games(plan: Plan) -> int:
    """Return an upper bound of the number of games."""
    count = len(plan.players)
    meetings = {
        "round-robin": plan.rounds * count * (count - 1) // 2,
        "gauntlet": plan.rounds * (count - 1),
        "swiss": plan.rounds * count // 2,
        "knockout": count * (1 + plan.extra),
        "match": 1,
        "grading": 0,
    }
    return meetings[plan.format] * plan.games + len(plan.students) * sum(goal.games for goal in plan.goals)


def check_goals(plan: Plan) -> None:
    if plan.format != "grading":
        return
    if not plan.goals or not plan.students:
        raise TournamentError("grading needs goals, and players with student = true")
    if len({goal.name for goal in plan.goals}) < len(plan.goals):
        raise TournamentError("two goals have the same name: rename one of them")
    for goal in plan.goals:
        if goal.against and (goal.against not in plan.names or goal.against in plan.students):
            raise TournamentError(
                f"goal {goal.name!r}: {goal.against!r} should be the name of a player who is not a student"
            )
        if goal.games % 2:
            raise TournamentError(
                f"goal {goal.name!r} needs an even number of games: every opening is played from both seats"
            )
        for position in goal.positions:
            game = plan.create(position)
            if game.judge(game.start(), 0, 1) is not None:
                raise TournamentError(f"goal {goal.name!r}: the game is over at {position!r}")
