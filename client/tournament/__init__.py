"""Tournaments: plans, schedules, the log, play, tables and bundles.

The runner is an ordinary client of the server. It creates rooms for other players, watches them and logs the results.
"""
