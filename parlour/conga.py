"""The Conga API of the course: `from parlour.conga import Agent, CongaBoard`."""

from parlour.coursework.conga_api import Agent, CongaBoard, Tile

__all__ = ["Agent", "CongaBoard", "Tile"]
