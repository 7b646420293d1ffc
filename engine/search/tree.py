"""The search itself: negamax with a principal variation, a table and proofs, for any game's rule functions.

It is written in the subset of Python that numba compiles, like the rules. It calls the rule functions (play, over,
score, bounds, base, candidates, key, tactics, guess) and the primitives (mix, length) by name; engine/search/kernel.py
puts this file and a game's rules into one namespace, plain or compiled. It is iterative: all of its state lives in
the arrays it is given, so it can stop after any number of nodes and go on later.

Values are in units of 1/UNIT, for the side to move. A value is *solid* when no estimate went into it: then it holds
at any depth, and is a proof.

    stack    FRAME ints a ply: the position, the window, how far its moves have been searched
    moves    MOST_MOVES ints a ply, with `weights`, the order in which they are tried
    table    pairs (hash, data) in buckets of WAYS: what earlier searches found; values without what is secured
    history  how often a move has cut off a search, by side and move
    control  what the driver and the search tell each other
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.search.primitives import length, mix
from engine.search.table import INFINITY, NO_MOVE, SOLID_DEPTH, WAYS, find, lower, remember, spread, upper

if TYPE_CHECKING:  # a game's rules, put here by engine/search/kernel.py
    from engine.search.given import (
        CYCLIC,
        MOST_MOVES,
        UNIT,
        base,
        bounds,
        candidates,
        guess,
        key,
        over,
        play,
        score,
        tactics,
    )

HOPES = 50  # the side at the root takes an estimate for better by UNIT / HOPES: it plays on where it could have a draw
MAX_PLY = 300  # frames of the stack: positions the game went through, then the search

# The fields of a frame
FRAME = 21
MINE, REST, ALPHA, BETA, DEPTH, BEST, BEST_MOVE, NEXT, COUNT, AGAIN = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
SOLID, FLOOR, HASH, BASE, SIDE, PROBING, ENTERED, KILLER, KILLER2, LOW, OWN = 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20

# The fields of control
PLY, VALUE, VALUE_SOLID, RETURNING, NODES, BUDGET, MASK, AGE, DONE, ROOT, ROOT_MOVE, LAST, OUTGROWN, FIRST = range(14)
CONTROL = 14


def arrange(
    stack: list[int], moves: list[int], weights: list[int], history: list[int], f: int, m: int, hint: int
) -> None:
    """Weigh the moves of a frame: the table's, those that cut off at this ply before, then by promise and history."""
    mine, rest, side = stack[f + MINE], stack[f + REST], stack[f + SIDE]
    for i in range(stack[f + COUNT]):
        move = moves[m + i]
        if move == hint:
            weight = 1 << 40
        else:
            weight = (tactics(mine, rest, move) << 24) + history[side * MOST_MOVES + move]
            if move == stack[f + KILLER]:
                weight += 1 << 23
            elif move == stack[f + KILLER2]:
                weight += 1 << 22
        weights[m + i] = weight


def pick(moves: list[int], weights: list[int], start: int, end: int) -> int:
    """Bring the weightiest of the moves left to the front."""
    at = start
    for i in range(start + 1, end):
        if weights[i] > weights[at]:
            at = i
    move, weight = moves[at], weights[at]
    while at > start:  # shift rather than swap: equal weights keep the game's own order
        moves[at], weights[at] = moves[at - 1], weights[at - 1]
        at -= 1
    moves[start], weights[start] = move, weight
    return move


def repeats(stack: list[int], f: int) -> bool:
    """Whether the position of a frame stood there before: in this line, or in the game that led here."""
    g = f - 4 * FRAME
    while g >= 0:
        if stack[g + MINE] == stack[f + MINE] and stack[g + REST] == stack[f + REST]:
            return True
        g -= 2 * FRAME
    return False


def run(
    stack: list[int], moves: list[int], weights: list[int], table: list[int], history: list[int], control: list[int]
) -> None:
    """Go on with the search in `stack` for control[BUDGET] more nodes, or to its end."""
    ply, value, solid, returning = control[PLY], control[VALUE], control[VALUE_SOLID], control[RETURNING]
    nodes, mask, age, root = control[NODES], control[MASK], control[AGE], control[ROOT]
    last = control[LAST]
    if control[OUTGROWN] > 0:
        spread(table, control[OUTGROWN], mask)
        control[OUTGROWN] = 0
    limit = nodes + control[BUDGET]
    while ply >= root:
        f = ply * FRAME
        m = ply * MOST_MOVES
        if returning == 0:  # enter a node
            if nodes >= limit:
                break
            nodes += 1
            returning = 1  # unless it has children
            mine, rest, alpha, beta = stack[f + MINE], stack[f + REST], stack[f + ALPHA], stack[f + BETA]
            if over(mine, rest):
                value, solid = UNIT * score(mine, rest), 1
                ply -= 1
                continue
            if CYCLIC and ply > root and repeats(stack, f):
                value, solid = 0, 0
                ply -= 1
                continue
            low, high = bounds(mine, rest)
            low, high = UNIT * low, UNIT * high
            if ply > root and (low >= beta or high <= alpha):
                value, solid = low if low >= beta else high, 1
                ply -= 1
                continue
            depth = stack[f + DEPTH]
            if depth <= 0 or ply >= last:
                hope = UNIT // HOPES if stack[f + SIDE] == 0 else -(UNIT // HOPES)
                value, solid = min(max(guess(mine, rest) + hope, low), high), 0
                ply -= 1
                continue
            secured = UNIT * base(mine, rest)
            a, b, own = key(mine, rest)
            check = mix(a, b)
            at = find(table, (check & mask) * (2 * WAYS), check)
            hint = -1
            if at >= 0:
                data = table[at + 1]
                known = data >> 40 & 255
                if own:
                    hint = data >> 32 & 255
                if known >= depth and ply > root:
                    known_low, known_high = lower(data) + secured, upper(data) + secured
                    if known_low >= beta or known_high <= alpha or known_low == known_high:
                        value = known_low if known_low >= beta or known_low == known_high else known_high
                        solid = 1 if known == SOLID_DEPTH else 0
                        ply -= 1
                        continue
            if ply == root and control[FIRST] >= 0:
                hint = control[FIRST]
            stack[f + LOW] = low
            floor = max(alpha, low if ply > root else low - 1)  # at the root a move that holds the least must show
            stack[f + ALPHA], stack[f + BETA], stack[f + FLOOR] = floor, min(beta, high), floor
            stack[f + OWN] = 1 if own else 0
            stack[f + BEST], stack[f + BEST_MOVE], stack[f + SOLID] = -INFINITY, -1, 1
            stack[f + HASH], stack[f + BASE], stack[f + ENTERED] = check, secured, nodes
            stack[f + COUNT] = candidates(mine, rest, moves, m) - m
            stack[f + NEXT] = 0
            arrange(stack, moves, weights, history, f, m, hint)
            returning = 0
        else:  # a child of this node has returned `value`
            returning = 0
            gain = value if stack[f + AGAIN] else -value
            alpha, beta = stack[f + ALPHA], stack[f + BETA]
            if stack[f + PROBING] and alpha < gain < beta:  # better than the best so far: find out by how much
                stack[f + PROBING] = 0
                g = f + FRAME
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
                    record = stack[f + SIDE] * MOST_MOVES + move
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
                slot = (check & mask) * (2 * WAYS)
                if stack[f + OWN] == 0:
                    move = NO_MOVE
                remember(table, slot, check, low, high, move, SOLID_DEPTH if solid else min(depth, 254), effort, age)
                value = best
                returning = 1
                ply -= 1
                continue
        # go down to the next child
        index = stack[f + NEXT]
        stack[f + NEXT] = index + 1
        move = pick(moves, weights, m + index, m + stack[f + COUNT])
        mine, rest, again = play(stack[f + MINE], stack[f + REST], move)
        alpha, beta = stack[f + ALPHA], stack[f + BETA]
        probing = 1 if index > 0 and beta - alpha > 1 else 0
        if probing:
            beta = alpha + 1
        g = f + FRAME
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
