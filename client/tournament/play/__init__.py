"""Play a tournament: start players, create rooms as the arbiter, supervise games."""
