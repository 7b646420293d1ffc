"""What `parlour tournament` does, action by action."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable

from client.bots.recipe import Recipe
from client.tournament import tables
from client.tournament.errors import TournamentError
from client.tournament.folder import Folder
from client.tournament.plan import Plan
from client.tournament.standings import standings
from parlour.house import recipe_of
from parlour.tournament import running
from parlour.tournament.planning import given, plan_of


def new(folder: Folder, args: Namespace) -> int:
    create(folder, args)
    print(f"{folder.plan_file} says what will be played; begin with: parlour tournament run {folder.path}")
    return 0


def create(folder: Folder, args: Namespace) -> None:
    plan = plan_of(args, folder.path.absolute().name)
    check_bots(plan)
    folder.create(plan)


def check_bots(plan: Plan) -> None:
    """That there are such bots, and that they play this game; LoadError or GameError."""
    for player in plan.players:
        if player.bot:
            recipe = Recipe(player.bot) if ".py" in player.bot else recipe_of(player.bot)
            recipe.check()
            if plan.game not in recipe.games:
                raise TournamentError(f"{player.name} does not play {plan.game}")


def run(folder: Folder, args: Namespace) -> int:
    if given(args):
        create(folder, args)
    check_bots(folder.plan())
    return running.run(folder, args)


def resume(folder: Folder, args: Namespace) -> int:
    check_bots(folder.plan())
    return running.run(folder, args)


def status(folder: Folder, args: Namespace) -> int:
    plan, story = folder.plan(), folder.story()
    known = standings(plan, story.results)
    done = sum(game.number in story.results for game in known.schedule.games)
    total = len(known.schedule.games)
    if args.json:
        under_way = {str(number): room for number, room in sorted(story.rooms.items())}
        print(json.dumps({"finished": known.finished, "done": done, "known": total, "under_way": under_way}))
        return 0
    state = "finished" if known.finished else "not begun" if not story.plan else f"{len(story.rooms)} under way"
    more = "" if known.schedule.final else ", more to follow"
    print(f"{plan.name}: {plan.format} of {len(plan.players)} in {plan.game}, {done} of {total} games{more}, {state}")
    for number, room in sorted(story.rooms.items()):
        print(f"  game {number} in room {room}")
    return 0


def table(folder: Folder, args: Namespace) -> int:
    known = standings(folder.plan(), folder.story().results)
    if args.json:
        print(json.dumps(tables.as_json(known), ensure_ascii=False))
    else:
        print(tables.as_csv(known).rstrip("\n") if args.csv else tables.as_text(known))
    return 0


ACTIONS: dict[str, Callable[[Folder, Namespace], int]] = {
    "new": new,
    "run": run,
    "resume": resume,
    "status": status,
    "table": table,
}
