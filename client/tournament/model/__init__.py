"""Plans, results and the statistics over them: Elo differences and the SPRT. Mostly pure."""
