"""Read and write tournament plans as TOML files.

Reading is strict: an unknown key or a wrong value is reported with its file, its table and its key.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from msgspec import Meta, Struct, ValidationError, convert, inspect, structs

from client.programs.jail.choice import JAIL_KINDS, JailKind
from client.programs.program import Protocol
from client.programs.recipe import SUFFIX as RECIPE_SUFFIX
from client.tournament.model import opening_file
from client.tournament.model.errors import TournamentError
from client.tournament.model.opening_file import MAX_OPENINGS
from client.tournament.model.plan import FORMATS, Contestant, Format, Goal, Plan, Sprt, SprtModel, bot_file
from client.tournament.model.plan_defaults import with_defaults
from engine.errors import GameError
from engine.registry import GAMES
from runtime.file_errors import describe_file_error
from runtime.untrusted_files import MAX_PLAN_BYTES, UnsafeFile, parse_toml, read_file

# -- the tables of a file

Text = Annotated[str, Meta(pattern=r"^[^\0]*[^\s\0][^\0]*$")]
GameName = Annotated[Text, Meta(description=f"one of {', '.join(GAMES.names())}")]
FormatName = Annotated[Format, Meta(description=f"one of {', '.join(FORMATS)}")]
JailName = Annotated[JailKind, Meta(description=f"one of {', '.join(JAIL_KINDS)}")]
Opponent = Annotated[Text, Meta(description="the name of a player who is not a student")]
Seconds = Annotated[float, Meta(gt=0, lt=1e6)]
Elo = Annotated[float, Meta(gt=-1000, lt=1000)]
ErrorRate = Annotated[float, Meta(gt=0, lt=0.5)]
GameCount = Annotated[int, Meta(ge=2, le=100_000)]
OpeningKind = Literal["random", "balanced"]
OPENING_KINDS: tuple[str, ...] = get_args(OpeningKind)
Openings = Annotated[
    Annotated[list[Text], Meta(max_length=MAX_OPENINGS)] | Text,
    Meta(description=f"{', '.join(OPENING_KINDS)}, the name of a file, or a list of at most {MAX_OPENINGS:,} texts"),
]
Table = dict[str, Any]


class PlanTable(Struct, forbid_unknown_fields=True, kw_only=True):
    """The top level of a file. The tables in it are read one by one, so that errors name them."""

    name: Text | None = None
    game: GameName
    format: FormatName = "round-robin"
    clock: Text = "none"
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 1
    rounds: Annotated[int, Meta(ge=0, le=1000)] = 0
    games: Annotated[int, Meta(ge=0, le=100_000)] = 0
    opening_plies: Annotated[int, Meta(ge=0, le=40)] = -1
    openings: Openings = "random"
    same_openings: bool = False
    concurrency: Annotated[int, Meta(ge=1, le=500)] = 4
    wait: Seconds = 60.0
    longest: Annotated[float, Meta(gt=0, lt=1e7)] = 3600.0
    illegal: Annotated[int, Meta(ge=0, le=100)] = 0
    rated: bool = False
    adjudicate: Annotated[int, Meta(ge=0, le=10**9)] = 0
    extra: Annotated[int, Meta(ge=0, le=50)] = 2
    url: Text = ""
    jail: JailName = "none"
    jail_image: Text = ""
    jail_allow: list[Text] = []
    jail_cores: Text = ""
    options: Table = {}
    sprt: Table | None = None
    player: list[Table] = []
    goal: list[Table] = []


class PlayerTable(Struct, forbid_unknown_fields=True, kw_only=True):
    name: Text | None = None
    bot: Text = ""
    exec: Text = ""
    adapter: Text = ""
    protocol: Protocol = "lines"
    workdir: Text = ""
    lenient: bool = False
    seconds: Seconds = 0.0
    depth: Annotated[int, Meta(ge=1, le=1000)] = 4
    memory: Annotated[int, Meta(ge=0, le=1 << 20)] = 2048
    processes: Annotated[int, Meta(ge=0, le=100_000)] = 64
    disk: Annotated[int, Meta(ge=0, le=1 << 20)] = 256
    retries: Annotated[int, Meta(ge=0, le=1000)] = 0
    startup: Seconds = 10.0
    ready: bool = False
    events: bool = False
    token: Text = ""
    at_a_time: Annotated[int, Meta(ge=0, le=500)] = 0
    student: bool = False


class SprtTable(Struct, forbid_unknown_fields=True, kw_only=True):
    """`confidence` sets both error rates."""

    elo0: Elo | None = None
    elo1: Elo | None = None
    alpha: ErrorRate | None = None
    beta: ErrorRate | None = None
    model: SprtModel = "logistic"
    confidence: Annotated[float, Meta(gt=0.5, lt=1)] | None = None


class BeatsTable(SprtTable, forbid_unknown_fields=True, kw_only=True):
    name: Text | None = None
    beats: Text
    games: GameCount = 400


class PointsTable(Struct, forbid_unknown_fields=True, kw_only=True):
    name: Text | None = None
    points: Annotated[float, Meta(gt=0)]
    against: Opponent
    games: GameCount


class ForfeitsTable(Struct, forbid_unknown_fields=True, kw_only=True):
    name: Text | None = None
    forfeits: Annotated[int, Meta(ge=0)]
    against: Opponent
    games: GameCount


class SolvesTable(Struct, forbid_unknown_fields=True, kw_only=True):
    name: Text | None = None
    solves: list[Text]
    needed: int | None = None
    seconds: Annotated[float, Meta(gt=0, lt=3600)] = 1.0


READ_APART = ("name", "sprt", "player", "goal", "jail_allow", "openings")
AnyTable = TypeVar("AnyTable", bound=Struct)
GOAL_TABLES: dict[str, type[Struct]] = {
    "beats": BeatsTable,
    "points": PointsTable,
    "forfeits": ForfeitsTable,
    "solves": SolvesTable,
}


# -- reading


def read_text(text: str, path: Path, with_files: bool = False) -> Plan:
    """Return the plan of a text, as if it were in the file `path`. Raises TournamentError."""
    return read_plan(parse_tables(text, path), path, str(path), with_files)


def load(path: Path, with_files: bool = True) -> Plan:
    """Return the plan of a file, with defaults filled in. Paths in it are relative to the file's folder.

    `with_files`: read the openings of a file that the plan names.

    Raises TournamentError if the file cannot be read or the plan cannot be played.
    """
    try:
        return read_text(read_file(path, MAX_PLAN_BYTES).decode(), path, with_files)
    except OSError as error:
        raise TournamentError(describe_file_error("read", path, error)) from None
    except UnicodeDecodeError:
        raise TournamentError(f"{path} is not UTF-8 text: check that it is the right file") from None
    except UnsafeFile as error:
        raise TournamentError(f"cannot read {path}: {error}") from None


def check(plan: Plan, path: Path) -> None:
    """Raise TournamentError if the plan could not be read back from `path`."""
    read_plan(parse_toml(write(plan)), path, "the plan")


def parse_tables(text: str, path: Path) -> Table:
    try:
        return parse_toml(text)
    except UnsafeFile as error:
        raise TournamentError(f"cannot read {path}: {error}") from None
    except ValueError as error:
        raise TournamentError(f"{path} is not valid TOML: {error}") from None


def read_plan(values: Table, path: Path, where: str, with_files: bool = False) -> Plan:
    table = read_table(PlanTable, values, where)
    plan = Plan(
        **{key: value for key, value in structs.asdict(table).items() if key not in READ_APART},
        name=table.name or path.stem,
        openings=() if isinstance(table.openings, str) else tuple(table.openings),
        balanced=table.openings == "balanced",
        jail_allow=tuple(str((path.parent / entry).absolute()) for entry in table.jail_allow),
        players=tuple(
            read_player(entry, path.parent, f"{where}: player {number}") for number, entry in enumerate(table.player, 1)
        ),
        sprt=None if table.sprt is None else read_sprt(table.sprt, f"{where}: sprt"),
        goals=tuple(read_goal(entry, f"{where}: goal {number}") for number, entry in enumerate(table.goal, 1)),
    )
    if isinstance(table.openings, str) and table.openings not in OPENING_KINDS:
        if not with_files:
            how = "a plan in the folder of a tournament lists them; 'parlour tournament new' copies them from a file"
            raise TournamentError(f"{where}: openings should be random, balanced or a list of texts: {how}")
        plan = with_opening_file(plan, path.parent / table.openings, where)
    return with_defaults(plan, where)


def with_opening_file(plan: Plan, path: Path, where: str) -> Plan:
    """Return the plan with the openings of a file. Raises TournamentError."""
    try:
        return replace(plan, openings=opening_file.load(path, plan.create()))
    except (GameError, TournamentError) as error:
        raise TournamentError(f"{where}: openings: {error}") from None


def read_player(values: Table, folder: Path, where: str) -> Contestant:
    table = read_table(PlayerTable, values, where)
    if table.bot and table.exec:
        raise TournamentError(f"{where}: give either bot or exec, not both")
    file = bot_file(table.bot)
    name = table.name or (Path(file).stem if file else table.bot)
    if not name:
        raise missing_key(PlayerTable, "name", where)
    if file:
        table.bot = str((folder / file).absolute()) + table.bot[len(file) :]
    if table.adapter.endswith(RECIPE_SUFFIX):
        table.adapter = str((folder / table.adapter).absolute())
    if table.workdir or table.exec:
        table.workdir = str((folder / table.workdir).absolute())
    return Contestant(**structs.asdict(table) | {"name": name})


def read_sprt(values: Table, where: str) -> Sprt:
    return make_sprt(read_table(SprtTable, values, where), Sprt(), where)


def make_sprt(table: SprtTable, default: Sprt, where: str) -> Sprt:
    error_rate = default.alpha if table.confidence is None else round(1 - table.confidence, 12)
    sprt = Sprt(
        elo0=default.elo0 if table.elo0 is None else table.elo0,
        elo1=default.elo1 if table.elo1 is None else table.elo1,
        alpha=table.alpha or error_rate,
        beta=table.beta or error_rate,
        model=table.model,
    )
    if sprt.elo0 >= sprt.elo1:
        raise TournamentError(f"{where}: elo0 should be less than elo1, not {sprt.elo0:g} against {sprt.elo1:g}")
    return sprt


def read_goal(values: Table, where: str) -> Goal:
    kinds = [kind for kind in GOAL_TABLES if kind in values]
    if len(kinds) != 1:
        raise TournamentError(f"{where}: a goal has exactly one of {', '.join(GOAL_TABLES)}")
    match read_table(GOAL_TABLES[kinds[0]], values, where):
        case BeatsTable() as table:
            sprt = make_sprt(table, Sprt(0, 100), where)
            return Goal("beats", table.name or f"beats {table.beats}", table.beats, table.games, sprt)
        case PointsTable() as table:
            if table.points > table.games:
                raise wrong_value("points", f"a number from 0 to {table.games}", table.points, where)
            points = f"{table.points:g} {'point' if table.points == 1 else 'points'}"
            name = table.name or f"{points} of {table.games} against {table.against}"
            return Goal("points", name, table.against, table.games, points=table.points)
        case ForfeitsTable() as table:
            if table.forfeits > table.games:
                raise wrong_value("forfeits", f"a whole number from 0 to {table.games}", table.forfeits, where)
            quantity = f"at most {table.forfeits}" if table.forfeits else "no"
            noun = "forfeit" if table.forfeits == 1 else "forfeits"
            name = table.name or f"{quantity} {noun} in {table.games} games"
            return Goal("forfeits", name, table.against, table.games, forfeits=table.forfeits)
        case SolvesTable() as table:
            count = len(table.solves)
            needed = count if table.needed is None else table.needed
            if table.needed is not None and not 1 <= needed <= max(1, count):
                raise wrong_value("needed", f"a whole number from 1 to {max(1, count)}", needed, where)
            name, positions = table.name or "solves positions", tuple(table.solves)
            return Goal("solves", name, positions=positions, needed=needed, seconds=table.seconds)
    raise AssertionError(kinds)


# -- errors


def read_table(kind: type[AnyTable], values: Table, where: str) -> AnyTable:
    """Return the values as a table of this kind. Raises TournamentError that names the wrong key."""
    try:
        return convert(values, kind, strict=True)
    except ValidationError as error:
        raise translate(str(error), kind, values, where) from None


def translate(sentence: str, kind: type[Struct], values: Table, where: str) -> TournamentError:
    """Return our error for a sentence of msgspec about one table."""
    if (unknown := re.search(r"contains unknown field `(.*)`$", sentence, re.DOTALL)) is not None:
        return unknown_key(kind, unknown[1], where)
    if (missing := re.search(r"missing required field `(\w+)`", sentence)) is not None:
        return missing_key(kind, missing[1], where)
    if (wrong := re.search(r" - at `\$\.(\w+)", sentence)) is not None:
        return wrong_value(wrong[1], expected_value(kind, wrong[1]), values[wrong[1]], where)
    return TournamentError(f"{where}: {sentence}")


def unknown_key(kind: type[Struct], key: str, where: str) -> TournamentError:
    known = kind.__struct_fields__
    close = get_close_matches(key, known, 1)
    hint = f"did you mean {close[0]}?" if close else f"known keys: {', '.join(known)}"
    return TournamentError(f"{where}: unknown key {key[:40]!r}; {hint}")


def missing_key(kind: type[Struct], key: str, where: str) -> TournamentError:
    return TournamentError(f"{where}: {key} is missing: it should be {expected_value(kind, key)}")


def wrong_value(key: str, expected: str, value: object, where: str) -> TournamentError:
    return TournamentError(f"{where}: {key} should be {expected}, not {str(value)[:60]!r}")


def expected_value(kind: type[Struct], key: str) -> str:
    """Return what the value of a key should be, for an error message."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    return describe_type(next(field.type for field in info.fields if field.name == key), key)


def describe_type(type: inspect.Type, key: str) -> str:
    match type:
        case inspect.Metadata(type=inner, extra_json_schema=extra):
            return (extra or {}).get("description") or describe_type(inner, key)
        case inspect.UnionType(types=types):
            return describe_type(next(entry for entry in types if not isinstance(entry, inspect.NoneType)), key)
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType(ge=low, le=high):
            return (
                f"a whole number from {low} to {high}" if high is not None else f"a whole number, at least {low or 0}"
            )
        case inspect.FloatType(gt=low, lt=high):
            return f"a number between {low:g} and {high:g}" if high is not None else f"a number above {low:g}"
        case inspect.ListType(item_type=inspect.DictType()):
            return f"tables, each starting with [[{key}]]"
        case inspect.ListType():
            return "a list of texts"
        case inspect.DictType():
            return f"a table, as in [{key}]"
    return "text that is not empty"


# -- writing


def write(plan: Plan) -> str:
    """Return a plan as TOML text. `load` returns the same plan for it. Default values are left out."""
    lines = [f"{name} = {format_value(getattr(plan, name))}" for name in ("name", "game", "format")]
    lines += changed_keys(
        plan, Plan("", "", "match", ()), ("name", "game", "format", "players", "options", "sprt", "goals", "balanced")
    )
    lines += ['openings = "balanced"'] if plan.balanced else []
    lines += ["", "[options]", *(f"{name} = {format_value(value)}" for name, value in plan.options.items())]
    if plan.sprt is not None:
        lines += ["", "[sprt]", *(f"{name} = {format_value(value)}" for name, value in asdict(plan.sprt).items())]
    for player in plan.players:
        lines += [
            "",
            "[[player]]",
            f"name = {format_value(player.name)}",
            *changed_keys(player, Contestant(""), ("name",)),
        ]
    for goal in plan.goals:
        lines += ["", "[[goal]]", f"name = {format_value(goal.name)}", *goal_lines(goal)]
    return "\n".join(lines) + "\n"


def goal_lines(goal: Goal) -> list[str]:
    match goal.kind:
        case "solves":
            solves = format_value(goal.positions)
            return [f"solves = {solves}", f"needed = {goal.needed}", f"seconds = {format_value(goal.seconds)}"]
        case "beats":
            test = [f"{name} = {format_value(value)}" for name, value in asdict(goal.sprt).items()]
            return [f"beats = {format_value(goal.against)}", f"games = {goal.games}", *test]
        case kind:
            count = f"{kind} = {format_value(getattr(goal, kind))}"
            return [count, f"against = {format_value(goal.against)}", f"games = {goal.games}"]


def changed_keys(given: Any, default: Any, without: tuple[str, ...]) -> list[str]:
    """Return the lines of the fields that differ from the default."""
    names = [field.name for field in fields(given) if field.name not in without]
    changed = [name for name in names if getattr(given, name) != getattr(default, name)]
    return [f"{name} = {format_value(getattr(given, name))}" for name in changed]


def format_value(value: str | float | bool | tuple[str, ...]) -> str:
    """Return a value as TOML. A JSON string is a valid TOML string, except for the character DEL."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(format_value, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower() if isinstance(value, bool) else repr(value)
