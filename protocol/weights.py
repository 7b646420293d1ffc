"""What commands cost a server, in multiples of a move. The rate limit of a connection is spent by weight.

A command that is not listed costs about as much as a move, and has the weight 1. A figure in µs is CPU time of the
server, measured once with 600 open rooms and a game of 400 plies; a move takes about 50 µs. Weights without a figure
are estimates. Weights are lower than the figures where ordinary clients send a command often.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protocol.commands import (
    Boards,
    Create,
    Export,
    Hello,
    History,
    Join,
    Leaderboard,
    List,
    Lobby,
    Pair,
    Puzzle,
    Ratings,
    Rematch,
    ReportTournament,
    Review,
    SubmitReview,
    Takeback,
    Tournaments,
    Watch,
    WatchTournament,
)
from protocol.types import tag_of

WEIGHTS: Mapping[type[Any], int] = {
    List: 15,  # 1000 µs: up to 200 rooms are read from the store, decoded, updated and encoded
    Lobby: 15,  # it begins with the same list
    Pair: 12,  # 900 µs: the rooms that wait are read, then one is joined or created
    History: 10,  # up to 100 games are read, decoded and encoded
    Create: 5,  # 500 µs for a player with many rooms: they are counted, and a new one is written
    Join: 5,  # 600 µs for a player with many rooms: they are counted, and a snapshot is sent
    Rematch: 4,  # the second one creates a room
    Takeback: 4,  # the second one returns to the text of an earlier position
    Watch: 4,  # 10 to 200 µs: a snapshot has all moves; other nodes may have written, so the store is read
    Leaderboard: 4,  # 100 µs without entries: the options are checked, and up to 100 ratings are read
    Ratings: 4,  # as `leaderboard`
    Puzzle: 8,  # 800 µs in Conga when it is first asked for: all legal moves are computed, and the boards after them
    Boards: 4,  # 100 µs, and more for long games and large boards: see CELLS_PER_MESSAGE
    Export: 4,  # 2800 µs for 400 plies, so long games cost more: see EXPORTED_PLIES_PER_MESSAGE
    Review: 4,  # 100 µs, and more for long games: see EXPORTED_PLIES_PER_MESSAGE
    SubmitReview: 4,  # a part has up to 16 KB, and every line in it is replayed
    ReportTournament: 4,  # 100 to 400 µs: up to 16 KB in nested maps are checked. Arbiters send one a second
    WatchTournament: 4,  # 10 µs, and up to 16 KB are sent
    Tournaments: 4,  # 50 µs: up to 100 tournaments are listed
    Hello: 4,  # a name is claimed, a session saved. Only the address pays these 4: a connection says hello once
}
ROOM_LOAD_WEIGHT = 8  # 400 µs: of any other command to a room that is not in memory, such as one that ended long ago
LOADED_EVENTS_PER_MESSAGE = 20  # a command that loads a room counts as one message more per this many of its events
RESUMED_ROOMS_PER_MESSAGE = 2  # `hello` counts as one message more per this many open rooms: it sends their snapshots
USUAL_LOG_EVENTS = 500  # of a room that `hello` loads; each LOADED_EVENTS_PER_MESSAGE more count as one message
UNWEIGHED_BYTES = 512  # of any message; only reports, reviews and moves with the longest notes are usually longer
BYTES_PER_MESSAGE = 64  # a message counts as one more per this many bytes beyond: 16 KB of nested lists take 4 ms
STALE_MOVE_WEIGHT = 3  # of a move that is refused with a snapshot
SNAPSHOT_PLIES_PER_MESSAGE = 300  # such a move and `watch` count as one message more per this many plies of the game
EXPORTED_PLIES_PER_MESSAGE = 20  # `export` counts as one message more per this many plies
CELLS_PER_MESSAGE = 160  # `boards` counts as one message more per this many cells of boards

WEIGHTS_BY_NAME = {tag_of(command): weight for command, weight in WEIGHTS.items()}
