"""A client's view of a room: a snapshot with the later events applied. Pure: the caller passes the time."""

from __future__ import annotations

from client.sdk.errors import SessionError
from engine.errors import GameError
from engine.game import Game, Outcome, State
from engine.registry import create
from protocol.events import (
    BoardEvent,
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
    """The server's message contradicts the view. The client needs a new snapshot."""


class RoomView:
    """The state of a room after its last known event.

    `game` is None and `states` is empty if this engine does not know the game, as with a newer server. `layout`,
    `board`, `last` and `legal` are given if the session wants them: they need no engine.
    """

    def __init__(self, snapshot: Snapshot, now: float, known: RoomView | None = None) -> None:
        """Build the view from a snapshot. `known`: an earlier view of the room, whose states are reused."""
        self.setup = snapshot  # for the fields that never change
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
        self.started_at, self.ended_at = snapshot.started_at, snapshot.ended_at
        self.next = snapshot.next
        self.layout, self.board, self.last, self.legal = snapshot.layout, snapshot.board, snapshot.last, snapshot.legal
        self.decisive = snapshot.decisive
        self.game, self.states = self._replay(known)
        self._claims = [None if at is None else now + (at - snapshot.at) / 1000 for at in snapshot.claim_at]
        self._turn_started = now
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
            raise Desync(f"room {self.room}: the moves do not lead to position {self.position!r}")
        return game, states

    @staticmethod
    def _after(game: Game, state: State, move: str) -> State:
        try:
            return game.play(state, game.parse(state, move))
        except GameError as error:
            raise Desync(str(error)) from None

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
        """Return the points after `ply` moves, or None if the board shows them."""
        return None if self.game is None else self.game.standing(self.states[ply])

    def claim_wait(self, now: float) -> float | None:
        """Return the seconds until we may claim the game of an absent opponent, or None if the opponent is present."""
        at = None if self.seat is None or self.status != "running" else self._claims[self.seat]
        return None if at is None else max(0.0, at - now)

    def free(self, now: float) -> float:
        """Return the seconds left of the time per move that is not taken from the clock."""
        return max(0.0, self._free - (now - self._turn_started))

    def time_left(self, side: int, now: float) -> float | None:
        """Return the seconds a side has for its current or next turn before it loses on time; None without clocks."""
        if self.left is None:
            return None
        left = self.left[side] / 1000
        if side != self.turn or self.status != "running":
            return left + self.setup.clock.per_move / 1000
        return max(0.0, left + self._free - (now - self._turn_started))

    def apply(self, event: Event, now: float) -> None:
        """Apply the next event. Raises Desync if it does not follow the last one or contradicts the view."""
        if event.seq != self.seq + 1:
            raise Desync(f"room {self.room}: event {event.seq} came after {self.seq}")
        self.seq = event.seq
        if isinstance(event, BoardEvent):
            self.board, self.last, self.legal = event.board, event.last, event.legal
        match event:
            case Moved():
                self._apply_move(event, now)
            case Seated():
                self.seats[event.seat] = seat_of(event)
            case Unseated():
                self.seats[event.seat] = None
            case Started():
                self.status, self.started_at = "running", event.at
                self._start_turn(event.turn, event.left, now)
            case Ended():
                self.status, self.offers = "ended", Offers(rematch=self.offers.rematch)
                self.ended_at = event.at
                self.result, self.reason = event.result, event.reason
                self.winner, self.scores, self.ratings = event.winner, event.scores, event.ratings
                self.decisive = event.decisive
            case TakenBack():
                self._apply_takeback(event, now)
            case Presence():
                self._apply_presence(event, now)
            case Said():
                self.chat.append(event)
            case Fouled():
                self.fouls[event.seat] = event.fouls
            case Rematched():
                self.next, self.offers = event.next, Offers()
            case Resumed():
                credit = event.credit + (0 if self.seat == self.turn else event.delay)
                self._turn_started = now if event.turn_at is not None else self._turn_started + credit / 1000
            case _:
                self._apply_offer(event)

    def _apply_move(self, event: Moved, now: float) -> None:
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
        self._start_turn(event.turn, event.left, now)

    def _apply_presence(self, event: Presence, now: float) -> None:
        seat, at = self.seats[event.seat], event.claim_at
        if seat is not None:
            self.seats[event.seat] = seat_of(seat, event.online)
        self._claims[1 - event.seat] = None if at is None else now + (at - event.at) / 1000

    def _apply_takeback(self, event: TakenBack, now: float) -> None:
        del self.moves[event.ply :]
        del self.states[event.ply + 1 :]
        self.position = event.position
        self.offers = Offers()
        self._start_turn(event.turn, event.left, now)

    def last_turn(self, seat: int | None) -> int | None:
        """Return the ply at which a seat made its last move, to which a takeback returns."""
        return max((ply for ply, made in enumerate(self.moves) if made.side == seat), default=None)

    def _start_turn(self, turn: int, left: TimesLeft | None, now: float) -> None:
        self.turn, self.left, self._turn_started = turn, left, now
        self._free = self.setup.clock.per_move / 1000

    def _apply_offer(self, event: Event) -> None:
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


def seat_of(player: Seat | Seated, online: bool = True) -> Seat:
    return Seat(
        player=player.player,
        name=player.name,
        account=player.account,
        online=online,
        rating=player.rating,
        provisional=player.provisional,
        bot=player.bot,
        engine=player.engine,
        version=player.version,
    )
