"""Records: writing, parsing, verifying and error messages."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import GameError, InvalidRecord
from engine.record import Program, Record, ending, parse, replay, to_json, verify, write
from engine.record_move import Played
from engine.registry import create
from tests.engine.variants import NAMES, VARIANTS, Variant

WON = "w9,.,b1,./b1,b1,b3,b1/b1,b1,.,./w1,b1,.,. b"  # black wins with c3b4 or c4b4


def played_out(variant: Variant, seed: int, plies: int = 500) -> Record:
    """Return a record of a random game, to its end or for a number of plies."""
    game = create(*variant)
    states, rng = [game.start()], random.Random(seed)
    moves: list[Played] = []
    while (ended := ending(game, states)) is None and len(moves) < plies:
        move = rng.choice(game.moves(states[-1]))
        moves.append(Played(game.format(states[-1], move)))
        states.append(game.play(states[-1], move))
    result, reason = (ended.result, ended.reason) if ended else ("*", "")
    return Record(*variant, result=result, reason=reason, moves=tuple(moves))


@pytest.mark.parametrize("variant", VARIANTS, ids=NAMES)
def test_random_games_round_trip_and_verify(variant: Variant) -> None:
    record = played_out(variant, 3)
    assert parse(write(record)) == record
    verify(record)
    game, states = replay(record)
    assert len(states) == len(record.moves) + 1
    positions = [entry["position"] for entry in to_json(record)["moves"]]
    assert positions == [game.dump(state) for state in states[1:]]


WORDS = st.text(st.characters(exclude_characters='";', exclude_categories=("Z", "C")), min_size=1, max_size=8)
TEXTS = st.text(max_size=30) | st.sampled_from(
    ['"', '"x"', " x", "x ", "a ; b", "; b", "\r", "\n1 black a4b4", "\ud800", "#:"]
)
TIMES = st.none() | st.integers(0, 10**13 - 1)
SEEDS = st.none() | st.integers(-(10**40) + 1, 10**40 - 1)
PLAYED = st.builds(Played, WORDS | st.sampled_from(["a4b4", "d1d2"]), TIMES, TIMES, TIMES, TEXTS)


@given(
    seats=st.tuples(TEXTS, TEXTS), clock=TEXTS, date=TEXTS, reason=TEXTS, seed=SEEDS,
    result=st.sampled_from(["1-0", "0-1", "1/2-1/2", "*"]), moves=st.lists(PLAYED, max_size=5).map(tuple),
    variant=st.sampled_from(VARIANTS),
)  # fmt: skip
@settings(max_examples=300)
def test_arbitrary_records_round_trip(
    seats: tuple[str, str], clock: str, date: str, reason: str, seed: int | None,
    result: str, moves: tuple[Played, ...], variant: Variant,
) -> None:  # fmt: skip
    record = Record(*variant, seats, clock, date, result, reason, seed, moves)
    text = write(record)
    assert parse(text) == record
    assert parse(text.replace("\n", "\r\n")) == record
    assert write(parse(text)) == text


def test_record_is_written_in_the_documented_format() -> None:
    moves = (Played("a4b4", 297_400, 2_600), Played("d1c2", 299_100, 900, 850, "depth 9 value +3"))
    record = Record("conga", {}, ("alice", ' "x" '), "300+3", "2026-11-16T12:00:00Z", "0-1", "resigned", 7, moves)
    assert write(record).splitlines() == [
        "parlour record 1",
        "game: conga",
        "option stones: 10",
        "option max_plies: 400",
        "seat 0: alice",
        'seat 1: " \\"x\\" "',
        "clock: 300+3",
        "date: 2026-11-16T12:00:00Z",
        "result: 0-1",
        "reason: resigned",
        "seed: 7",
        "",
        "1 black a4b4 left=297.400 took=2.600",
        "2 white d1c2 left=299.100 took=0.900 charged=0.850 ; depth 9 value +3",
    ]
    verify(record)


def test_record_needs_only_the_game() -> None:
    record = parse("parlour record 1\ngame: mancala\noption pits: 4\n\n1 player1 1\n\n2 ? 1\n")
    assert record == Record("mancala", {"pits": 4}, moves=(Played("1"), Played("1")))
    assert record.options == {"pits": 4, "stones": 4, "rules": "course"}


@pytest.mark.parametrize("move", ["", " ", "a b", 'a"', "a;", "a\n2", "a\t", "a\u2028b", "\x1b[2J", "\u3000"])
def test_move_must_be_one_word(move: str) -> None:
    with pytest.raises(InvalidRecord, match="a move must be one word"):
        Played(move)


def test_invalid_times_seeds_and_results_are_rejected() -> None:
    for name in ("left", "took", "charged"):
        with pytest.raises(InvalidRecord, match=f"the time {name} must be from 0 to"):
            replace(Played("1"), **{name: -1})  # type: ignore[arg-type]
    with pytest.raises(InvalidRecord, match="a seed must be a whole number of at most 40 digits"):
        Record("conga", seed=10**40)
    with pytest.raises(InvalidRecord, match="a result must be one of"):
        Record("conga", result="2-0")
    with pytest.raises(GameError, match="there is no game 'chess'"):
        Record("chess")


HEAD = "parlour record 1\ngame: conga\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1: expected 'parlour record 1', not ''"),
        ("parlour record 2\n", "line 1: expected 'parlour record 1', not 'parlour record 2'"),
        ("parlour record 1\n", "the game is missing: add a header like 'game: conga'"),
        ("parlour record 1\nseat 0: x\ngame: chess", "line 3: there is no game 'chess'"),
        (HEAD + "player: x", "line 3: expected a header like 'seat 0: alice', not 'player: x'"),
        (HEAD + "nonsense", "line 3: expected a header like 'seat 0: alice', not 'nonsense'"),
        (HEAD + "game: conga", "line 3: header 'game' appears twice"),
        (HEAD + "option stones: 1\noption stones: 1", "line 4: header 'option stones' appears twice"),
        (HEAD + "date: x\noption pits: 3", "line 4: conga has no option 'pits'"),
        (HEAD + "option stones: 16", "line 3: option stones of conga must be a whole number from 1 to 15, not '16'"),
        (HEAD + "date: x\noption start: b w", "line 4: not a position of conga: 'b w' does not have the form"),
        (HEAD + "result: won", "line 3: a result must be one of 1-0 0-1 1/2-1/2 *, not 'won'"),
        (HEAD + "seed: one", "line 3: a seed must be a whole number of at most 40 digits, not 'one'"),
        (HEAD + "seed: " + "1" * 5000, "line 3: a seed must be a whole number of at most 40 digits, not '111"),
        (HEAD + 'seat 0: "x', "line 3: '\"x' begins with a quotation mark but is not a JSON string"),
        (HEAD + 'seat 0: "x" y', "begins with a quotation mark but is not a JSON string"),
        (HEAD + "\n1 black", "line 4: expected move 1 as 'number side move', not '1 black'"),
        (HEAD + "\n2 black a4b4", "line 4: expected move 1 as 'number side move', not '2 black a4b4'"),
        (HEAD + "\n1 black a4b4 fast", "line 4: expected a time like left=297.400 or ' ; ' and a note, not 'fast'"),
        (HEAD + "\n1 black a4b4 left=1", "line 4: a time must be seconds with three decimals like 297.400, not '1'"),
        (HEAD + "\n1 black a4b4 left=.000", "line 4: a time must be seconds with three decimals"),
        (HEAD + "\n1 black a4b4 left=-1.000", "line 4: a time must be seconds with three decimals"),
        (HEAD + f"\n1 black a4b4 left={'1' * 5000}.000", "line 4: a time must be seconds with three decimals"),
        (HEAD + "\n1 black a4b4 left=1.000 left=1.000", "line 4: the time left appears twice"),
        (HEAD + '\n1 black a4"4', "line 4: a move must be one word"),
        (HEAD + "\n1 white a4b4", "line 4: ply 1 is for black to play, not 'white'"),
        (HEAD + "\n1 black a4b4\n\n2 black d1d2", "line 6: ply 2 is for white to play, not 'black'"),
    ],
)
def test_invalid_records_are_rejected_with_the_line_number(text: str, why: str) -> None:
    with pytest.raises(InvalidRecord) as caught:
        parse(text)
    assert why in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("moves", "result", "reason", "why"),
    [
        (["a4a4"], "*", "", "ply 1: 'a4a4' is not a move of conga: expected the square that the stones leave"),
        (["a4b4", "d1d2", "a4b4"], "*", "", "ply 3: a4b4 is not legal here; legal: b4a3"),
        (["a4b4"], "1-0", "no_moves", "ply 1: the game is not over by the rules, but the record says 1-0 'no_moves'"),
        (
            ["a4b4"],
            "1/2-1/2",
            "repetition",
            "ply 1: the game is not over by the rules, but the record says 1/2-1/2 'repetition'",
        ),
        (["a4b4"], "1-0", "", "the record says 1-0 without a reason"),
        (["a4b4"], "*", "ply_limit", "ply 1: the game is not over by the rules, but the record says * 'ply_limit'"),
    ],
)
def test_verify_names_the_first_wrong_ply(moves: list[str], result: str, reason: str, why: str) -> None:
    record = Record("conga", result=result, reason=reason, moves=tuple(map(Played, moves)))
    with pytest.raises(InvalidRecord) as caught:
        verify(record)
    assert why in str(caught.value)
    assert parse(write(record)) == record


def test_verify_checks_results_decided_by_the_rules() -> None:
    record = Record("conga", {"start": WON}, result="1-0", reason="no_moves", moves=(Played("c3b4"),))
    verify(record)
    for wrong in ({"result": "0-1"}, {"reason": "resigned"}, {"result": "*", "reason": ""}):
        with pytest.raises(InvalidRecord, match="ply 1: the game ended 1-0 'no_moves', but the record says"):
            verify(replace(record, **wrong))  # type: ignore[arg-type]
    longer = replace(record, moves=(*record.moves, Played("a4a3")))
    with pytest.raises(InvalidRecord, match=r"ply 2: the game was already over \(1-0 no_moves\)"):
        verify(longer)
    with pytest.raises(InvalidRecord, match="ply 2: the game was already over"):
        replay(longer)
    assert write(longer).endswith("1 black c3b4\n2 white a4a3\n")


def test_verify_accepts_results_not_decided_by_the_rules() -> None:
    verify(Record("conga", result="1/2-1/2", reason="agreed", moves=(Played("a4b4"),)))
    verify(Record("cohcoh", result="0-1", reason="time"))
    verify(Record("cohcoh"))
    verify(Record("cohcoh", reason="aborted"))


def test_programs_round_trip_and_older_records_have_none() -> None:
    record = Record("conga", seats=("alice", "deep"), bots=(None, Program("deep thought", "2.0")))
    text = write(record)
    assert "\nseat 1: deep\nbot 1: yes\nengine 1: deep thought\nversion 1: 2.0\nclock" in text
    assert parse(text) == record
    assert to_json(record)["bots"] == [None, {"engine": "deep thought", "version": "2.0"}]
    unnamed = replace(record, bots=(Program(), None))
    assert parse(write(unnamed)) == unnamed
    older = "\n".join(line for line in text.split("\n") if not line.startswith(("bot", "engine", "version")))
    assert parse(older) == replace(record, bots=(None, None))
    verify(parse(older))


def test_bot_header_has_one_value() -> None:
    text = write(Record("conga", bots=(Program(), None))).replace("bot 0: yes", "bot 0: maybe")
    with pytest.raises(InvalidRecord, match="'bot 0' must be 'yes' or absent, not 'maybe'"):
        parse(text)
