"""Plans: from files and flags, and what is said about wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.tournament.formats.openings import opening
from client.tournament.journal.folder import Folder
from client.tournament.model import plan_file
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Contestant, Goal, Plan, Sprt
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
        ("rated = true\nopening_plies = 4\n" + GOOD, "set opening_plies to 0 or rated to false"),
        ('clock = "5 minutes"\n' + GOOD, "'5 minutes' is not a valid clock"),
        ("options = 5\n" + GOOD, "options should be a table, as in [options]"),
        (GOOD + "[options]\npots = 6\n", "mancala has no option 'pots'"),
        ('game = "mancala"\nplayer = "ann"\n', "player should be tables, each starting with [[player]]"),
        ('game = "mancala"\n[[player]]\nbot = "greedy"\n', "a tournament needs at least two players, not 1"),
        (GOOD + '[[player]]\nname = "Greedy"\n', "two players are called Greedy: rename one of them"),
        (GOOD + '[[player]]\nname = "x\\u0007"\n', "a player's name should have 1 to 32 printable characters"),
        (GOOD + '[[player]]\nname = "x"\nbot = "greedy"\nexec = "./x"\n', "player 3: give either bot or exec"),
        (GOOD + '[[player]]\nexec = "./x"\n', "player 3: name is missing"),
        (
            GOOD + '[[player]]\nname = "x"\nexec = "./x"\nadapter = "conga"\n',
            "adapter conga of x does not play mancala",
        ),
        (GOOD + '[[player]]\nname = "x"\nbto = "greedy"\n', "player 3: unknown key 'bto'; did you mean bot?"),
        (GOOD + "[sprt]\nelo0 = 5\n", "sprt needs format = 'match'"),
        ('format = "match"\n' + GOOD + "[sprt]\nelo0 = 50\nelo1 = 10\n", "elo0 should be less than elo1"),
        ('format = "match"\n' + GOOD + "[sprt]\nalpha = 0.7\n", "alpha should be a number between 0 and 0.5"),
        ('format = "match"\n' + GOOD + '[[player]]\nbot = "search@2"\n', "a match has two players, not 3"),
        ('format = "knockout"\nrounds = 2\n' + GOOD, "rounds does not go with format = 'knockout'"),
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
def test_what_is_wrong_is_said_with_its_file_and_key(
    text: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(TournamentError) as caught:
        load(tmp_path, text)
    assert sentence in str(caught.value)
    assert str(tmp_path / "plan.toml") in str(caught.value)
    assert main(["tournament", "new", str(tmp_path / "cup"), "--plan", str(tmp_path / "plan.toml")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("parlour: ")
    assert said.count("\n") == 1
    assert not (tmp_path / "cup").exists()


def test_a_plan_is_written_as_it_is_read(tmp_path: Path) -> None:
    players = (
        Contestant("Änn \x27x\x27", bot="search@3", seconds=0.5),
        Contestant("bob", exec="python3 'a b.py' \\x", workdir="/somewhere", adapter="mancala", student=True),
        Contestant("eve", token="EVE_TOKEN", at_a_time=2, student=True),
    )
    goals = (
        Goal("beats", "beats it", "Änn 'x'", 60, Sprt(0, 80, 0.01, 0.02)),
        Goal("points", "points", "Änn 'x'", 20, points=7.5),
        Goal("forfeits", "well-behaved", "Änn 'x'", 50, forfeits=1),
    )
    given = plan("grading", game="mancala", players=players, goals=goals, clock="90s+1", seed=99, options={"pits": 4})
    assert load(tmp_path, plan_file.write(given)) == given
    match = plan("match", "a", "b", sprt=Sprt(-5, 5), rated=True, adjudicate=5000, url="ws://x.example/ws")
    assert load(tmp_path, plan_file.write(match)) == match


def test_paths_are_those_of_the_file(tmp_path: Path) -> None:
    text = GOOD + '[[player]]\nbot = "bots/mine.py:Best"\n[[player]]\nname = "x"\nexec = "./x"\n'
    found = load(tmp_path, text).players
    assert (found[2].name, found[2].bot) == ("mine", f"{tmp_path}/bots/mine.py:Best")
    assert found[3].workdir == str(tmp_path)


def test_flags_make_plans_and_mistakes_cost_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "cup")
    words = ["--game", "conga", "--format", "match", "--bot", "a=greedy", "--bot", "b=random", "--sprt", "0,50"]
    assert main(["tournament", "new", folder, *words, "--opening-plies", "4", "--option", "stones=9"]) == 0
    found = Folder(Path(folder)).plan()
    assert (found.names, found.sprt, found.games, found.options["stones"]) == (("a", "b"), Sprt(0, 50), 1000, 9)
    assert main(["tournament", "status", folder]) == 0
    assert "0 of 16 games, more to follow, not started" in capsys.readouterr().out
    for wrong in (
        ["new", folder, *words],
        ["run", folder, "--game", "conga"],
        ["new", f"{folder}2", "--game", "conga", "--bot", "unknown", "--bot", "greedy"],
        ["new", f"{folder}2", "--game", "conga", "--bot", "missing.py", "--bot", "greedy"],
        ["new", f"{folder}2", "--game", "conga", "--bot", "alphabeta:2:windows", "--bot", "greedy"],
        ["new", f"{folder}2", "--bot", "greedy"],
        ["new", f"{folder}2", *words, "--sprt", "50,0"],
        ["new", f"{folder}2", *words, "--exec", "noname"],
        ["new", f"{folder}2", *words, "--seed", "-5"],
        ["new", f"{folder}2", *words, "--games", "1000000"],
        ["new", f"{folder}2", *words, "--concurrency", "0"],
        [
            "new",
            f"{folder}2",
            *words[:2],
            "--bot",
            "a=greedy",
            "--bot",
            "b=random",
            "--games",
            "90000",
            "--rounds",
            "99",
        ],
        ["new", f"{folder}2", "--plan", str(tmp_path / "missing.toml")],
        ["table", str(tmp_path / "nothing")],
        ["resume", str(tmp_path / "nothing")],
        ["fly", folder],
        [],
    ):
        assert main(["tournament", *wrong]) == 2, wrong
        said = capsys.readouterr()
        assert (said.out, said.err.count("\n"), said.err.startswith("parlour: ")) == ("", 1, True)
    assert not Path(f"{folder}2").exists()


def test_who_has_given_flags_is_told_of_flags(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tournament", "run", str(tmp_path / "q"), "--game", "mancala", "--bot", "greedy"]) == 2
    assert "not 1: add --bot, --exec or --connects" in capsys.readouterr().err


def test_a_plan_does_not_change_once_it_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan("round-robin", "a", "b"))
    begun = '{"type":"tournament","version":1,"plan":"something else"}\n'
    folder.log_file.write_text(begun)
    assert main(["tournament", "table", str(folder.path)]) == 0, "nothing was played: it may be put right"
    capsys.readouterr()
    folder.log_file.write_text(begun + '{"type":"created","game":1,"room":"r1"}\n')
    assert main(["tournament", "table", str(folder.path)]) == 2
    assert "was changed after the tournament had begun" in capsys.readouterr().err


@pytest.mark.parametrize("game", ["conga", "mancala", "maxconnect4", "cohcoh"])  # not every game lasts that long
def test_openings_are_repeatable_and_not_over(game: str) -> None:
    given = plan("round-robin", "a", "b", game=game, opening_plies=5, seed=3)
    found = [opening(given, number) for number in range(1, 13)]
    assert found == [opening(given, number) for number in range(1, 13)]
    assert len(set(found)) == 12, "none comes twice while there are others"
    assert all(given.create(position).moves(given.create(position).start()) for position in found)
    assert opening(plan("round-robin", "a", "b", game=game, opening_plies=0), 1) == ""
    assert opening(plan("round-robin", "a", "b", game="cohcoh", options={"n": 2, "k": 2}, opening_plies=9), 1) == ""
    tiny = plan("round-robin", "a", "b", game="cohcoh", options={"n": 2, "k": 2}, opening_plies=1)
    assert {opening(tiny, number) for number in range(1, 9)} == {opening(tiny, number) for number in range(1, 5)}
