"""The folder of a tournament.

plan.toml     the plan; it cannot change once the first game has begun
log.jsonl     the log
reviews.jsonl the reviews of its games; they are made again if the file is deleted
server/       the database of the tournament's own server
players/      sessions and output of the players that the runner starts
forensics/    crash reports
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from client.tournament.journal.log import read
from client.tournament.journal.replay import TournamentState, replay
from client.tournament.journal.review_log import REVIEWS_FILE, current_reviews, reviews_of
from client.tournament.model import plan_file
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Plan
from runtime.file_errors import describe_file_error
from runtime.untrusted_files import MAX_OWN_LOG_BYTES


class Folder:
    def __init__(self, path: Path, max_log_bytes: int = MAX_OWN_LOG_BYTES) -> None:
        self.path, self._max_log_bytes = path, max_log_bytes
        self.plan_file = path / "plan.toml"
        self.log_file = path / "log.jsonl"
        self.reviews_file = path / REVIEWS_FILE
        self.server = path / "server"
        self.players = path / "players"
        self.forensics = path / "forensics"

    @property
    def exists(self) -> bool:
        return self.plan_file.is_file()

    def create(self, plan: Plan) -> None:
        """Write the plan of a new tournament. Raises TournamentError if the folder has one or cannot be written."""
        if self.exists:
            raise TournamentError(f"{self.path} already contains a tournament: resume it, or choose another folder")
        plan_file.check(plan, self.plan_file)
        draft = self.plan_file.with_suffix(".draft")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            draft.write_text(plan_file.write(plan), encoding="utf-8")
            draft.replace(self.plan_file)
        except FileExistsError:
            raise TournamentError(f"{self.path} is a file, not a folder: choose another name") from None
        except OSError as error:
            raise TournamentError(describe_file_error("write", self.plan_file, error)) from None

    def plan(self) -> Plan:
        """Return the plan. Raises TournamentError if there is none."""
        if not self.exists:
            how = "give the folder of one, or create one with 'parlour tournament new'"
            raise TournamentError(f"there is no tournament in {self.path}: {how}")
        return plan_file.load(self.plan_file, with_files=False)

    def plan_digest(self) -> str:
        return sha256(self.plan_file.read_bytes()).hexdigest()

    def state(self) -> TournamentState:
        """Return the state so far, also while the tournament is running."""
        state = replay(read(self.log_file, self._max_log_bytes)) if self.log_file.exists() else TournamentState()
        self.check_plan(state)
        return state

    def state_with_reviews(self) -> TournamentState:
        """Return the state so far, with the reviews of its games."""
        state = self.state()
        if self.reviews_file.exists():
            reviews = reviews_of(read(self.reviews_file, self._max_log_bytes), self.reviews_file)
            state.reviews = current_reviews(reviews, state.results)
        return state

    def check_plan(self, state: TournamentState) -> None:
        """Raise TournamentError if the plan has changed since the first game."""
        if state.begun and state.plan_digest != self.plan_digest():
            raise TournamentError(f"{self.plan_file} was changed after the tournament had begun: restore it")
