"""Mancala: sow, capture, move again.  RULES: docs/rules.md, Mancala.

The board from above, with the index of each pit in the word of its owner. Both sides sow towards their own store, so
both words have the same layout and the rules are the same for both sides:

           top row, side 1                  6 pits, as an example
    +----+----+----+----+----+----+----+----+
    |    |  5 |  4 |  3 |  2 |  1 |  0 |    |     columns 1..6 from the left, as displayed:
    | 6  +----+----+----+----+----+----+  6 |     side 0's pit i is column i + 1,
    |    |  0 |  1 |  2 |  3 |  4 |  5 |    |     side 1's pit i is column PITS - i
    +----+----+----+----+----+----+----+----+
     store      bottom row, side 0       store

    A word: PITS fields of BITS bits, then the store. BITS is wide enough for all stones of the game in one field.

        +-------+-----------+-- ... --+---------+---------+
        | store |  pit 5    |         |  pit 1  |  pit 0  |       pit i lies at bit BITS * i, the store at BITS * PITS
        +-------+-----------+-- ... --+---------+---------+

A side sows along a ring of RING = 2 * PITS + 1 places: its pits, its store, the pits of the opponent. Sowing one stone
into each of several places is the addition of a word that has a 1 in each of their fields. A move is the index of a
pit.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.board import Board, Cell
from engine.errors import shorten
from engine.game import Game, Move, Reason, Spec, State
from engine.games.mancala_endgames import (  # noqa: F401 -- all are rule functions or constants of the game
    ENDGAME_BLOCKS,
    ENDGAME_STONES,
    ENDGAME_WAYS,
    ENDGAMES,
    endgame_constants,
    endgame_index,
    endgame_next,
    endgame_stones,
    first_row,
    next_row,
    row_count,
    row_rank,
    row_sum,
)
from engine.options import START, Option, OptionValue, parse_int
from engine.rules import Constant

COURSE, PROSE, STANDARD = 0, 1, 2
PROFILES = ("course", "prose", "standard")
MAX_PIT_STONES = 1000  # per pit at the start
MAX_TOTAL_STONES = 100_000  # in a position; during play a pit may hold more than MAX_PIT_STONES

DECIMALS = tuple(map(str, range(256)))  # precomputed: a lookup is faster than str()

PITS, BITS, PROFILE = 6, 6, COURSE
MAX_MOVES = PITS
CYCLIC = False
UNIT = 2
WIDTH = BITS * (PITS + 1)
# Weights of tactics(), tuned by hill climbing for few nodes when solving (4,4), (4,5), (5,4) and (6,3)
MINE_AWAY = (1, -3, -3, -3, -3, -6, -6, -6, -6, -6)
THEIRS_AWAY = (-9, -1, -13, 0, 6, 5, 5, 5, 5, 5)
# The weights of guess(): what a pit is worth for the side to move and for the opponent, in 16ths of a stone, by its
# distance from the store of its owner (a row each; the last one also holds for longer rows) and by its stones, 0 to 14
# or more. They are fitted by least squares to the margins of games of the search against itself (docs/search.md).
WEIGHT_STONES = 14
WEIGHT_UNIT = 16
WEIGHT_ROWS = 6
TURN_WEIGHT = 8
OWN_ROWS = (
    (-33, -17, -73, -68, -68, -66, -47, -26, -7, 12, 36, 62, 81, 98, 117),  # beside the store
    (-23, -5, 17, -58, -52, -62, -52, -42, -29, -9, 9, 37, 66, 90, 113),
    (-35, -6, 11, 30, -46, -45, -49, -55, -49, -34, -3, 23, 57, 85, 116),
    (-44, -4, 20, 27, 40, -35, -44, -49, -51, -48, -32, 16, 37, 71, 96),
    (-60, -7, 18, 29, 40, 49, -23, -33, -45, -49, -35, -21, 15, 58, 64),
    (-45, -4, 16, 29, 46, 70, 67, -6, -19, -19, -29, -48, -56, -56, -56),
)
OTHER_ROWS = (
    (39, 29, 52, 66, 66, 64, 57, 28, 7, -14, -41, -66, -78, -93, -116),  # beside the store
    (28, 4, 1, 40, 55, 68, 58, 45, 33, 9, -14, -41, -71, -91, -124),
    (38, 6, -12, -12, 42, 55, 60, 57, 49, 35, 1, -21, -56, -93, -150),
    (45, 6, -13, -26, -14, 41, 56, 61, 50, 55, 32, -21, -54, -85, -134),
    (51, 11, -14, -22, -40, 2, 39, 49, 54, 46, 34, 11, -35, -72, -115),
    (17, -11, -26, -38, -52, -72, 19, 19, 21, 29, 36, 33, 33, 33, 33),
)
OWN_WEIGHTS = tuple(weight for row in OWN_ROWS for weight in row)
OTHER_WEIGHTS = tuple(weight for row in OTHER_ROWS for weight in row)
RING = 2 * PITS + 1
PIT_MASK = (1 << BITS) - 1  # the bits of one field
ROW_MASK = (1 << BITS * PITS) - 1  # the bits of all pits
EACH = sum(1 << BITS * i for i in range(PITS))  # one stone in each pit
EACH_AND_STORE = EACH | 1 << BITS * PITS


def gen(mine: int, rest: int, out: list[int], n: int) -> int:
    if over(mine, rest):
        return n
    for i in range(PITS):
        if mine >> BITS * i & PIT_MASK:
            out[n] = i
            n += 1
    return n


def low_fields(count: int) -> int:
    """Return the mask of the first `count` fields of a word."""
    return (1 << BITS * count) - 1


def candidates(mine: int, rest: int, out: list[int], n: int) -> int:
    return gen(mine, rest, out, n)


def play(mine: int, rest: int, move: int) -> tuple[int, int, bool]:
    at = BITS * move
    stones = mine >> at & PIT_MASK
    mine -= stones << at
    if stones >= RING:  # full laps: one stone per place of the ring and lap
        laps = stones // RING
        mine += laps * EACH_AND_STORE
        rest += laps * EACH
        stones -= laps * RING
    end = move + stones  # the other stones go to the places move + 1 .. end of the ring
    last = end
    if end <= PITS:
        mine += EACH_AND_STORE & low_fields(end + 1) & ~low_fields(move + 1)
    elif end <= 2 * PITS:
        mine += EACH_AND_STORE & ~low_fields(move + 1)
        rest += EACH & low_fields(end - PITS)
    else:
        last = end - RING
        mine += (EACH_AND_STORE & ~low_fields(move + 1)) + (EACH & low_fields(last + 1))
        rest += EACH
    if last < PITS and mine >> BITS * last & PIT_MASK == 1:  # the last stone fell into an own empty pit
        opposite = BITS * (PITS - 1 - last)
        taken = rest >> opposite & PIT_MASK
        if taken > 0 or PROFILE != STANDARD:
            rest -= taken << opposite
            mine += (taken + 1 << BITS * PITS) - (1 << BITS * last)
    again = last == PITS
    if PROFILE == PROSE:  # over if the next side to move has no stone; the opponent sweeps its row
        if (mine if again else rest) & ROW_MASK == 0:
            mine, rest = swept(mine), swept(rest)
    elif mine & ROW_MASK == 0 or rest & ROW_MASK == 0:  # over when a row is empty; each side sweeps its row
        mine, rest = swept(mine), swept(rest)
    if again:
        return mine, rest, True
    return rest, mine, False


def swept(word: int) -> int:
    """Return the word with all stones of the row moved into the store."""
    return (word >> BITS * PITS) + row_sum(word) << BITS * PITS


def over(mine: int, rest: int) -> bool:
    return mine & ROW_MASK == 0 or (rest & ROW_MASK == 0 and PROFILE != PROSE)


def score(mine: int, rest: int) -> int:
    """Return the difference of the stores. At the end, stones left in a row count for its owner."""
    margin = (mine >> BITS * PITS) - (rest >> BITS * PITS)
    if over(mine, rest):
        margin += row_sum(mine) - row_sum(rest)
    return margin


def bounds(mine: int, rest: int) -> tuple[int, int]:
    margin = (mine >> BITS * PITS) - (rest >> BITS * PITS)
    playing = row_sum(mine) + row_sum(rest)
    return margin - playing, margin + playing


def base(mine: int, rest: int) -> int:
    return (mine >> BITS * PITS) - (rest >> BITS * PITS)


def key(mine: int, rest: int) -> tuple[int, int, bool]:
    return mine & ROW_MASK, rest & ROW_MASK, True


def tactics(mine: int, rest: int, move: int) -> int:
    """Prefer extra turns, then stones gained, then good pit contents after the move by distance from the store."""
    own, other, again = play(mine, rest, move)
    stored = (own >> BITS * PITS) - (mine >> BITS * PITS) if again else (other >> BITS * PITS) - (mine >> BITS * PITS)
    total = 32 * stored
    if again:
        total += 1299 + 73 * move
    else:
        own, other = other, own
        total += 5 * move - (11 if stored > 1 else 0)
    for i in range(PITS):
        away = PITS - i
        stones = own >> BITS * i & PIT_MASK
        total += MINE_AWAY[away - 1] * stones - (9 if stones == away else 0)
        stones = other >> BITS * i & PIT_MASK
        total += THEIRS_AWAY[away - 1] * stones - (5 if stones == away else 0)
    return total


def guess(mine: int, rest: int) -> int:
    """Return the lead in the stores and what the pits are worth.

    A pit from which a stone can reach the store is worth more than one whose stones go to the opponent.
    """
    total = TURN_WEIGHT
    for i in range(PITS):
        row = min(PITS - 1 - i, WEIGHT_ROWS - 1) * (WEIGHT_STONES + 1)
        total += OWN_WEIGHTS[row + min(mine >> BITS * i & PIT_MASK, WEIGHT_STONES)]
        total += OTHER_WEIGHTS[row + min(rest >> BITS * i & PIT_MASK, WEIGHT_STONES)]
    return UNIT * base(mine, rest) + UNIT * total // WEIGHT_UNIT


def stores(own: int, other: int) -> int:
    return (own >> BITS * PITS) - (other >> BITS * PITS)


class Mancala(Game):
    name = "mancala"
    title = "Mancala"
    sides = ("player 1", "player 2")
    colours = ("#7a4a1e", "#2f5d50", "#3a3a3a")
    kind = "pits"
    point_name = "stone"
    chance_scale = 8.0
    minor_drop = 4.0
    near = 0
    colour_names = ("clay", "slate")
    options = (
        Option("pits", 6, "pits in a row", 1, 10),
        Option("stones", 4, "stones in each pit at the start", 1, MAX_PIT_STONES),
        Option("rules", "course", "rule profile: when a last stone captures, when the game ends", choices=PROFILES),
        START,
    )
    evaluations = {"stores": "stores"}
    move_form = "a column counted from the left, like 3"
    position_form = "4,4,4,4,4,4/4,4,4,4,4,4 0,0 1"

    @classmethod
    def infer(cls, given: dict[str, object]) -> dict[str, object]:
        start = given.get("start")
        if isinstance(start, str) and start and "pits" not in given:
            columns = start.partition("/")[0].count(",") + 1
            given["pits"] = columns if "/" in start and columns <= 10 else 6
        return given

    def prepare(self, values: Mapping[str, OptionValue]) -> dict[str, Constant]:
        pits = int(values["pits"])
        self._total = 2 * pits * int(values["stones"])
        if "start" in values:
            self._total = sum(sum(row) for row in self._numbers(str(values["start"]), pits)[:3])
        self._decimal = DECIMALS.__getitem__ if self._total < len(DECIMALS) else str
        bits = max(1, self._total.bit_length())
        each = sum(1 << bits * i for i in range(pits))
        return {
            "PITS": pits,
            "BITS": bits,
            "PROFILE": PROFILES.index(str(values["rules"])),
            "MAX_MOVES": pits,
            "WIDTH": bits * (pits + 1),
            "RING": 2 * pits + 1,
            "PIT_MASK": (1 << bits) - 1,
            "ROW_MASK": (1 << bits * pits) - 1,
            "EACH": each,
            "EACH_AND_STORE": each | 1 << bits * pits,
        }

    def for_search(self) -> dict[str, Constant]:
        return endgame_constants(self.rules.PITS, self.endgame_stones())

    def endgame_stones(self) -> int:
        """Return the number of stones of the endgame table."""
        return endgame_stones(self.rules.PITS, self.endgame_bytes)

    def endgames(self) -> Game | None:
        """Return the smallest game with as many stones as a table has. None for games with fewer: they are small."""
        pits, stones = self.rules.PITS, self.endgame_stones()
        if self._total <= stones:
            return None
        model = Mancala({"pits": pits, "stones": -(-stones // (2 * pits)), "rules": self.spec.options["rules"]})
        return model.with_endgames(self.endgame_bytes)

    def describe(self, values: Mapping[str, OptionValue]) -> Spec:
        return Spec(self.name, self.title, self.sides, values, 2, int(values["pits"]) + 2)

    def opening(self, values: Mapping[str, OptionValue]) -> State:
        row = int(self.rules.EACH) * int(values["stones"])
        return State(row, row, 0)

    def reason(self, state: State) -> Reason:
        return "score"

    def points(self, state: State) -> tuple[int, int]:
        bottom, top = state.of(0)
        pits = self.rules.BITS * self.rules.PITS
        return (bottom >> pits) + self.rules.row_sum(bottom), (top >> pits) + self.rules.row_sum(top)

    def deciding(self, state: State) -> tuple[str, ...]:
        return "store 2", "store 1"

    def allowed(self, state: State, move: Move) -> bool:
        return bool(state.mine >> self.rules.BITS * move & self.rules.PIT_MASK)

    def read(self, state: State, text: str) -> Move:
        column, pits = parse_int(text), self.rules.PITS
        if column is None or not 1 <= column <= pits:
            raise self.invalid(text)
        return column - 1 if state.turn == 0 else pits - column

    def format(self, state: State, move: Move) -> str:
        return str(move + 1 if state.turn == 0 else self.rules.PITS - move)

    def path(self, state: State, move: Move) -> tuple[str, ...]:
        return (f"B{move + 2}" if state.turn == 0 else f"A{self.rules.PITS - move + 1}",)

    def end_of(self, state: State, move: Move) -> str:
        """Return the name of the pit or store that gets the last stone."""
        pits, ring = self.rules.PITS, self.rules.RING
        stones = state.mine >> self.rules.BITS * move & self.rules.PIT_MASK
        last = (move + stones) % ring  # place on the ring: own pits, own store, pits of the opponent
        if last == pits:
            return f"store {state.turn + 1}"
        own, index = (True, last) if last < pits else (False, last - pits - 1)
        bottom = own == (state.turn == 0)
        return f"B{index + 2}" if bottom else f"A{pits - index + 1}"

    def _fields(self, word: int) -> list[int]:
        pit, bits = self.rules.PIT_MASK, self.rules.BITS
        return [word >> at & pit for at in range(0, bits * self.rules.PITS, bits)]

    def dump(self, state: State) -> str:
        bottom, top = state.of(0)
        rules, decimal = self.rules, self._decimal
        bits, pit = rules.BITS, rules.PIT_MASK
        upper, lower = [], []
        for _ in range(rules.PITS):  # take the lowest field until only the stores are left
            upper.append(decimal(top & pit))
            lower.append(decimal(bottom & pit))
            top >>= bits
            bottom >>= bits
        upper.reverse()
        return f"{','.join(upper)}/{','.join(lower)} {top},{bottom} {state.turn + 1}"

    def _numbers(self, text: str, pits: int) -> tuple[list[int], list[int], list[int], int]:
        """Return the top and bottom row from the left, the stores of player 2 and 1, and the side to move."""
        board, _, rest = text.strip().partition(" ")
        stores, _, player = rest.partition(" ")
        parts = [[parse_int(n) for n in part.split(",")] for part in (*board.split("/"), stores)]
        if [len(part) for part in parts] != [pits, pits, 2] or player not in ("1", "2"):
            raise self.bad_position(
                f"{shorten(text)!r} is not two rows of {pits} pits, two stores and the player to move, "
                f"like {self.position_form}"
            )
        numbers: list[list[int]] = []
        for part in parts:
            if not all(n is not None and 0 <= n <= MAX_TOTAL_STONES for n in part):
                raise self.bad_position(f"a pit or store must be a number from 0 to {MAX_TOTAL_STONES}")
            numbers.append([n for n in part if n is not None])
        if sum(map(sum, numbers)) > MAX_TOTAL_STONES:
            raise self.bad_position(f"{sum(map(sum, numbers))} stones are too many: the limit is {MAX_TOTAL_STONES}")
        return numbers[0], numbers[1], numbers[2], int(player) - 1

    def load(self, text: str) -> State:
        top, bottom, stores, side = self._numbers(text, self.rules.PITS)
        total = sum(top) + sum(bottom) + sum(stores)
        if total != self._total:
            raise self.bad_position(f"the stones add up to {total}, but this game has {self._total}")
        words = [self._pack([*bottom, stores[1]]), self._pack([*top[::-1], stores[0]])]
        return State(words[side], words[1 - side], side)

    def _pack(self, fields: list[int]) -> int:
        return sum(stones << self.rules.BITS * i for i, stones in enumerate(fields))

    def draw(self, state: State) -> Board:
        bottom, top = state.of(0)
        pits, shift = self.rules.PITS, self.rules.BITS * self.rules.PITS
        upper = [Cell(f"A{i + 2}", 1, n) for i, n in enumerate(self._fields(top)[::-1])]
        lower = [Cell(f"B{i + 2}", 0, n) for i, n in enumerate(self._fields(bottom))]
        rows = (
            (Cell("store 2", 1, top >> shift), *upper, None),
            (None, *lower, Cell("store 1", 0, bottom >> shift)),
        )
        files = ("", *(str(column + 1) for column in range(pits)), "")
        return Board(rows, files, ("2", "1"), ("", ""), counted=True)
