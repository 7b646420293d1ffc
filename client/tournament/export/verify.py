"""Verify a bundle: replay every game, repeat every proof, and compute the table again.

Data is compared strictly. Texts for people are compared byte for byte if this version wrote them; `text_versions`
checks the texts of older versions.

A bundle cannot prove that a clock ran out or that a program crashed. To detect such changes, compare the checksum of
the archive with the published one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from client.tournament.export.bundle import (
    BUNDLE_FILE,
    CHECKSUM_FILE,
    OPENINGS_FILE,
    Files,
    as_json,
    derived_files,
    game_file,
    is_chosen,
    openings_json,
    report_link,
    reviews_text,
    schedule_json,
)
from client.tournament.export.mistakes import checked_mistakes
from client.tournament.export.text_page import text_page
from client.tournament.export.text_versions import (
    FIRST_BRACKET,
    LAST_TEXT_PAGE,
    TEXT_VERSION,
    UNSTATED_TEXT_VERSION,
    same_grades,
    same_page,
    same_table,
    sentences,
)
from client.tournament.formats.openings import draws, opening
from client.tournament.formats.openings_balanced import MAX_CANDIDATES, evaluate, search_version
from client.tournament.formats.schedule import schedule
from client.tournament.formats.standings import Standings, standings
from client.tournament.journal.replay import Answer, TournamentState
from client.tournament.journal.review_log import REVIEWS_FILE, current_reviews, reviews_of
from client.tournament.model import plan_file
from client.tournament.model.chosen_opening import ChosenOpening, fits
from client.tournament.model.errors import TournamentError
from client.tournament.model.game_review import Reviews
from client.tournament.model.plan import Plan
from client.tournament.model.plan_defaults import max_games
from client.tournament.model.results import Pairing, Result, Results
from client.tournament.play.adjudication import prove
from client.tournament.play.outcome import time_used
from engine.errors import GameError
from engine.record import RULE_REASONS, Record, fault, parse, play_through
from runtime.file_errors import describe_file_error
from runtime.untrusted_files import (
    MAX_ARCHIVE_BYTES,
    MAX_PLAN_BYTES,
    MAX_RECORD_BYTES,
    MAX_UNPACKED_BYTES,
    UnsafeFile,
    parse_json,
    read_file,
    unpack,
)

MAX_VERIFIED_GAMES = 100_000  # of a plan: its schedule is computed, even if few games were played
FIXED_FILES = {
    "answers.json", "grades.csv", "page.html", "plan.toml", "results.json", "schedule.json", "table.csv", "table.json",
    "table.txt", "versions.json", BUNDLE_FILE, CHECKSUM_FILE, OPENINGS_FILE, REVIEWS_FILE,
}  # fmt: skip


class Verification(NamedTuple):
    """What was found in a bundle.

    `differences`: sentences; the bundle is correct if there are none. `games`: how many were checked.
    `reworded`: texts of an older version that have the right names and numbers, but another wording.
    `reviewed`: how many games have reviews, whose values were not computed again.
    """

    differences: list[str]
    games: int
    reworded: list[str]
    reviewed: int = 0


def verify(path: Path, max_bytes: int = MAX_UNPACKED_BYTES, checksum: str = "") -> Verification:
    """Check a bundle whose files have at most `max_bytes`. `checksum`: the SHA-256 that it should have, in hex.

    Raises TournamentError if the file is not a bundle, or too large.
    """
    data = read_archive(path, max_bytes)
    files = unpack_bundle(path, data, max_bytes)
    found = check_checksums(files)
    if checksum and sha256(data).hexdigest() != checksum.lower():
        found.insert(0, "the archive does not have that checksum")
    try:
        plan = read_plan(files)
        results = read_results(files)
        known = schedule(plan, results)
        openings = read_openings(files) if plan.balanced else []
    except KeyError as error:
        return Verification([*found, f"the bundle cannot be read: {error.args[0]} is missing"], 0, [])
    except (TournamentError, ValueError, TypeError, OverflowError) as error:
        return Verification([*found, f"the bundle cannot be read: {error}"], 0, [])
    found += check_openings(plan, openings)
    for game in known.games:
        if game.number in results and is_chosen(plan, game, openings):
            start = opening(plan, game.opening, openings)
            found += [f"game {game.number}: {wrong}" for wrong in check_game(plan, game, start, results[game.number])]
        elif game.number in results:
            found.append(f"game {game.number}: {OPENINGS_FILE} does not have its opening")
    found += check_numbers(files, known.games, results)
    try:
        reviews = read_reviews(files, known.games, results)
    except TournamentError as error:  # what the table and the page should show is not known
        return Verification([*found, str(error)], len(results), [])
    wrong, reworded = check_derived(files, plan, results, openings, reviews)
    return Verification(found + wrong, len(results), reworded, len(reviews))


def read_archive(path: Path, max_bytes: int) -> bytes:
    try:
        return read_file(path, max(MAX_ARCHIVE_BYTES, max_bytes // 4))
    except IsADirectoryError:
        how = f"write its bundle with 'parlour tournament export {path}' and verify that file"
        raise TournamentError(f"{path} is a folder: {how}") from None
    except OSError as error:
        raise TournamentError(describe_file_error("read", path, error)) from None
    except UnsafeFile as error:
        raise not_a_bundle(path, error) from None


def unpack_bundle(path: Path, data: bytes, max_bytes: int) -> Files:
    try:
        return unpack(data, max_bytes)
    except UnsafeFile as error:
        raise not_a_bundle(path, error) from None


def not_a_bundle(path: Path, error: UnsafeFile) -> TournamentError:
    how = f"'parlour tournament export' writes bundles, and 'parlour verify {path}' checks a single game"
    return TournamentError(f"{path} is not the bundle of a tournament: {error}; {how}")


def check_checksums(files: Files) -> list[str]:
    expected: dict[str, str] = {}
    for line in files.get(CHECKSUM_FILE, b"").decode(errors="replace").splitlines():
        checksum, _, name = line.partition("  ")
        expected[name] = checksum
    found = [] if CHECKSUM_FILE in files else [f"{CHECKSUM_FILE} is missing"]
    for name in sorted({*expected, *files} - {CHECKSUM_FILE}):
        if name not in files:
            found.append(f"{name} is missing")
        elif name not in expected:
            found.append(f"{name} has no checksum")
        elif sha256(files[name]).hexdigest() != expected[name]:
            found.append(f"{name} does not match its checksum")
    return found


def read_plan(files: Files) -> Plan:
    """Return the plan of a bundle. Raises TournamentError if it is not one, or has too many games."""
    if len(files["plan.toml"]) > MAX_PLAN_BYTES:
        raise TournamentError(f"plan.toml is larger than {MAX_PLAN_BYTES >> 20} MB")
    plan = plan_file.read_text(files["plan.toml"].decode(), Path("plan.toml"))
    if max_games(plan) > MAX_VERIFIED_GAMES:
        raise TournamentError(f"the plan has more than {MAX_VERIFIED_GAMES:,} games")
    return plan


def read_results(files: Files) -> dict[int, Result]:
    given: Any = parse_json(files["results.json"])
    if not isinstance(given, dict) or not all(isinstance(entry, dict) for entry in given.values()):
        raise ValueError("results.json does not contain results")
    return {
        int(number): Result.read({**entry, "record": files[game_file(int(number))].decode()})
        for number, entry in given.items()
    }


def read_answers(files: Files) -> dict[tuple[str, str, str], Answer]:
    """Return the answers to positions. A tournament without goals has none."""
    found: dict[tuple[str, str, str], Answer] = {}
    for entry in parse_json(files.get("answers.json", b"[]")):
        answer = Answer(**{key: value for key, value in entry.items() if key != "type"})
        found[answer.student, answer.goal, answer.position] = answer
    return found


def read_reviews(files: Files, games: tuple[Pairing, ...], results: Results) -> Reviews:
    """Return the reviews of a bundle, which may have none. Raises TournamentError if they do not fit its games."""
    data = files.get(REVIEWS_FILE)
    if data is None:
        return {}
    reviews = reviews_of(review_entries(data), Path(REVIEWS_FILE))
    fitting = current_reviews(reviews, results)
    for number in reviews:
        if number not in fitting:
            raise TournamentError(f"{REVIEWS_FILE}: the review of game {number} belongs to another record")
    for game in games:
        if game.number in reviews:
            checked_mistakes(game, results[game.number], reviews[game.number])
    if not reviews or reviews_text(reviews).encode() != data:
        raise TournamentError(f"{REVIEWS_FILE} is not written as Parlour writes it")
    return reviews


def review_entries(data: bytes) -> Iterator[Any]:
    """Yield the entries of a file of reviews. Raises TournamentError for a line that is not JSON."""
    for number, line in enumerate(data.splitlines(), 1):
        try:
            yield parse_json(line)
        except ValueError as error:
            raise TournamentError(f"{REVIEWS_FILE}: line {number} cannot be read: {error}") from None


# -- openings


def read_openings(files: Files) -> list[ChosenOpening]:
    """Return the balanced openings. Raises ValueError if they are not valid."""
    entries = parse_json(files[OPENINGS_FILE])
    if not isinstance(entries, list):
        raise ValueError(f"{OPENINGS_FILE} does not contain openings")
    try:
        return [ChosenOpening.read(entry) for entry in entries]
    except (KeyError, TypeError):
        raise ValueError(f"{OPENINGS_FILE} has an opening with a field missing") from None


def check_openings(plan: Plan, openings: Sequence[ChosenOpening]) -> list[str]:
    """Return what is wrong with balanced openings: their positions, values and bands.

    Another version of the search may value a position differently, and another band may be even for it. So values are
    computed again, and bands are checked, for the same version.
    """
    found, game, seen = [], plan.create(), set[str]()
    for number, chosen in enumerate(openings, 1):
        same_version = chosen.search == search_version(type(game))
        drawn = set(draws(game, plan.seed, number, plan.opening_plies, MAX_CANDIDATES)) or {game.start_position}
        if chosen.position not in seen | drawn:
            found.append(f"opening {number} is not one of its candidates")
        elif not fits(game, chosen, same_version):
            found.append(f"opening {number} is not as even as stated")
        elif same_version and not same_value(evaluate(game, chosen.position), chosen):
            found.append(f"opening {number} does not have the value stated")
        seen.add(chosen.position)
    return found


def same_value(found: ChosenOpening, stated: ChosenOpening) -> bool:
    return (found.value, found.depth, found.proved) == (stated.value, stated.depth, stated.proved)


# -- one game


def check_game(plan: Plan, game: Pairing, start: str, result: Result) -> list[str]:
    if len(result.record) > MAX_RECORD_BYTES:
        return [f"the record is larger than {MAX_RECORD_BYTES >> 20} MB"]
    try:
        record = parse(result.record)
        wrong = fault(record)
    except GameError as error:
        return [f"the record cannot be read: {error}"]
    if wrong:
        return [wrong]
    expected = dict(plan.create(start).spec.options)
    found = []
    if (record.game, dict(record.options)) != (plan.game, expected):
        found.append("it was played with other options or from another position than planned")
    if record.seats != game.seats:
        found.append(f"{' and '.join(record.seats)} played instead of {' and '.join(game.seats)}")
    if record.result != result.result:
        found.append(f"the record says {record.result}, the results say {result.result}")
    if record.reason != result.reason and not (record.result == "*" and not record.reason):
        found.append(f"the record says {record.reason!r}, the results say {result.reason!r}")
    if bool(result.forfeit) and result.reason in (*RULE_REASONS, "adjudicated", "agreed"):
        found.append(f"it ended by {result.reason}, but is counted as a forfeit")
    if time_used(record) != result.used:
        found.append("the times in the record and in the results differ")
    return found or check_proof(plan, record, result)


def check_proof(plan: Plan, record: Record, result: Result) -> list[str]:
    if result.reason != "adjudicated":
        return [] if result.proof is None else ["it has a proof, but was not adjudicated"]
    if result.proof is None or not plan.adjudicate:
        return ["it was adjudicated without a proof"]
    again = prove(plan.create(), play_through(record).states, plan.adjudicate)
    if again is None or again["result"] != result.result or again["position"] != result.proof.get("position"):
        return ["the proof of its result does not hold"]
    return []


# -- derived files


def check_numbers(files: Files, games: tuple[Pairing, ...], results: Results) -> list[str]:
    numbers = {game.number for game in games}
    found = [f"game {number} is not part of the schedule" for number in sorted(set(results) - numbers)]
    listed = {game_file(number) for number in results}
    extra = [name for name in files if name not in listed | FIXED_FILES and not name.startswith("evidence/")]
    return found + [f"{name} does not belong to any result" for name in sorted(extra)]


def check_derived(
    files: Files, plan: Plan, results: Results, openings: list[ChosenOpening], reviews: Reviews
) -> tuple[list[str], list[str]]:
    """Return the differences, and the names of the texts that have another wording."""
    found = []
    if not is_schedule(files, plan, results, openings):
        found.append("schedule.json does not follow from the plan and the results")
    state = TournamentState(results=dict(results), openings=openings, reviews=reviews)
    if not plan.balanced and OPENINGS_FILE in files:
        found.append(f"{OPENINGS_FILE} does not belong to the plan")
    if plan.balanced and files[OPENINGS_FILE] != as_json(openings_json(schedule(plan, results), openings)).encode():
        found.append(f"{OPENINGS_FILE} has more or other entries than openings")
    if plan.goals:
        if "answers.json" not in files:
            found.append("answers.json is missing")
        try:
            state.answers = read_answers(files)
        except (AttributeError, ValueError, TypeError):
            found.append("answers.json cannot be read")
    try:
        version = text_version(files)
    except ValueError as error:
        version = TEXT_VERSION
        found.append(str(error))
    try:
        recomputed = derived_files(plan, state, results, with_bracket=version >= FIRST_BRACKET)
    except GameError:  # a record cannot be read; this is already reported
        return found, []
    changed = [name for name, text in recomputed.items() if files.get(name) != text.encode()]
    reworded = []
    if version < TEXT_VERSION:
        table = standings(plan, results, reviews)
        reworded = [name for name in changed if is_reworded(name, files, recomputed, version, table, results)]
    return [*found, *(f"{name} does not follow from the games" for name in changed if name not in reworded)], reworded


def is_schedule(files: Files, plan: Plan, results: Results, openings: Sequence[ChosenOpening]) -> bool:
    """Return whether schedule.json follows from the plan. Compute openings only if the number of games is right."""
    given = files.get("schedule.json", b"")
    if given.count(b'"number":') != len(schedule(plan, results).games):
        return False
    return given == as_json(schedule_json(plan, results, openings)).encode()


def text_version(files: Files) -> int:
    """Return the version of the texts. Raises ValueError if it is newer than this program, or not a version."""
    if BUNDLE_FILE not in files:
        return UNSTATED_TEXT_VERSION
    try:
        version = parse_json(files[BUNDLE_FILE])["texts"]
    except (KeyError, ValueError, TypeError):
        version = None
    if type(version) is not int or version < 1:
        raise ValueError(f"{BUNDLE_FILE} does not state a version")
    if version > TEXT_VERSION:
        raise ValueError("the bundle was written by a newer version of Parlour: update Parlour to verify it")
    return version


def is_reworded(
    name: str, files: Files, recomputed: dict[str, str], version: int, table: Standings, results: Results
) -> bool:
    """Return whether a text differs from the recomputed one only in its wording."""
    try:
        given = files[name].decode()
    except (KeyError, UnicodeDecodeError):
        return False
    plan = table.plan
    expected, known = recomputed[name], sentences(table, plan, results)
    match name:
        case "table.txt":
            return same_table(given, expected, known)
        case "page.html":
            if version <= LAST_TEXT_PAGE:
                expected = text_page(table, plan, results, report_link)
            return same_page(given, expected, known, version)
        case "grades.csv":
            return same_grades(given, expected)
        case _:
            return False
