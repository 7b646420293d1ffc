"""A room as a client sees it: a snapshot, and every event behind it folded in. Pure; whoever calls says the time."""

from __future__ import annotations

from client.sdk.errors import SessionError
from engine.errors import GameError
from engine.game import Game, Outcome, State
from engine.registry import create
from protocol.events import (
    Declined,
    DrawOffered,
    Ended,
    Event,
    Fouled,
    Moved,
    Presence,
    Rematched,
    RematchOffered,
    Resumed,
    Said,
    Seated,
    Started,
    TakebackOffered,
    TakenBack,
    Unseated,
)
from protocol.replies import Snapshot
from protocol.types import Offers, PlayedMove, Seat, TimesLeft


class Desync(SessionError):
    """What the server says and what we know do not go together: a fresh snapshot is needed."""


class RoomView:
    """`game` and `states` are there as far as our engine knows the game; a newer server may have others."""

    def __init__(self, snapshot: Snapshot, now: float, known: RoomView | None = None) -> None:
        """`known`: the same room as it was before the connection was lost."""
        self.setup = snapshot  # what never changes is read from here
        self.room, self.seq, self.status = snapshot.room, snapshot.seq, snapshot.status
        self.seats: list[Seat | None] = list(snapshot.seats)
        self.seat = snapshot.your_seat
        self.moves: list[PlayedMove] = list(snapshot.moves)
        self.position, self.turn = snapshot.position, snapshot.turn
        self.left = snapshot.left
        self.offers = snapshot.offers
        self.fouls = list(snapshot.fouls)
        self.chat = list(snapshot.chat)
        self.result, self.reason = snapshot.result, snapshot.reason
        self.winner, self.scores, self.ratings = snapshot.winner, snapshot.scores, snapshot.ratings
        self.next = snapshot.next
        self.game, self.states = self._replay(known)
        self._claims = [None if at is None else now + (at - snapshot.at) / 1000 for at in snapshot.claim_at]
        self._mark = now
        self._free = max(0, snapshot.clock.per_move - snapshot.elapsed) / 1000

    def _replay(self, known: RoomView | None) -> tuple[Game | None, list[State]]:
        if known is not None and known.game is not None:
            same = 0
            while same < min(len(known.moves), self.ply) and known.moves[same].move == self.moves[same].move:
                same += 1
            game, states = known.game, known.states[: same + 1]
        else:
            try:
                game = create(self.setup.game, self.setup.options)
            except GameError:
                return None, []
            states = [game.start()]
        for played in self.moves[len(states) - 1 :]:
            states.append(self._after(game, states[-1], played.move))
        if game.dump(states[-1]) != self.position:
            raise Desync(f"room {self.room}: the moves do not lead to the position {self.position!r}")
        return game, states

    @staticmethod
    def _after(game: Game, state: State, move: str) -> State:
        try:
            return game.play(state, game.parse(state, move))
        except GameError as error:
            raise Desync(str(error)) from None

    # -- what can be asked

    @property
    def ply(self) -> int:
        return len(self.moves)

    @property
    def state(self) -> State:
        return self.states[-1]

    @property
    def my_move(self) -> bool:
        return self.status == "running" and self.seat is not None and self.turn == self.seat

    @property
    def opponent(self) -> Seat | None:
        return None if self.seat is None else self.seats[1 - self.seat]

    def outcome(self) -> Outcome | None:
        if self.status != "ended":
            return None
        return Outcome(self.winner, self.reason or "aborted", self.scores)

    def standing(self, ply: int) -> tuple[int, int] | None:
        """The points after so many moves, if they have to be told because the board does not show them."""
        return None if self.game is None else self.game.standing(self.states[ply])

    def claim_wait(self, now: float) -> float | None:
        """Seconds until we may claim the game of an opponent who is gone; None while they are here."""
        at = None if self.seat is None or self.status != "running" else self._claims[self.seat]
        return None if at is None else max(0.0, at - now)

    def free(self, now: float) -> float:
        """What is left of the time that every move has for itself."""
        return max(0.0, self._free - (now - self._mark))

    def time_left(self, side: int, now: float) -> float | None:
        """Seconds until a side's flag falls, if it moved now; None without clocks."""
        if self.left is None:
            return None
        left = self.left[side] / 1000
        if side != self.turn or self.status != "running":
            return left + self.setup.clock.per_move / 1000
        return max(0.0, left + self._free - (now - self._mark))

    # -- what happens

    def apply(self, event: Event, now: float) -> None:
        """The next event; Desync if it is not the next, or cannot be."""
        if event.seq != self.seq + 1:
            raise Desync(f"room {self.room}: event {event.seq} came after {self.seq}")
        self.seq = event.seq
        match event:
            case Moved():
                self._moved(event, now)
            case Seated():
                self.seats[event.seat] = seat_of(event)
            case Unseated():
                self.seats[event.seat] = None
            case Started():
                self.status = "running"
                self._turn_begins(event.turn, event.left, now)
            case Ended():
                self.status, self.offers = "ended", Offers(rematch=self.offers.rematch)
                self.result, self.reason = event.result, event.reason
                self.winner, self.scores, self.ratings = event.winner, event.scores, event.ratings
            case TakenBack():
                self._taken_back(event, now)
            case Presence():
                self._present(event, now)
            case Said():
                self.chat.append(event)
            case Fouled():
                self.fouls[event.seat] = event.fouls
            case Rematched():
                self.next, self.offers = event.next, Offers()
            case Resumed():
                self._mark += event.credit / 1000
            case _:
                self._offered(event)

    def _moved(self, event: Moved, now: float) -> None:
        if event.ply != self.ply + 1:
            raise Desync(f"room {self.room}: ply {event.ply} came after {self.ply}")
        if self.game is not None:
            state = self._after(self.game, self.state, event.move)
            if self.game.dump(state) != event.position:
                raise Desync(f"room {self.room}: {event.move} does not lead to {event.position!r}")
            self.states.append(state)
        self.moves.append(
            PlayedMove(
                ply=event.ply,
                side=event.side,
                move=event.move,
                took=event.took,
                charged=event.charged,
                left=event.left,
                note=event.note,
            )
        )
        self.position = event.position
        self.offers = Offers()
        self._turn_begins(event.turn, event.left, now)

    def _present(self, event: Presence, now: float) -> None:
        seat, at = self.seats[event.seat], event.claim_at
        if seat is not None:
            self.seats[event.seat] = seat_of(seat, event.online)
        self._claims[1 - event.seat] = None if at is None else now + (at - event.at) / 1000

    def _taken_back(self, event: TakenBack, now: float) -> None:
        del self.moves[event.ply :]
        del self.states[event.ply + 1 :]
        self.position = event.position
        self.offers = Offers()
        self._turn_begins(event.turn, event.left, now)

    def last_turn(self, seat: int | None) -> int | None:
        """The ply of the position in which a seat made its last move: a takeback leads there."""
        return max((ply for ply, made in enumerate(self.moves) if made.side == seat), default=None)

    def _turn_begins(self, turn: int, left: TimesLeft | None, now: float) -> None:
        self.turn, self.left, self._mark = turn, left, now
        self._free = self.setup.clock.per_move / 1000

    def _offered(self, event: Event) -> None:
        draw, takeback, rematch = self.offers.draw, self.offers.takeback, self.offers.rematch
        match event:
            case DrawOffered():
                draw = event.seat
            case TakebackOffered():
                takeback = event.seat
            case RematchOffered():
                rematch = event.seat
            case Declined():
                draw = None if event.offer == "draw" else draw
                takeback = None if event.offer == "takeback" else takeback
                rematch = None if event.offer == "rematch" else rematch
        self.offers = Offers(draw=draw, takeback=takeback, rematch=rematch)


def seat_of(who: Seat | Seated, online: bool = True) -> Seat:
    return Seat(
        player=who.player,
        name=who.name,
        account=who.account,
        online=online,
        rating=who.rating,
        provisional=who.provisional,
    )
