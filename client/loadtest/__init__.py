"""Matches and watchers as load, for `parlour loadtest` and the benchmarks."""
