from parlour import Bot, run


class Careful(Bot):
    def choose(self, game, state, budget):
        def value(move):
            outcome = game.outcome(game.play(state, move))
            return 0 if outcome is None else {state.turn: 1, None: 0}.get(outcome.winner, -1)

        return max(game.moves(state), key=value)


if __name__ == "__main__":
    run(Careful)
