"""A second, simple implementation of the rules, to check the engine: dictionaries and loops over position texts.

`successors(game, options, position)` maps the text of every legal move to the position text after it.
`final_score(game, options, position)` is the value of a finished game for the side to move.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

Options = Mapping[str, int | str]
Square = tuple[int, int]
AROUND = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


def successors(game: str, options: Options, position: str) -> dict[str, str]:
    return REFERENCE_RULES[game](options, position)


def final_score(game: str, options: Options, position: str) -> int:
    return FINAL_SCORES[game](options, position)


def conga(options: Options, position: str) -> dict[str, str]:
    rows, turn = position.split()
    board: dict[Square, tuple[str, int]] = {}
    for y, row in zip((4, 3, 2, 1), rows.split("/"), strict=True):
        for x, cell in zip((1, 2, 3, 4), row.split(","), strict=True):
            if cell != ".":
                board[x, y] = cell[0], int(cell[1:])
    other = "w" if turn == "b" else "b"
    found = {}
    for (x, y), (owner, stones) in board.items():
        for dx, dy in AROUND:
            run: list[Square] = []
            for i in (1, 2, 3):
                square = x + i * dx, y + i * dy
                if not (1 <= square[0] <= 4 and 1 <= square[1] <= 4) or board.get(square, ("", 0))[0] == other:
                    break
                run.append(square)
            if owner != turn or not run:
                continue
            after = {where: what for where, what in board.items() if where != (x, y)}
            left = stones
            for i, square in enumerate(run):
                given = left if i == len(run) - 1 else min(left, i + 1)
                left -= given
                if given:
                    after[square] = turn, after.get(square, (turn, 0))[1] + given
            lines = [
                ",".join("{}{}".format(*after[i, j]) if (i, j) in after else "." for i in (1, 2, 3, 4))
                for j in (4, 3, 2, 1)
            ]
            found[name((x, y)) + name(run[0])] = "/".join(lines) + " " + other
    return found


def conga_score(options: Options, position: str) -> int:
    return -1


def name(square: Square) -> str:
    return " abcd"[square[0]] + str(square[1])


def mancala(options: Options, position: str) -> dict[str, str]:
    rows, stores, player = position.split()
    top, bottom = ([int(n) for n in row.split(",")] for row in rows.split("/"))
    store2, store1 = map(int, stores.split(","))
    profile, pits = options.get("rules", "course"), len(top)
    own_now, other_now = (bottom, top) if player == "1" else (top, bottom)
    if not any(own_now) or (profile != "prose" and not any(other_now)):
        return {}
    found = {}
    for column in range(pits):
        board = {**{f"t{i}": n for i, n in enumerate(top)}, **{f"b{i}": n for i, n in enumerate(bottom)}}
        board |= {"s1": store1, "s2": store2}
        own, theirs = ("b", "t") if player == "1" else ("t", "b")
        ring = [f"b{i}" for i in range(pits)] + ["s1"] + [f"t{i}" for i in reversed(range(pits))] + ["s2"]
        ring.remove("s2" if player == "1" else "s1")
        place = f"{own}{column}"
        hand, board[place] = board[place], 0
        if not hand:
            continue
        at = ring.index(place)
        while hand:
            at = (at + 1) % len(ring)
            board[ring[at]] += 1
            hand -= 1
        last, store = ring[at], "s" + player
        if last[0] == own and board[last] == 1:
            opposite = theirs + last[1:]
            if board[opposite] or profile != "standard":
                board[store] += 1 + board[opposite]
                board[last] = board[opposite] = 0
        following = player if last == store else "21"[int(player) - 1]
        left = {side: sum(board[f"{side}{i}"] for i in range(pits)) for side in "bt"}
        ended = left["b"] == 0 or left["t"] == 0
        if profile == "prose":
            ended = left["b" if following == "1" else "t"] == 0
        if ended:
            board["s1"] += left["b"]
            board["s2"] += left["t"]
            board |= {f"{side}{i}": 0 for side in "bt" for i in range(pits)}
        lines = [",".join(str(board[f"{side}{i}"]) for i in range(pits)) for side in "tb"]
        found[str(column + 1)] = f"{lines[0]}/{lines[1]} {board['s2']},{board['s1']} {following}"
    return found


def mancala_score(options: Options, position: str) -> int:
    rows, stores, player = position.split()
    top, bottom = (sum(map(int, row.split(","))) for row in rows.split("/"))
    store2, store1 = map(int, stores.split(","))
    lead = store1 + bottom - store2 - top
    return lead if player == "1" else -lead


def maxconnect4(options: Options, position: str) -> dict[str, str]:
    text, player = position.split()
    rows = text.split("/")
    found = {}
    for column in range(7):
        empty = [row for row in range(6) if rows[row][column] == "0"]
        if empty:
            row = max(empty)
            after = [*rows]
            after[row] = rows[row][:column] + player + rows[row][column + 1 :]
            found[str(column + 1)] = "/".join(after) + " " + "21"[int(player) - 1]
    return found


def maxconnect4_score(options: Options, position: str) -> int:
    text, player = position.split()
    cells = {(x, y): mark for y, row in enumerate(text.split("/")) for x, mark in enumerate(row)}
    fours = [
        mark
        for (x, y), mark in cells.items()
        for dx, dy in AROUND[4:]
        if all(cells.get((x + i * dx, y + i * dy)) == mark for i in range(4))
    ]
    return fours.count(player) - fours.count("21"[int(player) - 1])


def cohcoh(options: Options, position: str) -> dict[str, str]:
    board, turn = position.split()
    n = int(options.get("n", 4))
    if has_line(options, board):
        return {}
    other = "b" if turn == "w" else "w"
    return {
        "abcdefghijkl"[i % n] + str(n - i // n): f"{board[:i]}{turn}{board[i + 1 :]} {other}"
        for i in range(n * n)
        if board[i] == "."
    }


def cohcoh_score(options: Options, position: str) -> int:
    """Return 1 if the last move made a line: the side to move wins."""
    return int(has_line(options, position.split()[0]))


def has_line(options: Options, board: str) -> bool:
    n, k = int(options.get("n", 4)), int(options.get("k", 3))
    cells = {(i % n, i // n): mark for i, mark in enumerate(board)}
    return any(
        mark != "." and all(cells.get((x + i * dx, y + i * dy)) == mark for i in range(k))
        for (x, y), mark in cells.items()
        for dx, dy in AROUND
    )


REFERENCE_RULES: dict[str, Callable[[Options, str], dict[str, str]]] = {
    "conga": conga,
    "mancala": mancala,
    "maxconnect4": maxconnect4,
    "cohcoh": cohcoh,
}
FINAL_SCORES: dict[str, Callable[[Options, str], int]] = {
    "conga": conga_score,
    "mancala": mancala_score,
    "maxconnect4": maxconnect4_score,
    "cohcoh": cohcoh_score,
}
