"""The matches of a load test: a paused match continues, also after the end of a game."""

from __future__ import annotations

from typing import cast

from client.loadtest.matches import GAME_MIX, Match, Tally
from client.loadtest.sockets import Client


class Recorder:
    """A connection that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def send(self, frame: bytes) -> None:
        self.sent.append(frame)


def ready_match() -> tuple[Match, list[Recorder]]:
    match, players = Match(*GAME_MIX[0], 1, Tally()), [Recorder(), Recorder()]
    match.players = cast("list[Client]", players)
    match.prepare()
    match.playing = True
    return match, players


def test_match_between_two_games_waits_for_the_rematch() -> None:
    match, players = ready_match()
    match.ply = len(match.moves)
    assert not match.settled
    match.move()
    assert [player.sent for player in players] == [[], []]


def test_move_under_way_is_not_sent_twice() -> None:
    match, players = ready_match()
    match.move()
    match.move()
    assert sum(len(player.sent) for player in players) == 1
    assert not match.settled
