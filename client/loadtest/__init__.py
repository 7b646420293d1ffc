"""Matches and watchers that put load on a server, for `parlour loadtest` and the benchmarks."""
