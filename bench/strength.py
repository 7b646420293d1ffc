"""Strength of the search, in shares of the points with 95 % intervals.

    python -m bench.strength match maxconnect4 --against FOLDER     another checkout, at equal nodes
    python -m bench.strength match mancala --against . --endgames   with endgame tables against without
    python -m bench.strength won conga                              from positions that are better for the search
    python -m bench.strength lost cohcoh mancala                    from positions that are proved lost
    python -m bench.strength random --seconds 0.05                  against random moves, from the start

`match` plays from openings that a search values as even, each from both seats. `won` and `lost` play against each of
--opponents: `random`, `greedy` and other course players, `nodes:N`, `depth:N`. With --against they measure the search
of the other checkout too, from the same positions.
FOLDER is a checkout with the same position texts.
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from engine.course.players import make_player
from engine.game import Game, Move, State
from engine.record import ending
from engine.registry import GAMES, create
from engine.search import Limits, Thinker
from engine.search.endgames import prepare_endgames
from runtime.printable import print_line

OPTIONS: dict[str, dict[str, object]] = {"cohcoh": {"n": 6, "k": 4}}
CHECK_NODES = 100_000  # for the value of an opening
EVEN_SHARE = 1.0  # an opening is even if its value is below this share of the game's chance_scale
BETTER_SHARE = 1.0
OPENING_PLIES = {"conga": 8, "mancala": 6, "maxconnect4": 8, "cohcoh": 8}
LATEST_PLIES = {"conga": 24, "mancala": 24, "maxconnect4": 30, "cohcoh": 22}  # of a lost position

SERVER = """
import json, sys
from engine.registry import create
from engine.search import Limits, Thinker
game, thinker = None, None
for line in sys.stdin:
    ask = json.loads(line)
    if "game" in ask:
        game = create(ask["game"], ask["options"])
        thinker = Thinker(game, table_mb=16)
        continue
    states = [game.load(text) for text in ask["states"]]
    found = thinker.think(states[-1], Limits(nodes=ask["nodes"]), past=states[:-1])
    print(found.move, flush=True)
"""


class Checkout:
    """The search of another checkout, in a process of its own."""

    def __init__(self, folder: str, game: Game, nodes: int) -> None:
        env = {**os.environ, "PYTHONPATH": str(Path(folder).resolve())}
        command = [sys.executable, "-c", SERVER]
        self._process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._game, self._nodes = game, nodes

    def reset(self) -> None:
        self._send({"game": self._game.name, "options": dict(self._game.spec.options)})

    def choose(self, states: Sequence[State]) -> Move:
        self._send({"states": [self._game.dump(state) for state in states[-60:]], "nodes": self._nodes})
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


class Searcher:
    """The search of this checkout."""

    def __init__(self, game: Game, limits: Limits, endgames: bool = False) -> None:
        self._game, self._limits, self._endgames = game, limits, endgames
        self.reset()

    def reset(self) -> None:
        self._thinker = Thinker(self._game, table_mb=16, endgames=self._endgames)

    def choose(self, states: Sequence[State]) -> Move:
        move = self._thinker.think(states[-1], self._limits, past=states[:-1]).move
        assert move is not None
        return move

    def close(self) -> None:
        pass


class Course:
    """A course player, such as random or greedy."""

    def __init__(self, text: str, game: Game, rng: random.Random) -> None:
        self._player = make_player(text, game, rng)

    def reset(self) -> None:
        pass

    def choose(self, states: Sequence[State]) -> Move:
        return self._player(states[-1])

    def close(self) -> None:
        pass


Player = Checkout | Searcher | Course


def opponent(text: str, game: Game, rng: random.Random) -> Player:
    name, _, number = text.partition(":")
    if name == "nodes":
        return Searcher(game, Limits(nodes=int(number)))
    if name == "depth":
        return Searcher(game, Limits(depth=int(number)))
    return Course(text, game, rng)


def play(game: Game, start: Sequence[State], players: tuple[Player, Player]) -> tuple[float, int]:
    """Play one game. Return the points of side 0, and the number of plies."""
    states = list(start)
    for player in players:
        player.reset()
    while (outcome := ending(game, states)) is None:
        state = states[-1]
        states.append(game.play(state, players[state.turn].choose(states)))
    return 0.5 if outcome.winner is None else 1.0 - outcome.winner, len(states) - len(start)


def random_line(game: Game, plies: int, rng: random.Random) -> list[State]:
    """Return the states of random moves that do not end the game."""
    while True:
        states = [game.start()]
        while len(states) <= plies and ending(game, states) is None:
            states.append(game.after(states[-1], rng.choice(game.moves(states[-1]))))
        if ending(game, states) is None:
            return states


def even_openings(game: Game, count: int, rng: random.Random) -> list[list[State]]:
    """Return random openings that a search values as nearly even."""
    thinker, found = Thinker(game), list[list[State]]()
    limit = EVEN_SHARE * game.chance_scale
    while len(found) < count:
        states = random_line(game, OPENING_PLIES[game.name], rng)
        report = thinker.think(states[-1], Limits(nodes=CHECK_NODES), past=states[:-1])
        if abs(report.value) <= limit and (not report.proved or report.value == 0):
            found.append(states)
    return found


def better_positions(game: Game, count: int, rng: random.Random) -> list[list[State]]:
    """Return positions whose side to move is clearly better, or wins."""
    thinker, found = Thinker(game), list[list[State]]()
    while len(found) < count:
        states = random_line(game, OPENING_PLIES[game.name] + rng.randrange(8), rng)
        report = thinker.think(states[-1], Limits(nodes=CHECK_NODES), past=states[:-1])
        if report.value > BETTER_SHARE * game.chance_scale:
            found.append(states)
    return found


def lost_positions(game: Game, count: int, rng: random.Random) -> list[list[State]]:
    """Return positions whose side to move is proved to lose."""
    thinker, found = Thinker(game), list[list[State]]()
    while len(found) < count:
        plies = rng.randrange(LATEST_PLIES[game.name] - 8, LATEST_PLIES[game.name])
        states = random_line(game, plies, rng)
        report = thinker.think(states[-1], Limits(nodes=CHECK_NODES), past=states[:-1])
        if report.proved and report.value < 0 and len(game.moves(states[-1])) > 1:
            found.append(states)
    return found


def interval(points: Sequence[float]) -> float:
    """Return half the 95 % interval of the mean of independent points."""
    mean = fmean(points)
    return 1.96 * math.sqrt(sum((x - mean) ** 2 for x in points) / max(1, len(points) - 1) / len(points))


def elo(points: Sequence[float]) -> tuple[float, float]:
    """Return the Elo difference for mean points per game, and half its 95 % interval."""
    inside = min(max(fmean(points), 0.001), 0.999)
    slope = 400 / math.log(10) / (inside * (1 - inside))
    return 400 * math.log10(inside / (1 - inside)), interval(points) * slope


def match(game: Game, folder: str, nodes: int, count: int, rng: random.Random, endgames: bool) -> None:
    if endgames:
        prepare_endgames(game, print_line)
    new, old = Searcher(game, Limits(nodes=nodes), endgames), Checkout(folder, game, nodes)
    pairs, games = list[float](), list[float]()
    for start in even_openings(game, count // 2, rng):
        both = [play(game, start, (new, old))[0], 1 - play(game, start, (old, new))[0]]
        games += both
        pairs.append(fmean(both))
    old.close()
    difference, error = elo(pairs)
    wins, draws, losses = games.count(1.0), games.count(0.5), games.count(0.0)
    print(
        f"{game.name:12} {nodes} nodes  +{wins} ={draws} -{losses}  {fmean(pairs):.3f} ± {interval(pairs):.3f}  "
        f"Elo {difference:+.0f} ± {error:.0f}",
        flush=True,
    )


def against_opponents(
    game: Game, starts: Sequence[list[State]], folder: str, nodes: int, opponents: Sequence[str], seed: int
) -> None:
    """Let the search play the side to move of each position against each opponent."""
    players: dict[str, Player] = {"old": Checkout(folder, game, nodes)} if folder else {}
    players["new"] = Searcher(game, Limits(nodes=nodes))
    for text in opponents:
        for name, player in players.items():
            other, results = opponent(text, game, random.Random(seed)), list[tuple[float, int]]()
            for start in starts:
                seat = start[-1].turn
                points, plies = play(game, start, (player, other) if seat == 0 else (other, player))
                results.append((points if seat == 0 else 1 - points, plies))
            shares = [points for points, _ in results]
            lengths = [plies for points, plies in results if points == 1.0]
            wins, draws, losses = shares.count(1.0), shares.count(0.5), shares.count(0.0)
            mean = f"{fmean(lengths):.1f}" if lengths else "-"
            print(
                f"{game.name:12} {name} against {text:10} +{wins} ={draws} -{losses}  points {fmean(shares):.3f} ± "
                f"{interval(shares):.3f}  plies of a win {mean}",
                flush=True,
            )
    for player in players.values():
        player.close()


def against_random(game: Game, seconds: float, count: int, rng: random.Random) -> None:
    search, other, results = Searcher(game, Limits(seconds=seconds)), Course("random", game, rng), []
    for i in range(count):
        points, plies = play(game, [game.start()], (search, other) if i % 2 == 0 else (other, search))
        results.append((points if i % 2 == 0 else 1 - points, plies))
    shares = [points for points, _ in results]
    wins, draws, losses = shares.count(1.0), shares.count(0.5), shares.count(0.0)
    print(f"{game.name:12} +{wins} ={draws} -{losses}  {fmean(plies for _, plies in results):.1f} plies per game")


def main() -> None:
    parser = ArgumentParser(
        "python -m bench.strength", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("match", "won", "lost", "random"))
    parser.add_argument("games", nargs="*", metavar="GAME", help="default: all games")
    parser.add_argument("--against", default="", metavar="FOLDER", help="another checkout")
    parser.add_argument("--count", type=int, default=200, metavar="N", help="games, or positions (default: 200)")
    parser.add_argument("--nodes", type=int, default=10_000, help="positions per move (default: 10000)")
    parser.add_argument("--seconds", type=float, default=0.05, help="per move, with `random` (default: 0.05)")
    parser.add_argument("--opponents", default="random,greedy,depth:2,nodes:1000", metavar="A,B")
    parser.add_argument("--endgames", action="store_true", help="this checkout uses endgame tables in a match")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.what == "match" and not args.against:
        parser.error("match needs --against FOLDER")
    for name in args.games or GAMES:
        game, rng = create(name, OPTIONS.get(name, {})), random.Random(args.seed)
        if args.what == "match":
            match(game, args.against, args.nodes, args.count, rng, args.endgames)
        elif args.what == "random":
            against_random(game, args.seconds, args.count, rng)
        else:
            find = better_positions if args.what == "won" else lost_positions
            starts = find(game, args.count, rng)
            against_opponents(game, starts, args.against, args.nodes, args.opponents.split(","), args.seed)


if __name__ == "__main__":
    main()
