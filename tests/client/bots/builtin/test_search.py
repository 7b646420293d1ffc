from __future__ import annotations

import random
import time

from client.bots.builtin.rng import PositionRng
from client.bots.builtin.search import SearchBot, warm
from client.bots.spec import BotSpec
from client.sdk.bot import Budget, as_thought
from client.sdk.note import Note
from engine.record import ending
from engine.registry import create
from tests.client.sample_programs import budget

SHORT_CLOCK_S = 3.0  # too short to load compiled code


def test_high_level_beats_a_low_one() -> None:
    game, rng = create("maxconnect4"), random.Random(5)
    score = 0.0
    for number in range(4):
        bots = [BotSpec("search", level=level, seed=number).constructor()() for level in (6, 1)]
        strong = number % 2
        states = [game.start()]
        while (outcome := ending(game, states)) is None:
            state = states[-1]
            bot = bots[0] if state.turn == strong else bots[1]
            if len(states) <= 3:
                states.append(game.after(state, rng.choice(game.moves(state))))
                continue
            thought = as_thought(game, state, bot.choose(game, state, budget(5)))
            states.append(game.play(state, game.parse(state, str(thought.move))))
        score += 0.5 if outcome.winner is None else outcome.winner == strong
    assert score >= 3


def test_search_keeps_to_its_time_and_notes_its_result() -> None:
    game = create("conga")
    bot = BotSpec("search", level=10).constructor()()
    given = Budget(0.2, budget().deadline, left=SHORT_CLOCK_S)
    began = time.thread_time()
    thought = as_thought(game, game.start(), bot.choose(game, game.start(), given))
    spent = time.thread_time() - began  # CPU time, because a busy machine may stall
    assert 0.001 < spent < 1.0
    assert isinstance(thought.note, Note)
    assert thought.note.depth is not None
    assert thought.note.depth >= 1
    assert thought.note.wall is not None
    assert thought.note.line[0] == thought.move


def test_search_that_is_ahead_avoids_a_repetition() -> None:
    game = create("conga", {"start": ".,b1,w1,b4/w1,w3,b1,w3/b1,b1,b1,b1/w1,w1,.,. b"})

    def move(history: str) -> object:
        bot = BotSpec("search", level=10).constructor()()
        given = Budget(0.2, budget(5).deadline, left=SHORT_CLOCK_S, history=tuple(history.split()))
        return as_thought(game, game.start(), bot.choose(game, game.start(), given)).move

    assert move("") == "b2c1"
    assert move("b2c1 a3a4 c1b2 a4a3") != "b2c1"


def test_only_the_strongest_level_uses_endgame_tables() -> None:
    game = create("mancala")
    warm([game], endgames=True)
    state = game.load("1,2,0,3,3,2/2,0,4,1,3,1 13,13 2")  # with 22 stones in the pits; the table has up to 16
    notes = []
    for level in (9, 10):
        bot = SearchBot(PositionRng(3), level=level)
        note = as_thought(game, state, bot.choose(game, state, budget())).note
        assert isinstance(note, Note)
        notes.append(note)
    limited, strongest = notes
    assert strongest.proved
    assert strongest.depth == 8
    assert limited.depth is not None
    assert limited.depth > 8, "no table ends the search early"
