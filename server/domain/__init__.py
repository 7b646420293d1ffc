"""The rules of rooms, clocks and ratings, as pure functions. The caller passes time, ids and random choices."""
