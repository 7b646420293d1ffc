"""The course's Conga API under its public name: `from parlour.conga import Agent, CongaBoard`."""

from parlour.coursework.conga_api import Agent, CongaBoard, Tile

__all__ = ["Agent", "CongaBoard", "Tile"]
