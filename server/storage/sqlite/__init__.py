"""The store in a SQLite file. A separate process writes it."""
