"""A plan as a TOML file and back. Reading is strict: what is wrong is said with its file and its key."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from client.tournament.model.errors import TournamentError
from client.tournament.model.fields import Fields
from client.tournament.model.plan import FORMATS, Contestant, Goal, Plan, Sprt, file_of
from client.tournament.model.plan_defaults import settle

MOST = 100_000  # games of two players
MOST_SEED = 2**63 - 1
KINDS = ("beats", "points", "forfeits", "solves")


def load(path: Path) -> Plan:
    """The plan of a file, settled; TournamentError. Paths in it are relative to the file's folder."""
    return read(Fields.of_file(path), path)


def check(plan: Plan, path: Path) -> None:
    """That a plan can be read again from where it will be written; TournamentError."""
    read(Fields(tomllib.loads(write(plan)), "the plan"), path)


def read(given: Fields, path: Path) -> Plan:
    where = given.where
    plan = Plan(
        name=given.text("name", path.stem),
        game=given.text("game", expected="the game that is played"),
        format=given.text("format", "round-robin", FORMATS),  # type: ignore[arg-type]  # one of the choices
        players=tuple(contestant(entry, path.parent) for entry in given.tables("player")),
        options=given.table("options"),
        clock=given.text("clock", "none"),
        seed=given.whole("seed", 1, 0, MOST_SEED),
        rounds=given.whole("rounds", 0, 0, 1000),
        games=given.whole("games", 0, 0, MOST),
        opening_plies=given.whole("opening_plies", -1, 0, 40),
        concurrency=given.whole("concurrency", 4, 1, 500),
        wait=given.number("wait", 60.0, 0, 1e6),
        longest=given.number("longest", 3600.0, 0, 1e7),
        illegal=given.whole("illegal", 0, 0, 100),
        rated=given.flag("rated"),
        adjudicate=given.whole("adjudicate", 0, 0, 10**9),
        url=given.text("url", ""),
        sprt=sprt(Fields(given.table("sprt"), f"{where}: sprt"), Sprt()) if "sprt" in given else None,
        extra=given.whole("extra", 2, 0, 50),
        goals=tuple(map(goal, given.tables("goal"))),
    )
    given.done()
    return settle(plan, where)


def contestant(given: Fields, folder: Path) -> Contestant:
    bot, command = given.text("bot", ""), given.text("exec", "")
    if bot and command:
        raise TournamentError(f"{given.where}: give either bot or exec, not both")
    file = file_of(bot)
    workdir = given.text("workdir", "")
    found = Contestant(
        name=given.text("name", Path(file).stem if file else bot or None),
        bot=str((folder / file).absolute()) + bot[len(file) :] if file else bot,
        exec=command,
        adapter=given.text("adapter", ""),
        workdir=str((folder / workdir).absolute()) if workdir or command else "",
        seconds=given.number("seconds", 0.0, 0, 1e6),
        depth=given.whole("depth", 4, 1, 1000),
        memory=given.whole("memory", 2048, 0, 1 << 20),
        retries=given.whole("retries", 0, 0, 1000),
        startup=given.number("startup", 10.0, 0, 1e6),
        ready=given.flag("ready"),
        events=given.flag("events"),
        token=given.text("token", ""),
        at_a_time=given.whole("at_a_time", 0, 0, 500),
        student=given.flag("student"),
    )
    given.done()
    return found


def sprt(given: Fields, usual: Sprt, whole: bool = True) -> Sprt:
    confidence = given.number("confidence", 1 - usual.alpha, 0.5, 1)
    found = Sprt(
        elo0=given.number("elo0", usual.elo0, -1000, 1000),
        elo1=given.number("elo1", usual.elo1, -1000, 1000),
        alpha=given.number("alpha", round(1 - confidence, 12), 0, 0.5),
        beta=given.number("beta", round(1 - confidence, 12), 0, 0.5),
    )
    if found.elo0 >= found.elo1:
        raise TournamentError(
            f"{given.where}: elo0 should be less than elo1, not {found.elo0:g} against {found.elo1:g}"
        )
    if whole:
        given.done()
    return found


def goal(given: Fields) -> Goal:
    kinds = [kind for kind in KINDS if kind in given]
    if len(kinds) != 1:
        raise TournamentError(f"{given.where}: a goal has exactly one of {', '.join(KINDS)}")
    kind = kinds[0]
    if kind == "solves":
        positions = given.texts("solves")
        found = Goal(
            "solves", given.text("name", "solves positions"), positions=positions,
            needed=given.whole("needed", len(positions), 1, max(1, len(positions))),
            seconds=given.number("seconds", 1.0, 0, 3600),
        )  # fmt: skip
    elif kind == "beats":
        against = given.text("beats")
        test = sprt(given, Sprt(0, 100), whole=False)
        games = given.whole("games", 400, 2, MOST)
        found = Goal("beats", given.text("name", f"beats {against}"), against, games, test)
    else:
        against = given.text("against", expected="whom it is played against")
        games = given.whole("games", None, 2, MOST)
        if kind == "points":
            points = given.number("points", 0.0, 0, games + 1e-9)
            name = given.text("name", f"{points:g} points of {games} against {against}")
            found = Goal("points", name, against, games, points=points)
        else:
            most = given.whole("forfeits", None, 0, games)
            name = given.text("name", f"at most {most} forfeits in {games} games" if most else f"no forfeit in {games}")
            found = Goal("forfeits", name, against, games, forfeits=most)
    given.done()
    return found


# -- writing


def write(plan: Plan) -> str:
    """A TOML text that `load` makes the same plan of. Everything is there that is not as usual."""
    lines = [f"{name} = {value(getattr(plan, name))}" for name in ("name", "game", "format")]
    lines += entries(plan, Plan("", "", "match", ()), ("name", "game", "format", "players", "options", "sprt", "goals"))
    lines += ["", "[options]", *(f"{name} = {value(given)}" for name, given in plan.options.items())]
    if plan.sprt is not None:
        lines += ["", "[sprt]", *(f"{name} = {value(given)}" for name, given in asdict(plan.sprt).items())]
    for player in plan.players:
        lines += ["", "[[player]]", f"name = {value(player.name)}", *entries(player, Contestant(""), ("name",))]
    for entry in plan.goals:
        lines += ["", "[[goal]]", f"name = {value(entry.name)}", *goal_lines(entry)]
    return "\n".join(lines) + "\n"


def goal_lines(entry: Goal) -> list[str]:
    match entry.kind:
        case "solves":
            solves = f"[{', '.join(map(value, entry.positions))}]"
            return [f"solves = {solves}", f"needed = {entry.needed}", f"seconds = {value(entry.seconds)}"]
        case "beats":
            test = [f"{name} = {value(given)}" for name, given in asdict(entry.sprt).items()]
            return [f"beats = {value(entry.against)}", f"games = {entry.games}", *test]
        case kind:
            count = f"{kind} = {value(getattr(entry, kind))}"
            return [count, f"against = {value(entry.against)}", f"games = {entry.games}"]


def entries(given: Any, usual: Any, without: tuple[str, ...]) -> list[str]:
    names = [entry.name for entry in fields(given) if entry.name not in without]
    return [f"{name} = {value(getattr(given, name))}" for name in names if getattr(given, name) != getattr(usual, name)]


def value(given: str | float | bool) -> str:
    """As TOML writes it; its texts are those of JSON, but for one character."""
    if isinstance(given, str):
        return json.dumps(given, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(given).lower() if isinstance(given, bool) else repr(given)
