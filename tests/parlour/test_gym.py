"""PettingZoo and Gymnasium environments of every game, and policies as bots."""

from __future__ import annotations

import asyncio
import importlib
import os
import pickle
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.errors import IllegalMove, InvalidOption
from engine.registry import GAMES, create
from engine.search import Limits, Thinker
from tests.e2e.bots import builtin, finished_games, running_bot, seek
from tests.e2e.local_server import running_server, session, until
from tests.waiting import TIMEOUT_S

gymnasium = pytest.importorskip("gymnasium")
pettingzoo_test = pytest.importorskip("pettingzoo.test")
np = pytest.importorskip("numpy")
check_env = pytest.importorskip("gymnasium.utils.env_checker").check_env
from parlour import gym  # noqa: E402  # needs what is looked for above

ROOT = Path(__file__).parents[2]
FORMS = ("planes", "bits")
# PettingZoo's test knows by name which of its own environments have a dictionary with an action mask.
DICT_WARNINGS = (
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Action mask numpy array is all zeros:UserWarning",
)
SMALL: dict[str, dict[str, Any]] = {"conga": {"max_plies": 40}, "mancala": {"pits": 3, "stones": 2}}


@pytest.mark.filterwarnings(*DICT_WARNINGS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("game", list(GAMES))
def test_every_game_passes_the_test_of_pettingzoo(game: str, form: Any, capsys: pytest.CaptureFixture[str]) -> None:
    pettingzoo_test.api_test(gym.env(game, SMALL.get(game), form), num_cycles=60)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.filterwarnings(*DICT_WARNINGS)
def test_environment_is_the_same_with_the_same_seed() -> None:
    pettingzoo_test.seed_test(lambda: gym.env("cohcoh"), num_cycles=30)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("game", list(GAMES))
def test_every_game_passes_the_check_of_gymnasium(game: str, form: Any) -> None:
    env = gymnasium.make(f"Parlour/{game}-v0", options=SMALL.get(game), observation=form, render_mode="ansi")
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("game", list(GAMES))
def test_agents_follow_the_rules(game: str) -> None:
    env, rng = gym.env(game, SMALL.get(game)), Random(4)
    rules = create(game, SMALL.get(game))
    env.reset()
    state, again = rules.start(), 0
    for agent in env.agent_iter():
        observation, reward, over, truncated, _ = env.last()
        assert not truncated
        if over:
            winner = env.unwrapped.match.outcome.winner
            assert reward == (0 if winner is None else 1 if agent == f"player_{winner}" else -1)
            assert not observation["action_mask"].any()
            env.step(None)
            continue
        assert agent == f"player_{state.turn}"
        assert tuple(np.flatnonzero(observation["action_mask"])) == rules.moves(state)
        assert not env.observe(f"player_{1 - state.turn}")["action_mask"].any()
        move = rng.choice(rules.moves(state))
        after = rules.play(state, move)
        again += after.turn == state.turn
        state = after
        env.step(move)
    assert env.agents == []
    assert (again > 0) == (game == "mancala")


@pytest.mark.parametrize("game", list(GAMES))
def test_observation_shows_the_position_to_both_sides(game: str) -> None:
    rules, rng = create(game, SMALL.get(game)), Random(2)
    planes, bits = gym.Encoder(rules), gym.Encoder(rules, "bits")
    state = rules.start()
    for _ in range(7):
        state = rules.after(state, rng.choice(rules.moves(state)))
    first, second = (planes.observation(state, side) for side in (0, 1))
    assert (first[:, :, 0] == second[:, :, 1]).all()
    assert (first[:, :, 1] == second[:, :, 0]).all()
    assert (first[:, :, 2].min(), second[:, :, 2].max()) == (1, 0)
    board = rules.draw(state)
    for side in (0, 1):
        pieces = sum(cell.count if board.counted else 1 for cell in board.cells() if cell.owner == side)
        assert first[:, :, side].sum() == pieces > 0
    found = bits.observation(state, state.turn)
    words = [int("".join(map(str, part[::-1])), 2) for part in np.split(found[:-1], 2)]
    assert words == [state.mine, state.rest]


def test_illegal_move_ends_the_game() -> None:
    env = gym.env("mancala", {"pits": 2, "stones": 1})
    env.reset(options={"start": "1,0/0,1 1,1 1"})
    assert list(env.observe("player_0")["action_mask"]) == [0, 1]
    env.step(0)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": -1, "player_1": 0}
    raw = gym.RawEnv("mancala", {"pits": 2, "stones": 1})
    raw.reset(options={"start": "1,0/0,1 1,1 1"})
    with pytest.raises(IllegalMove):
        raw.step(0)
    one = gym.OpponentEnv("conga", side=0)
    one.reset(seed=1)
    _, reward, over, truncated, info = one.step(127)
    assert (reward, over, truncated, info["illegal"]) == (-1, True, False, True)


def test_board_is_rendered(capsys: pytest.CaptureFixture[str]) -> None:
    shown = gym.env("cohcoh", render_mode="ansi")
    shown.reset()
    shown.step(0)
    assert "w" in shown.render()
    assert "black to move" in shown.render()
    env = gym.OpponentEnv("cohcoh", side=0, render_mode="human")
    env.reset(seed=1)
    env.render()
    assert "white to move" in capsys.readouterr().out


def test_environments_can_be_copied() -> None:
    env = gym.RawEnv("conga")
    env.reset()
    copy = pickle.loads(pickle.dumps(env))
    env.step(int(np.flatnonzero(env.observe("player_0")["action_mask"])[0]))
    assert copy.match.past == []
    assert len(env.match.past) == 1


def play_out(env: gym.OpponentEnv, policy: gym.Policy, seed: int) -> float:
    observation, info = env.reset(seed=seed)
    assert env.side == info["side"]
    while True:
        assert (env.action_masks() == info["action_mask"]).all()
        observation, reward, over, _, info = env.step(policy(observation, info["action_mask"]))
        if over:
            assert info["result"] in ("1-0", "0-1", "1/2-1/2")
            with pytest.raises(gymnasium.error.ResetNeeded):
                env.step(0)
            return reward


def first_move(observation: Any, mask: Any) -> int:
    return int(mask.argmax())


def solver(env: gym.OpponentEnv) -> gym.Policy:
    """Return a policy that plays perfectly in the game of `env`."""
    thinker = Thinker(env.game, compiled=False)

    def policy(observation: Any, mask: Any) -> int:
        move = thinker.solve(env._match.state, Limits()).move
        assert move is not None
        return move

    return policy


@pytest.mark.parametrize("opponent", ["random", "greedy", "alphabeta:2", "search@3", first_move])
def test_perfect_player_does_not_lose_against_an_opponent(opponent: Any) -> None:
    env = gym.OpponentEnv("mancala", opponent, side=0, options=SMALL["mancala"])
    assert [play_out(env, solver(env), seed) for seed in range(3)] == [1, 1, 1]


def test_seed_decides_side_and_opponent() -> None:
    def game(seed: int) -> list[Any]:
        env = gym.OpponentEnv("maxconnect4", "random")
        play_out(env, first_move, seed)
        return [env.side, *env._match.past]

    assert game(3) == game(3)
    assert len({game(seed)[0] for seed in range(8)}) == 2


def test_wrong_names_are_refused() -> None:
    with pytest.raises(InvalidOption):
        gym.OpponentEnv("chess")
    with pytest.raises(InvalidOption, match="is not a player"):
        gym.OpponentEnv("conga", "strongest")
    with pytest.raises(ValueError, match="search@1 to search@9"):
        gym.OpponentEnv("conga", "search@10")
    with pytest.raises(ValueError, match="one of planes, bits"):
        gym.env("conga", observation="pixels")  # type: ignore[arg-type]
    with pytest.raises(IllegalMove):
        gym.OpponentEnv("cohcoh", lambda observation, mask: 99, side=1).reset(seed=1)


def test_missing_extra_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(ModuleNotFoundError, match=r"needs pettingzoo: install it with: pip install 'parlour\[rl\]'"):
        importlib.reload(gym)


BOT = """
from parlour import gym

def last_move(observation, mask):
    assert observation.ndim == 1
    return int(mask.nonzero()[0][-1])

gym.play_on_server(last_move, "mancala", {url!r}, name="learner", games=1, observation="bits", options={options!r},
                   seek=True)
"""


async def test_policy_plays_on_a_server(tmp_path: Path) -> None:
    options = SMALL["mancala"]
    async with running_server(tmp_path) as server:
        seeks = (seek("mancala", options={**options, "rules": "course"}),)
        async with running_bot(server.url, builtin("random"), name="other", seeks=seeks):
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-c", BOT.format(url=server.url, options=options),
                cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
            )  # fmt: skip
            assert await asyncio.wait_for(process.wait(), TIMEOUT_S) == 0
            async with session(server.url) as watcher:
                await until("the session is open", lambda: watcher.welcome)
                (game,) = await finished_games(watcher, "learner")
    assert game.result in ("1-0", "0-1", "1/2-1/2")
    assert (game.options["pits"], game.options["stones"]) == (3, 2)


def test_example_learns(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "learn_mancala.py", "--games", "1000"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
        timeout=TIMEOUT_S,
    )  # fmt: skip
    before, after = (float(line.split(": ")[1].split()[0]) for line in done.stdout.splitlines())
    assert after > before + 0.5
