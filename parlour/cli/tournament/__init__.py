"""The command line of tournaments; what they are is in client/tournament."""
