"""The folder of a tournament: its plan, its log, and what its players leave behind.

plan.toml     what is played; it does not change once the first game has begun
log.jsonl     what has happened
server/       the games of the private server, if there is one
players/      sessions and output of the players that are started
forensics/    the evidence of every failure
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from client.tournament.journal.log import read
from client.tournament.journal.replay import TournamentState, replay
from client.tournament.model import plan_file
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Plan


class Folder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.plan_file = path / "plan.toml"
        self.log_file = path / "log.jsonl"
        self.server = path / "server"
        self.players = path / "players"
        self.forensics = path / "forensics"

    @property
    def exists(self) -> bool:
        return self.plan_file.is_file()

    def create(self, plan: Plan) -> None:
        """TournamentError if there is one already."""
        if self.exists:
            raise TournamentError(
                f"there is a tournament in {self.path} already; go on with it, or choose another folder"
            )
        plan_file.check(plan, self.plan_file)
        self.path.mkdir(parents=True, exist_ok=True)
        draft = self.plan_file.with_suffix(".draft")
        draft.write_text(plan_file.write(plan), encoding="utf-8")
        draft.replace(self.plan_file)

    def plan(self) -> Plan:
        if not self.exists:
            raise TournamentError(f"there is no tournament in {self.path}; 'parlour tournament new' makes one")
        return plan_file.load(self.plan_file)

    def digest(self) -> str:
        return sha256(self.plan_file.read_bytes()).hexdigest()

    def state(self) -> TournamentState:
        """What has happened so far, also while it is being played."""
        state = replay(read(self.log_file)) if self.log_file.exists() else TournamentState()
        self.check_plan(state)
        return state

    def check_plan(self, state: TournamentState) -> None:
        if state.begun and state.plan != self.digest():
            raise TournamentError(f"{self.plan_file} was changed after the tournament had begun; put it back as it was")
