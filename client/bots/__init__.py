"""Run bots: load them, find games, and play within the clock."""
