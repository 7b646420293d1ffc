"""The search algorithm: principal variation search (negamax) with a transposition table and proofs, for any game.

Like the rules, it is written in the subset of Python that numba compiles. It calls the rule functions (play, over,
score, bounds, base, candidates, key, tactics, guess) and the primitives (mix, length) by name. engine/search/kernel.py
puts this file and the rules of a game into one namespace, plain or compiled. The search is iterative and keeps all of
its state in arrays, so it can stop after any number of nodes and continue later.

Values are in units of 1/UNIT, for the side to move. A value is *solid* if it depends on no estimate. A solid value is
proved and holds at any depth.

    stack    FRAME_FIELDS ints per ply: the position, the window, the progress through its moves
    moves    MAX_MOVES ints per ply; `weights` has the search order
    table    the transposition table (table.py); values are stored without the part that `base` returns
    old      the smaller table before, if the table has just grown
    history  a weight per side and move, increased when the move causes a cut-off
    busy     marks of the moves that a thread searches now
    endgames the endgame table (endgame_table.py), if the game has one
    control  parameters and results, shared with the driver

Several threads can search one position. They share `table` and `busy` and have the rest to themselves. Near the root,
a thread marks the move that it searches, and tries moves that another thread has marked after all others. So the
threads spread over different moves and find each other's results in the table. The marks affect the order of moves
only: a stale mark is harmless.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.search.endgame_table import endgame_value
from engine.search.primitives import length, load_word, mix, store_word
from engine.search.table import (
    BUCKET_ENTRIES,
    INFINITY,
    NO_MOVE,
    SOLID_DEPTH,
    find_entry,
    lower_bound,
    rehash,
    store_entry,
    upper_bound,
)

if TYPE_CHECKING:  # replaced with the rules of a game by engine/search/kernel.py
    from engine.search.rule_stubs import (
        CYCLIC,
        MAX_MOVES,
        UNIT,
        base,
        bounds,
        candidates,
        endgame_index,
        guess,
        key,
        over,
        play,
        score,
        tactics,
    )

# The side at the root overrates its estimates by UNIT / CONTEMPT_DIVISOR, so that it avoids early draws.
CONTEMPT_DIVISOR = 50
MAX_PLY = 300  # frames of the stack: earlier states of the game, then the search
BUSY_PLIES = 24  # from the root, in which threads mark their moves; deeper, a mark costs more than it saves
BUSY_MIN_DEPTH = 3
BUSY_MARKS = 1 << 12  # length of `busy`
DEFERRED = 1 << 50  # taken from the weight of a move that another thread searches

# The fields of a frame
FRAME_FIELDS = 21
MINE, REST, ALPHA, BETA, DEPTH, BEST, BEST_MOVE, NEXT, COUNT, AGAIN = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
SOLID, FLOOR, HASH, BASE, SIDE, PROBING, ENTERED, KILLER, KILLER2, LOW, OWN = 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20

# The fields of control
PLY, VALUE, VALUE_SOLID, RETURNING, NODES, BUDGET, MASK = range(7)
AGE, DONE, ROOT, ROOT_MOVE, LAST, OLD_BUCKETS, FIRST = range(7, 14)
SEARCH, THREADS = range(14, 16)  # number of the search, which old marks do not have; number of threads
KNOWN_ENDGAMES = 16  # places of `endgames`
CONTROL_FIELDS = 17


def order_moves(
    stack: list[int], moves: list[int], weights: list[int], history: list[int], f: int, m: int, hint: int
) -> None:
    """Set the weights of the moves of a frame: table move, then tactics, then killer moves, then history."""
    mine, rest, side = stack[f + MINE], stack[f + REST], stack[f + SIDE]
    for i in range(stack[f + COUNT]):
        move = moves[m + i]
        if move == hint:
            weight = 1 << 40
        else:
            weight = (tactics(mine, rest, move) << 24) + history[side * MAX_MOVES + move]
            if move == stack[f + KILLER]:
                weight += 1 << 23
            elif move == stack[f + KILLER2]:
                weight += 1 << 22
        weights[m + i] = weight


def pick_heaviest(moves: list[int], weights: list[int], start: int, end: int) -> int:
    """Move the move with the largest weight to the front of the remaining moves, and return it."""
    at = start
    for i in range(start + 1, end):
        if weights[i] > weights[at]:
            at = i
    move, weight = moves[at], weights[at]
    while at > start:  # shift instead of swap: moves of equal weight keep their order
        moves[at], weights[at] = moves[at - 1], weights[at - 1]
        at -= 1
    moves[start], weights[start] = move, weight
    return move


def is_repetition(stack: list[int], f: int) -> bool:
    """Return whether the position of a frame occurred before, in this line or earlier in the game."""
    g = f - 4 * FRAME_FIELDS
    while g >= 0:
        if stack[g + MINE] == stack[f + MINE] and stack[g + REST] == stack[f + REST]:
            return True
        g -= 2 * FRAME_FIELDS
    return False


def busy_mark(check: int, move: int, search: int) -> int:
    """Return the mark of a move in a position, given the hash of the position."""
    return mix(check, search << 8 | move) | 1


def pick_idle(
    moves: list[int], weights: list[int], start: int, end: int, busy: list[int], check: int, search: int
) -> int:
    """Pick the heaviest move that no other thread searches. If there is none, pick the heaviest of all."""
    move = pick_heaviest(moves, weights, start, end)
    while weights[start] > -(DEFERRED >> 1):
        mark = busy_mark(check, move, search)
        if load_word(busy, mark >> 1 & BUSY_MARKS - 1) != mark:
            break
        weights[start] -= DEFERRED
        move = pick_heaviest(moves, weights, start, end)
    return move


def run(
    stack: list[int],
    moves: list[int],
    weights: list[int],
    table: list[int],
    old: list[int],
    history: list[int],
    busy: list[int],
    endgames: list[int],
    control: list[int],
) -> None:
    """Continue the search in `stack` for control[BUDGET] nodes or until it is finished."""
    ply, value, solid, returning = control[PLY], control[VALUE], control[VALUE_SOLID], control[RETURNING]
    nodes, mask, age, root = control[NODES], control[MASK], control[AGE], control[ROOT]
    last, search, known_endgames = control[LAST], control[SEARCH], control[KNOWN_ENDGAMES]
    busy_end = root + BUSY_PLIES if control[THREADS] > 1 else 0
    if control[OLD_BUCKETS] > 0:
        rehash(old, table, control[OLD_BUCKETS], mask)
        control[OLD_BUCKETS] = 0
    limit = nodes + control[BUDGET]
    while ply >= root:
        f = ply * FRAME_FIELDS
        m = ply * MAX_MOVES
        if returning == 0:  # enter a node
            if nodes >= limit:
                break
            nodes += 1
            returning = 1  # reset below if the node has children
            mine, rest, alpha, beta = stack[f + MINE], stack[f + REST], stack[f + ALPHA], stack[f + BETA]
            if over(mine, rest):
                value, solid = UNIT * score(mine, rest), 1
                ply -= 1
                continue
            if CYCLIC and ply > root and is_repetition(stack, f):
                value, solid = 0, 0
                ply -= 1
                continue
            low, high = bounds(mine, rest)
            low, high = UNIT * low, UNIT * high
            if ply > root and (low >= beta or high <= alpha):
                value, solid = low if low >= beta else high, 1
                ply -= 1
                continue
            if known_endgames > 0 and ply > root:
                at = endgame_index(mine, rest)
                if 0 <= at < known_endgames:
                    value, solid = UNIT * (base(mine, rest) + endgame_value(endgames, at)), 1
                    ply -= 1
                    continue
            depth = stack[f + DEPTH]
            if depth <= 0 or ply >= last:
                contempt = UNIT // CONTEMPT_DIVISOR if stack[f + SIDE] == 0 else -(UNIT // CONTEMPT_DIVISOR)
                value, solid = min(max(guess(mine, rest) + contempt, low), high), 0
                ply -= 1
                continue
            secured = UNIT * base(mine, rest)
            a, b, own = key(mine, rest)
            check = mix(a, b)
            data = find_entry(table, (check & mask) * (2 * BUCKET_ENTRIES), check)
            hint = -1
            if data != 0:
                known_depth = data >> 40 & 255
                if own:
                    hint = data >> 32 & 255
                if known_depth >= depth and ply > root:
                    known_low, known_high = lower_bound(data) + secured, upper_bound(data) + secured
                    if known_low >= beta or known_high <= alpha or known_low == known_high:
                        value = known_low if known_low >= beta or known_low == known_high else known_high
                        solid = 1 if known_depth == SOLID_DEPTH else 0
                        ply -= 1
                        continue
            if ply == root and control[FIRST] >= 0:
                hint = control[FIRST]
            stack[f + LOW] = low
            floor = max(alpha, low if ply > root else low - 1)  # the root must return a move even at the lower bound
            stack[f + ALPHA], stack[f + BETA], stack[f + FLOOR] = floor, min(beta, high), floor
            stack[f + OWN] = 1 if own else 0
            stack[f + BEST], stack[f + BEST_MOVE], stack[f + SOLID] = -INFINITY, -1, 1
            stack[f + HASH], stack[f + BASE], stack[f + ENTERED] = check, secured, nodes
            stack[f + COUNT] = candidates(mine, rest, moves, m) - m
            stack[f + NEXT] = 0
            order_moves(stack, moves, weights, history, f, m, hint)
            returning = 0
        else:  # a child of this node has returned `value`
            returning = 0
            gain = value if stack[f + AGAIN] else -value
            alpha, beta = stack[f + ALPHA], stack[f + BETA]
            if ply < busy_end and stack[f + DEPTH] >= BUSY_MIN_DEPTH:
                mark = busy_mark(stack[f + HASH], moves[m + stack[f + NEXT] - 1], search)
                if load_word(busy, mark >> 1 & BUSY_MARKS - 1) == mark:
                    store_word(busy, mark >> 1 & BUSY_MARKS - 1, 0)
            if stack[f + PROBING] and alpha < gain < beta:  # better than the best: search again, full window
                stack[f + PROBING] = 0
                g = f + FRAME_FIELDS
                if stack[f + AGAIN]:
                    stack[g + ALPHA], stack[g + BETA] = alpha, beta
                else:
                    stack[g + ALPHA], stack[g + BETA] = -beta, -alpha
                ply += 1
                continue
            stack[f + SOLID] &= solid
            if gain > stack[f + BEST]:
                stack[f + BEST] = gain
                stack[f + BEST_MOVE] = moves[m + stack[f + NEXT] - 1]
                if gain > alpha:
                    stack[f + ALPHA] = gain
                    if ply == root:
                        control[ROOT_MOVE] = stack[f + BEST_MOVE]
            best = stack[f + BEST]
            if best >= beta or stack[f + NEXT] == stack[f + COUNT]:  # this node is done
                depth, move = stack[f + DEPTH], stack[f + BEST_MOVE]
                if best >= beta:
                    if stack[f + KILLER] != move:
                        stack[f + KILLER2] = stack[f + KILLER]
                        stack[f + KILLER] = move
                    record = stack[f + SIDE] * MAX_MOVES + move
                    history[record] = min(history[record] + min(depth * depth, 400), 1 << 21)
                else:
                    solid = stack[f + SOLID]
                floor, secured = stack[f + FLOOR], stack[f + BASE]
                best = max(best, stack[f + LOW])
                low, high = -INFINITY, INFINITY
                if best > floor:
                    low = best - secured
                if best < beta:
                    high = best - secured
                if low == -INFINITY and high == INFINITY:
                    low = best - secured
                effort = min(length(nodes - stack[f + ENTERED]), 63)
                check = stack[f + HASH]
                slot = (check & mask) * (2 * BUCKET_ENTRIES)
                if stack[f + OWN] == 0:
                    move = NO_MOVE
                store_entry(table, slot, check, low, high, move, SOLID_DEPTH if solid else min(depth, 254), effort, age)
                value = best
                returning = 1
                ply -= 1
                continue
        # descend to the next child
        index = stack[f + NEXT]
        stack[f + NEXT] = index + 1
        end = m + stack[f + COUNT]
        if ply < busy_end and stack[f + DEPTH] >= BUSY_MIN_DEPTH:
            if index == 0:
                move = pick_heaviest(moves, weights, m, end)
            else:
                move = pick_idle(moves, weights, m + index, end, busy, stack[f + HASH], search)
            mark = busy_mark(stack[f + HASH], move, search)
            store_word(busy, mark >> 1 & BUSY_MARKS - 1, mark)
        else:
            move = pick_heaviest(moves, weights, m + index, end)
        mine, rest, again = play(stack[f + MINE], stack[f + REST], move)
        alpha, beta = stack[f + ALPHA], stack[f + BETA]
        probing = 1 if index > 0 and beta - alpha > 1 else 0
        if probing:
            beta = alpha + 1
        g = f + FRAME_FIELDS
        stack[g + MINE], stack[g + REST] = mine, rest
        stack[f + PROBING] = probing
        stack[g + DEPTH] = stack[f + DEPTH] if stack[f + COUNT] == 1 else stack[f + DEPTH] - 1
        if again:
            stack[f + AGAIN], stack[g + SIDE] = 1, stack[f + SIDE]
            stack[g + ALPHA], stack[g + BETA] = alpha, beta
        else:
            stack[f + AGAIN], stack[g + SIDE] = 0, 1 - stack[f + SIDE]
            stack[g + ALPHA], stack[g + BETA] = -beta, -alpha
        ply += 1
    control[PLY], control[VALUE], control[VALUE_SOLID], control[RETURNING] = ply, value, solid, returning
    control[NODES] = nodes
    control[DONE] = 1 if ply < root else 0
