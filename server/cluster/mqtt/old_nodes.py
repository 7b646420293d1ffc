"""Nodes of an earlier version, which sign nothing: they run beside this one while a cluster is upgraded.

They announce rooms with new events on the topic `calls`, and so does this node while it sees such a node. An
announcement is not trusted: it only makes a node read the store. Lists and invitations of such nodes are not shown.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from server.cluster.bus import BusListener
from server.cluster.mqtt.peers import Link
from server.cluster.mqtt.url import Topics
from server.domain.room import Room

ANNOUNCEMENT_INTERVAL_S = 0.002


class OldNodes:
    """Announces rooms to nodes of an earlier version while there are any."""

    def __init__(self, node: str, topics: Topics, link: Link, listener: BusListener) -> None:
        self._node, self._topics, self._link, self._listener = node, topics, link, listener
        self.online: set[str] = set()
        self._seqs: dict[str, int] = {}  # rooms with new events, and their latest seq
        self._calling = False

    def seen(self, node: str, online: bool) -> None:
        """Note that such a node is connected, or no longer is."""
        if online:
            self.online.add(node)
        else:
            self.online.discard(node)

    def announce(self, room: Room) -> None:
        """Announce new events of a room: at once, or ANNOUNCEMENT_INTERVAL_S after the last announcement."""
        self._seqs[room.setup.room] = room.seq
        if not self._calling:
            self._flush()

    def _flush(self) -> None:
        self._calling = bool(self._seqs)
        if self._seqs:
            seqs, self._seqs = self._seqs, {}
            call = {"node": self._node, "signed": True, "seqs": seqs}  # nodes that sign ignore it: they get the events
            self._link.send(self._topics.calls, json.dumps(call).encode())
            asyncio.get_running_loop().call_later(ANNOUNCEMENT_INTERVAL_S, self._flush)

    def received(self, call: dict[str, Any]) -> None:
        """Handle an announcement. Raises errors of several kinds if it is malformed."""
        if call["node"] != self._node and "signed" not in call:
            for room, seq in call.get("seqs", {}).items():
                self._listener.room_announced(room, int(seq))
