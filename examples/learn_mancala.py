"""Learn a small Mancala from games against a random player: a table of values, in less than a minute.

pip install 'parlour[rl]'
python examples/learn_mancala.py                    train, and print how often it wins
python examples/learn_mancala.py --url 127.0.0.1:8765    then play on a server, until Ctrl-C
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict

import numpy as np

from parlour import gym

OPTIONS = {"pits": 3, "stones": 2}
EXPLORE, STEP = 0.1, 0.1  # share of random moves, and how far a value moves towards a result


class Learner:
    """A value for each position and action."""

    def __init__(self, seed=0):
        self.values = defaultdict(float)
        self.random = random.Random(seed)

    def __call__(self, observation, mask):
        """Return the best known action: the policy."""
        position = observation.tobytes()
        return max((int(action) for action in np.flatnonzero(mask)), key=lambda action: self.values[position, action])

    def play(self, env, learn=True):
        """Play one game and return its reward."""
        observation, info = env.reset()
        played, over = [], False
        while not over:
            legal = np.flatnonzero(info["action_mask"])
            explore = learn and self.random.random() < EXPLORE
            action = int(self.random.choice(legal)) if explore else self(observation, info["action_mask"])
            played.append((observation.tobytes(), action))
            observation, reward, over, _, info = env.step(action)
        if learn:
            for key in played:
                self.values[key] += STEP * (reward - self.values[key])
        return reward


def score(learner, env, games):
    """Return the mean reward of a player that does not explore."""
    return sum(learner.play(env, learn=False) for _ in range(games)) / games


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--url", default="", help="play on this server afterwards")
    args = parser.parse_args()
    env = gym.OpponentEnv("mancala", opponent="random", options=OPTIONS, observation="bits")
    env.reset(seed=1)
    learner = Learner()
    print(f"before: {score(learner, env, 500):+.2f} points a game")
    for _ in range(args.games):
        learner.play(env)
    print(f"after {args.games} games: {score(learner, env, 500):+.2f} points a game")
    if args.url:
        gym.play_on_server(learner, "mancala", args.url, options=OPTIONS, observation="bits", seek=True)


if __name__ == "__main__":
    main()
