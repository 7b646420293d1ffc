"""Plan files: reading, writing, and the errors for wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.tournament.model import plan_file
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Contestant, Goal, Plan, Sprt
from engine.registry import create
from parlour.cli.main import main
from tests.tournament.plans import plan

TWO = '[[player]]\nbot = "greedy"\n[[player]]\nbot = "random"\n'

GOOD = f'game = "mancala"\n{TWO}'

GRADING = f'format = "grading"\n{GOOD}student = true\n[[goal]]\n'


def load(tmp_path: Path, text: str) -> Plan:
    file = tmp_path / "plan.toml"
    file.write_text(text, encoding="utf-8")
    return plan_file.load(file)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("game = ", "is not valid TOML: Invalid value"),
        (TWO, "game is missing: it should be one of conga, mancala"),
        (GOOD.replace("mancala", "chess"), "there is no game 'chess'"),
        ('format = "siwss"\n' + GOOD, "format should be one of round-robin, gauntlet, swiss"),
        ('formt = "swiss"\n' + GOOD, "unknown key 'formt'; did you mean format?"),
        ("rounds = -1\n" + GOOD, "rounds should be a whole number from 0 to 1000, not '-1'"),
        ("rounds = true\n" + GOOD, "rounds should be a whole number"),
        ("wait = nan\n" + GOOD, "wait should be a number between 0 and 1e+06, not 'nan'"),
        ("rated = 1\n" + GOOD, "rated should be true or false, not '1'"),
        ('clock = " "\n' + GOOD, "clock should be text that is not empty"),
        ("zzzz = 1\n" + GOOD, "unknown key 'zzzz'; known keys: name, game, format"),
        ("games = 3\n" + GOOD, "games should be an even number, not 3"),
        ("rated = true\n" + GOOD, "rated games need a clock: set clock"),
        ("rated = true\nopening_plies = 4\n" + GOOD, "set opening_plies to 0 or rated to false"),
        ('clock = "5 minutes"\n' + GOOD, "'5 minutes' is not a valid clock"),
        ("options = 5\n" + GOOD, "options should be a table, as in [options]"),
        (GOOD + "[options]\npots = 6\n", "mancala has no option 'pots'"),
        ('game = "mancala"\nplayer = "ann"\n', "player should be tables, each starting with [[player]]"),
        ('game = "mancala"\n[[player]]\nbot = "greedy"\n', "a tournament needs at least two players, not 1"),
        (GOOD + '[[player]]\nname = "Greedy"\n', "two players are called Greedy: rename one of them (--bot NAME=BOT)"),
        (GOOD + '[[player]]\nname = "x\\u0007"\n', "a player's name should have 1 to 32 printable characters"),
        (GOOD + '[[player]]\nname = "x"\nbot = "greedy"\nexec = "./x"\n', "player 3: give either bot or exec"),
        (GOOD + '[[player]]\nexec = "./x"\n', "player 3: name is missing"),
        (
            GOOD + '[[player]]\nname = "x"\nexec = "./x"\nadapter = "conga"\n',
            "adapter conga of x does not play mancala",
        ),
        (GOOD + '[[player]]\nname = "x"\nbto = "greedy"\n', "player 3: unknown key 'bto'; did you mean bot?"),
        (GOOD + "[sprt]\nelo0 = 5\n", "sprt needs format = 'match' (--format match)"),
        ('format = "match"\n' + GOOD + "[sprt]\nelo0 = 50\nelo1 = 10\n", "elo0 should be less than elo1"),
        (GOOD + '[[player]]\nbot = "greedy"\nname = "x"\nprotocol = "ugi"\n', "protocol of x needs exec"),
        (GOOD + '[[player]]\nexec = "./x"\nname = "x"\nprotocol = "uci"\n', "protocol"),
        ('openings = ["nonsense"]\n' + GOOD, "nonsense"),
        (
            'opening_plies = 2\nopenings = ["4,4,4,4,4,4/4,4,4,4,4,4 0,0 1"]\n' + GOOD,
            "either openings or opening_plies",
        ),
        ("openings = 5\n" + GOOD, "openings should be random, balanced, the name of a file, or a list of at most"),
        ("openings = [5]\n" + GOOD, "openings should be random, balanced"),
        ('openings = "balance"\n' + GOOD, "there is no file"),
        ('openings = "balanced"\nopening_plies = 0\n' + GOOD, "balanced openings have moves: set opening_plies"),
        ('openings = "balanced"\nrated = true\nclock = "5+3"\n' + GOOD, "remove openings or set rated to false"),
        ('format = "match"\n' + GOOD + "[sprt]\nalpha = 0.7\n", "alpha should be a number between 0 and 0.5"),
        ('format = "match"\n' + GOOD + '[[player]]\nbot = "search@2"\n', "a match has two players, not 3"),
        ('format = "knockout"\nrounds = 2\n' + GOOD, "rounds cannot be used with format = 'knockout'"),
        ('format = "grading"\n' + GOOD, "grading needs goals, and players with student = true"),
        (GOOD + '[[goal]]\nbeats = "greedy"\n', "goals need format = 'grading'"),
        ('format = "grading"\n' + GOOD + "[[goal]]\n", "goal 1: a goal has exactly one of beats, points"),
        (
            'format = "grading"\n' + GOOD + "student = true\n[[goal]]\nbeats = 'zoe'\n",
            "'zoe' should be the name of a player who is not",
        ),
        (GRADING + "solves = 'x'\n", "goal 1: solves should be a list of texts, not 'x'"),
        (GRADING + "solves = ['x', 5]\n", "goal 1: solves should be a list of texts"),
        (GRADING + "solves = ['x']\nneeded = 2\n", "goal 1: needed should be a whole number from 1 to 1, not '2'"),
        (
            GRADING + "points = 3\nagainst = 'greedy'\n",
            "goal 1: games is missing: it should be a whole number from 2 to",
        ),
        (GRADING + "points = 3\ngames = 2\n", "goal 1: against is missing: it should be the name of a player"),
        (GRADING + "points = 3\nagainst = 'greedy'\ngames = 2\n", "points should be a number from 0 to 2, not '3.0'"),
        (GRADING + "forfeits = 3\nagainst = 'greedy'\ngames = 2\n", "forfeits should be a whole number from 0 to 2"),
        (GRADING + "points = 1\nneeded = 1\n", "goal 1: unknown key 'needed'"),
        (
            'format = "grading"\n' + GOOD + "student = true\n[[goal]]\nsolves = ['nonsense']\n",
            "'nonsense' is not two rows of 6 pits",
        ),
    ],
)
def test_wrong_plan_is_reported_with_file_and_key(
    text: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(TournamentError) as caught:
        load(tmp_path, text)
    assert sentence in str(caught.value)
    assert str(tmp_path / "plan.toml") in str(caught.value)
    assert main(["tournament", "new", str(tmp_path / "cup"), "--plan", str(tmp_path / "plan.toml")]) == 2
    output = capsys.readouterr().err
    assert output.startswith("parlour: ")
    assert output.count("\n") == 1
    assert not (tmp_path / "cup").exists()


def test_written_plan_reads_back_equal(tmp_path: Path) -> None:
    players = (
        Contestant("Änn \x27x\x27", bot="search@3", seconds=0.5),
        Contestant("bob", exec="python3 'a b.py' \\x", workdir="/somewhere", adapter="mancala", student=True),
        Contestant("eve", token="EVE_TOKEN", at_a_time=2, student=True),
        Contestant("uma", exec="./engine", workdir="/somewhere", protocol="ugi"),
    )
    goals = (
        Goal("beats", "beats it", "Änn 'x'", 60, Sprt(0, 80, 0.01, 0.02)),
        Goal("points", "points", "Änn 'x'", 20, points=7.5),
        Goal("forfeits", "well-behaved", "Änn 'x'", 50, forfeits=1),
    )
    given = plan("grading", game="mancala", players=players, goals=goals, clock="90s+1", seed=99, options={"pits": 4})
    assert load(tmp_path, plan_file.write(given)) == given
    match = plan("match", "a", "b", sprt=Sprt(-5, 5), rated=True, clock="5+3", adjudicate=5000, url="ws://x.example/ws")
    assert load(tmp_path, plan_file.write(match)) == match
    fixed = plan("match", "a", "b", game="cohcoh", openings=(create("cohcoh").start_position,), same_openings=True)
    assert load(tmp_path, plan_file.write(fixed)) == fixed
    balanced = plan("match", "a", "b", balanced=True)
    assert 'openings = "balanced"\n' in plan_file.write(balanced)
    assert load(tmp_path, plan_file.write(balanced)) == balanced


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    text = GOOD + '[[player]]\nbot = "bots/mine.py:Best"\n[[player]]\nname = "x"\nexec = "./x"\n'
    found = load(tmp_path, text).players
    assert (found[2].name, found[2].bot) == ("mine", f"{tmp_path}/bots/mine.py:Best")
    assert found[3].workdir == str(tmp_path)


def test_openings_of_a_file_are_read_only_from_a_plan_of_the_user(tmp_path: Path) -> None:
    folder = tmp_path / "plans"
    folder.mkdir()
    (folder / "openings.txt").write_text("1 2\n")
    text = 'openings = "openings.txt"\n' + GOOD
    found = load(folder, text)
    assert len(found.openings) == 1
    assert plan_file.read_text(plan_file.write(found), folder / "plan.toml") == found
    with pytest.raises(TournamentError, match="should be random, balanced or a list of texts: a plan in the folder"):
        plan_file.read_text(text, folder / "plan.toml")
