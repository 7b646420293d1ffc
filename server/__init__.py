"""The server: hosts rooms, stores their events, and sends them to players and watchers."""
