"""File formats of the assignments: the input of a program for a position, and the moves that its output means.

File names are relative to the folder that the program runs in.
"""

from __future__ import annotations

from collections.abc import Mapping

from client.programs.adapters.base import Adapter
from client.programs.adapters.conga import CongaAdapter
from client.programs.adapters.mancala import MancalaAdapter
from client.programs.adapters.maxconnect4 import MaxConnect4Adapter
from client.programs.adapters.nkcohcoh import NkCohCohAdapter

ADAPTERS: Mapping[str, Adapter] = {
    "mancala": MancalaAdapter(),
    "maxconnect4": MaxConnect4Adapter(),
    "nkcohcoh": NkCohCohAdapter(),
    "conga": CongaAdapter(),
}
