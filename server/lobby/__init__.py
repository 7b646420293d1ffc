"""The lobby: lists of open rooms and bots, invitations, and matchmaking."""
