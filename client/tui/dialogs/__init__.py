"""Dialogs in front of a screen: new game, confirmation, choice, help, leaderboard."""
