"""The command line of tournaments; client/tournament has the rest."""
