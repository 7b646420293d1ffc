"""Numbers for Prometheus, in its text format.  prometheus.io/docs/instrumenting/exposition_formats"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)  # seconds


class Histogram:
    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.sum = 0.0

    def observe(self, value: float) -> None:
        self.sum += value
        for index, bound in enumerate(BUCKETS):
            if value <= bound:
                self.counts[index] += 1
                return
        self.counts[-1] += 1


class Metrics:
    """What is counted while the server runs; what can be looked up is looked up when someone asks."""

    def __init__(self) -> None:
        self.moves = 0
        self.events = 0
        self.refusals: Counter[str] = Counter()
        self.turned_away: Counter[str] = Counter()  # connections, by why
        self.commits = Histogram()
        self.loop_lag = 0.0

    def observe_commit(self, seconds: float, jobs: int) -> None:
        self.commits.observe(seconds)

    def text(self, gauges: Mapping[str, float], rooms: Mapping[tuple[str, str], int]) -> str:
        lines: list[str] = []
        family(lines, "parlour_moves_total", "counter", "Accepted moves", [("", self.moves)])
        family(lines, "parlour_events_total", "counter", "Events written to rooms", [("", self.events)])
        family(lines, "parlour_refusals_total", "counter", "Refused commands", labelled("code", self.refusals))
        turned = labelled("reason", self.turned_away)
        family(lines, "parlour_turned_away_total", "counter", "Connections refused or cut", turned)
        by_room = [(f'{{game="{game}",status="{status}"}}', n) for (game, status), n in sorted(rooms.items())]
        family(lines, "parlour_rooms", "gauge", "Rooms in memory", by_room)
        family(lines, "parlour_loop_lag_seconds", "gauge", "How late the event loop is", [("", self.loop_lag)])
        for name, value in gauges.items():
            family(lines, f"parlour_{name}", "gauge", name.replace("_", " ").capitalize(), [("", value)])
        histogram(lines, "parlour_append_seconds", "One transaction of the store", self.commits)
        return "\n".join(lines) + "\n"


def family(lines: list[str], name: str, kind: str, help: str, samples: Iterable[tuple[str, float]]) -> None:
    lines.append(f"# HELP {name} {help}")
    lines.append(f"# TYPE {name} {kind}")
    lines += [
        f"{name}{labels} {value:g}" if value < 1e6 else f"{name}{labels} {value:.0f}" for labels, value in samples
    ]


def labelled(label: str, counts: Mapping[str, int]) -> list[tuple[str, float]]:
    return [(f'{{{label}="{key}"}}', count) for key, count in sorted(counts.items())]


def histogram(lines: list[str], name: str, help: str, values: Histogram) -> None:
    lines += [f"# HELP {name} {help}", f"# TYPE {name} histogram"]
    total = 0
    for bound, count in zip([*map(str, BUCKETS), "+Inf"], values.counts, strict=True):
        total += count
        lines.append(f'{name}_bucket{{le="{bound}"}} {total}')
    lines += [f"{name}_sum {values.sum:.6f}", f"{name}_count {total}"]
