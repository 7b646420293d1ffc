"""Client library: a session that survives reconnects, views of rooms, and the interface of a bot."""
