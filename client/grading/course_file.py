"""The file course.toml: the game, how submissions are built and run, the opponents, and the goals with their points."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, structs

from client.grading.toolchains import TOOLCHAIN_NAMES, ToolchainName
from client.programs.limits import Limits
from client.tournament.model import plan_file
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Contestant, Goal, Plan
from client.tournament.model.plan_defaults import with_defaults
from client.tournament.model.plan_file import GameName, Seconds, Table, Text
from engine.options import OptionValue
from runtime.file_errors import describe_file_error
from runtime.untrusted_files import MAX_PLAN_BYTES, UnsafeFile, read_file

STUDENT = "submission"  # the player's name in all games: no game reveals whose it is
STAND_IN = Contestant("random", bot="random")  # a plan has two players, also if they do not meet
EXPECTED, STDIN, STDOUT, ARGUMENTS = "expected", "stdin", "stdout", "arguments"
MAX_CASE_BYTES = 1 << 20
MAX_STDOUT_BYTES = 1 << 16  # so much of a program's output is kept
MAX_CASES = 1000
SMOKE_POSITIONS = 10
ToolchainKey = Annotated[ToolchainName, Meta(description=f"one of {', '.join(TOOLCHAIN_NAMES)}")]


class CourseTable(Struct, forbid_unknown_fields=True, kw_only=True):
    """The top level of the file. The tables in it are read one by one, so that errors name them."""

    name: Text | None = None
    game: GameName
    adapter: Text = ""
    seconds: Seconds = 5.0
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 1
    opening_plies: Annotated[int, Meta(ge=0, le=40)] = -1
    options: Table = {}
    build: Table = {}
    run: Table = {}
    yardstick: list[Table] = []
    goal: list[Table] = []


class BuildTable(Struct, forbid_unknown_fields=True, kw_only=True):
    toolchain: ToolchainKey = "auto"
    command: Text = ""
    seconds: Seconds = 60.0
    memory: Annotated[int, Meta(ge=0, le=1 << 20)] = 2048
    processes: Annotated[int, Meta(ge=0, le=100_000)] = 256
    disk: Annotated[int, Meta(ge=0, le=1 << 20)] = 256


class RunTable(Struct, forbid_unknown_fields=True, kw_only=True):
    command: Text = ""
    memory: Annotated[int, Meta(ge=0, le=1 << 20)] = 1024
    processes: Annotated[int, Meta(ge=0, le=100_000)] = 64
    disk: Annotated[int, Meta(ge=0, le=1 << 20)] = 64
    startup: Seconds = 10.0
    depth: Annotated[int, Meta(ge=1, le=1000)] = 4
    lenient: bool = False
    ready: bool = False
    events: bool = False


class YardstickTable(Struct, forbid_unknown_fields=True, kw_only=True):
    name: Text | None = None
    bot: Text
    seconds: Seconds = 0.0


class BuildsTable(Struct, forbid_unknown_fields=True, kw_only=True):
    name: Text | None = None
    builds: bool


class LegalTable(Struct, forbid_unknown_fields=True, kw_only=True):
    name: Text | None = None
    legal: Annotated[int, Meta(ge=1, le=SMOKE_POSITIONS)]


class MatchesTable(Struct, forbid_unknown_fields=True, kw_only=True):
    name: Text | None = None
    matches: Text
    arguments: str = ""
    needed: Annotated[int, Meta(ge=1, le=MAX_CASES)] | None = None
    seconds: Seconds = 10.0


OWN_GOALS: dict[str, type[Struct]] = {"builds": BuildsTable, "legal": LegalTable, "matches": MatchesTable}


@dataclass(frozen=True, slots=True)
class Case:
    """Files that a program gets, and those that it should write. `stdout`: what it should print, if that counts."""

    name: str
    arguments: str
    files: Mapping[str, bytes]
    stdin: bytes
    expected: Mapping[str, bytes]
    stdout: bytes | None


@dataclass(frozen=True, slots=True)
class BuildGoal:
    """The submission builds."""

    name: str


@dataclass(frozen=True, slots=True)
class LegalGoal:
    """The program answers with legal moves in at least `needed` of the ten positions of the smoke test."""

    name: str
    needed: int


@dataclass(frozen=True, slots=True)
class MatchGoal:
    """The program writes the expected files, byte for byte, in at least `needed` of the cases."""

    name: str
    cases: tuple[Case, ...]
    needed: int
    seconds: float


CourseGoal = BuildGoal | LegalGoal | MatchGoal | Goal


@dataclass(frozen=True, slots=True)
class Course:
    """Everything that is fixed before the first submission is graded. `worth`: points by goal."""

    name: str
    plan: Plan  # of one submission, with the settings of its player
    goals: tuple[CourseGoal, ...]
    worth: Mapping[str, float]
    toolchain: str = "auto"
    build_command: str = ""
    build_seconds: float = 60.0
    build_limits: Limits = field(default_factory=Limits)
    run_command: str = ""
    seconds: float = 5.0  # per move

    @property
    def total(self) -> float:
        return sum(self.worth.values())

    @property
    def student(self) -> Contestant:
        return self.plan.player(STUDENT)

    def digest(self, jail: str) -> str:
        """Return a digest of everything that decides a result. Points per goal do not: they only weigh it."""
        player = self.student
        recipe = Path(player.adapter).read_bytes() if Path(player.adapter).is_file() else b""
        fixed = replace(self, name="", worth={}, plan=replace(self.plan, name="", jail=jail))
        fixed = replace(fixed, plan=without_path(fixed.plan))
        return sha256(repr(fixed).encode() + recipe).hexdigest()


def without_path(plan: Plan) -> Plan:
    """Return the plan without the place of the course file."""
    players = tuple(replace(player, workdir="", adapter=Path(player.adapter).name) for player in plan.players)
    return replace(plan, players=players)


def load(path: Path) -> Course:
    """Return the course of a file. Raises TournamentError that names the wrong key."""
    try:
        text = read_file(path, MAX_PLAN_BYTES).decode()
    except OSError as error:
        raise TournamentError(describe_file_error("read", path, error)) from None
    except UnicodeDecodeError:
        raise TournamentError(f"{path} is not UTF-8 text: check that it is the right file") from None
    except UnsafeFile as error:
        raise TournamentError(f"cannot read {path}: {error}") from None
    return read_course(plan_file.parse_tables(text, path), path)


def read_course(values: Table, path: Path) -> Course:
    where = str(path)
    table = plan_file.read_table(CourseTable, values, where)
    build = plan_file.read_table(BuildTable, table.build, f"{where}: build")
    run = plan_file.read_table(RunTable, table.run, f"{where}: run")
    if build.command and not run.command:
        raise TournamentError(f"{where}: build has a command, so run needs one too: how is the program started?")
    goals, worth = read_goals(table.goal, path)
    limits = Limits(memory=build.memory, processes=build.processes, disk=build.disk)
    return Course(
        name=table.name or path.absolute().parent.name,
        plan=read_plan(table, run, tuple(goal for goal in goals if isinstance(goal, Goal)), path),
        goals=goals,
        worth=worth,
        toolchain=build.toolchain,
        build_command=build.command,
        build_seconds=build.seconds,
        build_limits=limits,
        run_command=run.command,
        seconds=table.seconds,
    )


def read_plan(table: CourseTable, run: RunTable, goals: tuple[Goal, ...], path: Path) -> Plan:
    """Return the plan of the games of one submission, whose command is not known yet."""
    where = str(path)
    settings = {key: value for key, value in structs.asdict(run).items() if key != "command"}
    settings |= {"name": STUDENT, "exec": run.command or "?", "student": True}
    settings |= {"adapter": table.adapter} if table.adapter else {}
    student = plan_file.read_player(settings, path.parent.absolute(), f"{where}: run")
    yardsticks = [read_yardstick(entry, f"{where}: yardstick {n}") for n, entry in enumerate(table.yardstick, 1)]
    opponents = yardsticks or [STAND_IN]
    options: Mapping[str, OptionValue] = table.options
    plan = Plan(
        name=table.name or "grading", game=table.game, format="grading", players=(student, *opponents),
        options=options, clock=f"{table.seconds:g}/move", seed=table.seed, opening_plies=table.opening_plies,
        goals=goals,
    )  # fmt: skip
    if goals:
        return with_defaults(plan, where)
    # a course without games: everything but the goals is checked
    complete = with_defaults(replace(plan, format="match", players=(student, STAND_IN)), where)
    return replace(complete, format="grading", players=plan.players, games=0)


def read_yardstick(values: Table, where: str) -> Contestant:
    table = plan_file.read_table(YardstickTable, values, where)
    if ".py" in table.bot:
        raise TournamentError(
            f"{where}: bot should be a built-in bot such as greedy or search@3, not {table.bot[:60]!r}"
        )
    return Contestant(table.name or table.bot, bot=table.bot, seconds=table.seconds)


def read_goals(entries: list[Table], path: Path) -> tuple[tuple[CourseGoal, ...], dict[str, float]]:
    """Return the goals and their points. Raises TournamentError."""
    goals: list[CourseGoal] = []
    worth: dict[str, float] = {}
    for number, entry in enumerate(entries, 1):
        where = f"{path}: goal {number}"
        given = entry.get("worth", 1)
        if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 1_000_000:
            raise plan_file.wrong_value("worth", "a number of points, at least 0", given, where)
        goal = read_goal({key: value for key, value in entry.items() if key != "worth"}, path, where)
        if goal.name in worth:
            raise TournamentError(f"{path}: two goals are called {goal.name!r}: give one of them another name")
        goals.append(goal)
        worth[goal.name] = given
    if not goals:
        raise TournamentError(f"{path}: there are no goals: add [[goal]] tables")
    return tuple(goals), worth


def read_goal(values: Table, path: Path, where: str) -> CourseGoal:
    kinds = [kind for kind in (*OWN_GOALS, *plan_file.GOAL_TABLES) if kind in values]
    if len(kinds) != 1:
        names = ", ".join((*OWN_GOALS, *plan_file.GOAL_TABLES))
        raise TournamentError(f"{where}: a goal has exactly one of {names}")
    if kinds[0] not in OWN_GOALS:
        return plan_file.read_goal(values, where)
    match plan_file.read_table(OWN_GOALS[kinds[0]], values, where):
        case BuildsTable() as table:
            return BuildGoal(table.name or "builds")
        case LegalTable() as table:
            return LegalGoal(table.name or f"{table.legal} of {SMOKE_POSITIONS} moves are legal", table.legal)
        case MatchesTable() as table:
            cases = read_cases(path.parent / table.matches, table.arguments, where)
            needed = len(cases) if table.needed is None else min(table.needed, len(cases))
            return MatchGoal(table.name or f"matches {table.matches}", cases, needed, table.seconds)
    raise AssertionError(kinds)


def read_cases(folder: Path, arguments: str, where: str) -> tuple[Case, ...]:
    """Return the cases of a folder, which has a folder per case. Raises TournamentError."""
    try:
        found = tuple(read_case(path, arguments) for path in sorted(folder.iterdir()) if path.is_dir())
    except OSError as error:
        raise TournamentError(
            f"{where}: {describe_file_error('read', Path(error.filename or folder), error)}"
        ) from None
    except ValueError as error:
        raise TournamentError(f"{where}: {error}") from None
    if not found or len(found) > MAX_CASES:
        raise TournamentError(f"{where}: {folder} should have a folder for each case, at most {MAX_CASES}")
    return found


def read_case(folder: Path, arguments: str) -> Case:
    """Return a case: its files, and the folder `expected`. Raises ValueError or OSError."""
    files = read_flat(folder)
    expected = read_flat(folder / EXPECTED)
    if not expected:
        raise ValueError(f"{folder / EXPECTED} is empty: add the files that the program should write")
    stdout = expected.pop(STDOUT, None)
    if stdout is not None and len(stdout) > MAX_STDOUT_BYTES:
        raise ValueError(f"{folder / EXPECTED / STDOUT} is larger than {MAX_STDOUT_BYTES >> 10} kB: use a shorter case")
    own_arguments = files.pop(ARGUMENTS, arguments.encode()).decode().strip()
    return Case(folder.name, own_arguments, files, files.pop(STDIN, b""), expected, stdout)


def read_flat(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder, by name."""
    return {entry.name: read_file(Path(entry), MAX_CASE_BYTES) for entry in sorted_entries(folder) if entry.is_file()}


def sorted_entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)
