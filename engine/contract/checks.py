"""The checks of a game with fixed options. Each raises ContractError with a sentence about the first mistake.

A check gets the game and positions of random games. Positions that a check does not need all are taken in steps.
"""

from __future__ import annotations

import json
import pickle
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, get_args

from engine.contract.exact import ExactSolver, solve_random_game
from engine.contract.positions import MAX_PLIES, walk
from engine.contract.sentences import ContractError, expect
from engine.errors import GameError, IllegalMove, InvalidNotation
from engine.game import REASONS, Game, Move, Reason, State

MOVE_TEXT = re.compile(r'[^\s";]{1,16}')
MAX_ANY_MOVES = 10_000
MOVE_LIMIT = 255  # the transposition table stores a move in eight bits, and 255 stands for none
ENDLESS_PLIES = 2000
EXACT_GAMES = 2
NO_MOVES = ("", " ", "?", "１", "a4b3 a4b3", "x" * 10_000, "\x00", "9" * 5000, "no move")
ILLEGAL = (10**6, -1, 2**70)
ILLEGAL_STEP, MAX_ILLEGAL = 7, 12  # positions between two that are looked at, and moves that are tried in each
PATH_STEP = 3  # paths are computed from boards, which takes long


class Check(NamedTuple):
    """A check: its name in reports, and the number of random games it looks at."""

    name: str
    run: Callable[[Game, Sequence[State]], None]
    games: int = 1


def words_and_move_lists_fit(game: Game, states: Sequence[State], plies: int = MAX_PLIES) -> None:
    """Check WIDTH and MAX_MOVES. Plays by itself, because too short a list breaks everything else."""
    rng, out = random.Random(1), [0] * MAX_ANY_MOVES
    state, most, width = game.start(), game.rules.MAX_MOVES, game.rules.WIDTH
    expect(most <= MOVE_LIMIT, f"MAX_MOVES is {most}: the search supports moves below {MOVE_LIMIT}")
    for _ in range(plies):
        count = game.rules.gen(state.mine, state.rest, out, 0)
        wrong = [move for move in out[:count] if not 0 <= move < most]
        wide = max(state.mine, state.rest).bit_length()
        if count > most or wrong or wide > width or min(state.mine, state.rest) < 0:
            place = repr(game.dump(state))
            expect(count <= most, f"gen() writes {count} moves in {place}: prepare() must give a larger MAX_MOVES")
            expect(not wrong, f"gen() writes {wrong[:1]} in {place}: a move must be below MAX_MOVES, which is {most}")
            expect(wide <= width, f"a word has {wide} bits in {place}: prepare() must give a larger WIDTH than {width}")
            raise ContractError(f"a word is negative in {place}")
        if count == 0:
            return
        state = game.after(state, rng.choice(out[:count]))


def moves_are_sorted(game: Game, states: Sequence[State]) -> None:
    for state in states:
        moves = game.moves(state)
        expect(
            list(moves) == sorted(set(moves)),
            f"gen() must write every move once and in rising order, but writes {listed(moves)} in {game.dump(state)!r}",
        )
        over = game.outcome(state) is not None
        expect(
            (moves == ()) == over,
            f"over() says that {game.dump(state)!r} is {'' if over else 'not '}over, but gen() writes {len(moves)} "
            "moves: there must be none if and only if the game is over",
        )


def states_are_values(game: Game, states: Sequence[State]) -> None:
    for state in states:
        copy, moves, place = State(*state), game.moves(state), repr(game.dump(state))
        expect(game.turn(state) == state.turn in (0, 1), f"the turn of {place} is neither 0 nor 1")
        for move in moves:
            first, second = game.play(state, move), game.after(state, move)
            if first != second:
                raise ContractError(f"play() of {game.format(state, move)} gives two different results in {place}")
            wrong = [word for word in (first.mine, first.rest) if type(word) is not int or word < 0]
            if wrong:
                raise ContractError(f"play() of {game.format(state, move)} returns {wrong[0]!r}, not an int >= 0")
        expect(
            game.moves(state) == moves and state == copy and hash(state) == hash(copy),
            f"play() changes the position that it is given, {place}: it must change nothing outside, and the rules "
            "must keep nothing between calls",
        )


def positions_round_trip(game: Game, states: Sequence[State]) -> None:
    for state in states:
        text = game.dump(state)
        expect(text.isascii() and text.isprintable(), f"dump() gives {text!r}: a position is printable ASCII text")
        for given in (text, f"  {text}\n"):
            loaded = load_own(game, given)
            expect(
                loaded == state,
                f"load() must be the inverse of dump(), but of {given!r} it makes "
                + (f"{game.dump(loaded)!r}" if game.dump(loaded) != text else "a state with other words"),
            )
        again = type(game)({**game.spec.options, "start": text})
        expect(
            again.dump(again.start()) == text,
            f"the option start={text!r} must give that position, but gives {again.dump(again.start())!r}",
        )


def load_own(game: Game, text: str) -> State:
    try:
        return game.load(text)
    except GameError as error:
        raise ContractError(f"load() refuses {text!r}, which dump() has written: {error}") from error


def bad_positions_are_refused(game: Game, states: Sequence[State]) -> None:
    """Check that damaged positions are refused with a GameError, or loaded as something that dump() writes again."""
    text, rng = game.dump(states[len(states) // 2]), random.Random(5)
    damaged = ["", " ", "x", text + "x", text[1:], text[:-1], text + " " + text, text * 20, "9" * 5000, "\x00"]
    damaged += [text[:at] + rng.choice("0123x./ ,-wb") + text[at + 1 :] for at in range(min(len(text), 80))]
    for one in damaged:
        try:
            state = game.load(one)
        except GameError:
            continue
        except Exception as error:
            kind = type(error).__name__
            raise ContractError(
                f"load() of {one[:60]!r} raises {kind}: it must raise self.wrong_form(text) or self.bad_position(why) "
                "for every text that is not a position"
            ) from error
        expect(
            load_own(game, game.dump(state)) == state, f"load() accepts {one[:60]!r}, but dump() does not restore it"
        )


def text_after_a_move(game: Game, states: Sequence[State]) -> None:
    for state in states:
        before = game.dump(state)
        for move in game.moves(state):
            after = game.after(state, move)
            quick, slow = game.dump_after(before, state, move, after), game.dump(after)
            expect(quick == slow, f"dump_after() gives {quick!r} where dump() gives {slow!r}")


def moves_round_trip(game: Game, states: Sequence[State]) -> None:
    for state in states:
        moves = game.moves(state)
        texts = [game.format(state, move) for move in moves]
        place = repr(game.dump(state))
        for text, times in Counter(texts).items():
            expect(times == 1, f"format() gives {text!r} for {times} different moves in {place}")
            expect(
                MOVE_TEXT.fullmatch(text) is not None and text.isascii(),
                f"format() gives {text!r} in {place}: a move is one word of up to 16 ASCII characters, without "
                "quotation marks and semicolons",
            )
        for text, move in zip(texts, moves, strict=True):
            got = parse_own(game, state, text)
            expect(
                got == move,
                f"read() must be the inverse of format(), but of {text!r} in {place} it makes {got}, not {move}",
            )
        expect(sorted(game.legal(state)) == sorted(texts), f"legal() differs from format() in {place}")


def parse_own(game: Game, state: State, text: str) -> Move:
    try:
        return game.parse(state, text)
    except GameError as error:
        raise ContractError(
            f"read() refuses {text!r}, which format() has written in {game.dump(state)!r}: {error}"
        ) from error


def advance_plays_a_move(game: Game, states: Sequence[State]) -> None:
    for state in states:
        for move in game.moves(state):
            after, text = game.after(state, move), game.format(state, move)
            outcome = game.outcome(after)
            if game.advance(state, f" {text} ") != (move, after, outcome is not None):
                raise ContractError(f"advance() and play() differ for {text} in {game.dump(state)!r}")
            if not game.judge(after, 0, 1, outcome is not None) == game.judge(after, 0, 1) == outcome:
                raise ContractError(f"judge() and outcome() differ after {text} in {game.dump(state)!r}")


def wrong_moves_are_refused(game: Game, states: Sequence[State]) -> None:
    """Check that texts of the wrong form and moves that are not legal are two different errors."""
    start = game.start()
    for text in NO_MOVES:
        try:
            game.parse(start, text)
        except InvalidNotation as error:
            expect(
                re.search(r"is not a move of \w+: expected ", str(error)) is not None,
                f"read() must raise self.invalid(text), not {str(error)[:80]!r}",
            )
            continue
        except Exception as error:
            raise ContractError(
                f"read() of {text[:20]!r} raises {type(error).__name__}: it must raise self.invalid(text) for every "
                "text that does not have the form of a move"
            ) from error
        raise ContractError(f"read() accepts {text[:20]!r} as a move: it must raise self.invalid(text)")
    for move in ILLEGAL:
        expect_illegal(game, start, move, str(move))
    for state in states[::ILLEGAL_STEP]:
        legal = set(game.moves(state))
        if not legal:
            continue
        others = [move for move in range(min(game.rules.MAX_MOVES, MOVE_LIMIT)) if move not in legal]
        for move in others[:: max(1, len(others) // MAX_ILLEGAL)]:
            expect_illegal(game, state, move, f"move {move}")
            if game.allowed(state, move):
                place = repr(game.dump(state))
                raise ContractError(f"allowed() says that move {move} is legal in {place}, but gen() does not write it")
        expect(
            all(game.allowed(state, move) for move in legal),
            f"allowed() refuses a move that gen() writes in {game.dump(state)!r}",
        )


def expect_illegal(game: Game, state: State, move: Move, what: str) -> None:
    try:
        game.play(state, move)
    except IllegalMove:
        return
    except Exception as error:
        raise ContractError(
            f"play() of the illegal {what} raises {type(error).__name__} in {game.dump(state)!r}, not IllegalMove"
        ) from error
    raise ContractError(f"play() accepts the illegal {what} in {game.dump(state)!r}: it must raise IllegalMove")


def outcome_names_the_winner(game: Game, states: Sequence[State]) -> None:
    for seed in range(2):
        *_, last = walk(game, seed, ENDLESS_PLIES)
        outcome, place = game.outcome(last), repr(game.dump(last))
        expect(outcome == game.outcome(last), f"outcome() of {place} changes from call to call")
        if outcome is None:
            expect(
                game.spec.max_plies is not None,
                f"a random game is not over after {ENDLESS_PLIES} plies: describe() must give a Spec with max_plies",
            )
            continue
        expect(outcome.reason in REASONS, f"reason() gives {outcome.reason!r}: use one of {listed(get_args(Reason))}")
        if outcome.scores is not None:
            margin = outcome.scores[0] - outcome.scores[1]
            winner = None if margin == 0 else 0 if margin > 0 else 1
            expect(
                outcome.winner == winner, f"points() of {place} are {outcome.scores}, but score() has another winner"
            )
        try:
            game.play(last, 0)
        except IllegalMove as error:
            expect(error.legal == (), f"{place} is over, but there are legal moves")
            expect("the game is over" in str(error), f"play() in {place} does not say that the game is over")
            continue
        raise ContractError(f"play() accepts a move in {place}, which is over")


def every_position_can_be_drawn(game: Game, states: Sequence[State]) -> None:
    for state in states:
        board = game.draw(state)
        drawn = f"{len(board.rows)} rows of {listed(sorted({len(row) for row in board.rows}))} cells"
        spec = f"the Spec has {game.spec.rows} rows and {game.spec.columns} columns"
        expect(
            all(len(row) == game.spec.columns == len(board.files) for row in board.rows)
            and len(board.rows) == len(board.ranks) == game.spec.rows,
            f"draw() gives {drawn}, {len(board.files)} files and {len(board.ranks)} ranks, but {spec}",
        )
        names = Counter(cell.name for cell in board.cells())
        twice = [name for name, times in names.items() if times > 1]
        expect(not twice, f"draw() gives several cells the name {twice[:1]}: every cell needs a name of its own")
        expect(all(name.isprintable() and name.strip() for name in names), "draw() gives a cell a name without letters")
        wrong = [cell for cell in board.cells() if cell.owner not in (None, 0, 1) or cell.count < 0]
        expect(not wrong, f"draw() gives {wrong[:1]}: an owner is 0, 1 or None, and a count is not negative")
        empty = [cell.name for cell in board.cells() if cell.owner is not None and cell.count < 1 and not board.counted]
        expect(not empty, f"draw() gives {empty[:1]} an owner and the count 0: browsers draw no piece there")
        lines = board.text().splitlines()
        expect(len(lines) == game.spec.rows + 1, f"draw() of {game.dump(state)!r} gives labels with several lines")


def every_move_has_a_path(game: Game, states: Sequence[State]) -> None:
    for state in states[::PATH_STEP]:
        names = {cell.name for cell in game.draw(state).cells()}
        moves = {game.format(state, move): game.path(state, move) for move in game.moves(state)}
        times = Counter(moves.values())
        for text, path in moves.items():
            place = repr(game.dump(state))
            expect(bool(path), f"path() of {text} is empty in {place}: the game must define path()")
            expect(names.issuperset(path), f"path() of {text} is {path} in {place}, but draw() has no such cells")
            expect(times[path] == 1, f"path() of {text} is {path}, and that of another move too, in {place}")
        ends = {game.end_of(state, move) for move in game.moves(state)}
        expect(names.issuperset(ends), f"end_of() gives a cell that draw() does not have, in {game.dump(state)!r}")


def deciding_cells_exist(game: Game, states: Sequence[State]) -> None:
    for state in states:
        names = {cell.name for cell in game.draw(state).cells()}
        unknown = [name for name in game.decisive(state) if name not in names]
        expect(not unknown, f"deciding() gives {unknown[:1]} in {game.dump(state)!r}, but draw() has no such cell")


def evaluations_are_ints(game: Game, states: Sequence[State]) -> None:
    for state in states:
        for name in game.evaluations:
            values = [game.evaluate(name, state, side) for side in (0, 1)]
            expect(
                [type(value) for value in values] == [int, int],
                f"the evaluation {name!r} gives {values} in {game.dump(state)!r}, not ints",
            )


def search_functions_return_valid_values(game: Game, states: Sequence[State]) -> None:
    cyclic, repetition = bool(game.rules.CYCLIC), game.spec.repetition is not None
    expect(cyclic == repetition, f"CYCLIC is {cyclic}, but the Spec has repetition={game.spec.repetition}")
    for state in states:
        words, place = (state.mine, state.rest), repr(game.dump(state))
        first, second, _ = game.rules.key(*words)
        expect(min(first, second) >= 0, f"key() gives a negative number in {place}")
        if game.outcome(state) is None:
            low, high = game.rules.bounds(*words)
            expect(low <= high, f"bounds() gives {low} and {high} in {place}: the lower one comes first")
        moves, out = game.moves(state), [0] * game.rules.MAX_MOVES
        worth = out[: game.rules.candidates(*words, out, 0)]
        expect(set(worth) <= set(moves), f"candidates() has a move that gen() does not write in {place}")
        expect(len(set(worth)) == len(worth), f"candidates() writes a move twice in {place}")
        expect(bool(worth) == bool(moves), f"candidates() writes no move in {place}")
        numbers = {"base": game.rules.base(*words), "guess": game.rules.guess(*words)}
        numbers |= {f"tactics of move {move}": game.rules.tactics(*words, move) for move in moves}
        for name, number in numbers.items():
            expect(type(number) is int, f"{name} is {number!r} in {place}, not an int")


def bounds_and_candidates_are_exact(game: Game, states: Sequence[State]) -> None:
    for exact, ends in endings(game):
        for state in ends:
            value = exact.value(state)
            low, high = game.rules.bounds(state.mine, state.rest)
            expect(
                low <= value <= high, f"bounds() of {game.dump(state)!r} are {low} and {high}, but its value is {value}"
            )
            moves = exact.moves(state)
            if moves:
                out = [0] * game.rules.MAX_MOVES
                worth = out[: game.rules.candidates(state.mine, state.rest, out, 0)]
                expect(
                    max(moves[move] for move in worth) == value,
                    f"candidates() of {game.dump(state)!r} has no best move",
                )


def equal_keys_have_equal_values(game: Game, states: Sequence[State]) -> None:
    known: dict[tuple[int, int], tuple[State, int]] = {}
    alike: dict[tuple[int, int], tuple[State, dict[Move, int]]] = {}
    for exact, _ in endings(game):
        for state in exact.known:
            first, second, own = game.rules.key(state.mine, state.rest)
            base = game.rules.base(state.mine, state.rest)
            value = exact.value(state) - base
            other, future = known.setdefault((first, second), (state, value))
            if value != future:
                shared = equal_keys(game, state, other)
                raise ContractError(f"{shared}, but their values without base() are {value} and {future}")
            if own:
                moves = {move: worth - base for move, worth in exact.moves(state).items()}
                other, same = alike.setdefault((first, second), (state, moves))
                if moves != same:
                    shared = equal_keys(game, state, other)
                    raise ContractError(
                        f"{shared}, but their moves have different values: key() must return False there"
                    )


def equal_keys(game: Game, first: State, second: State) -> str:
    return f"{game.dump(first)!r} and {game.dump(second)!r} have equal keys"


def endings(game: Game) -> Iterator[tuple[ExactSolver, list[State]]]:
    """Yield solvers and late positions. Yields none if the values depend on earlier moves."""
    if game.spec.max_plies is None:
        for seed in range(EXACT_GAMES):
            yield solve_random_game(game, seed)


def game_can_be_pickled(game: Game, states: Sequence[State]) -> None:
    copy: Game = pickle.loads(pickle.dumps(game))
    expect(copy.spec == game.spec and copy.start() == game.start(), "a pickled game differs from the game")
    json.dumps(dict(game.spec.options))


CHECKS = (
    Check("words and move lists", words_and_move_lists_fit),
    Check("sorted moves", moves_are_sorted, 2),
    Check("play", states_are_values),
    Check("position text", positions_round_trip, 2),
    Check("wrong positions", bad_positions_are_refused),
    Check("position text after a move", text_after_a_move, 2),
    Check("move text", moves_round_trip, 2),
    Check("advance", advance_plays_a_move, 2),
    Check("wrong moves", wrong_moves_are_refused),
    Check("outcome", outcome_names_the_winner),
    Check("drawing", every_position_can_be_drawn),
    Check("paths of moves", every_move_has_a_path),
    Check("deciding cells", deciding_cells_exist),
    Check("evaluations", evaluations_are_ints),
    Check("functions for the search", search_functions_return_valid_values),
    Check("bounds and candidates", bounds_and_candidates_are_exact),
    Check("keys", equal_keys_have_equal_values),
    Check("pickling", game_can_be_pickled),
)


def listed(values: Sequence[object]) -> str:
    return " ".join(map(str, values))
