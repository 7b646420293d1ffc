"""Schedules, openings and standings of every tournament format. Pure."""
