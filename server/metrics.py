"""Metrics in the text format of Prometheus.

See https://prometheus.io/docs/instrumenting/exposition_formats.
"""

from __future__ import annotations

import marshal
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)  # upper bounds


Sample = tuple[dict[str, Any], dict[str, float], dict[tuple[str, str], int]]  # values, gauges, rooms
COMBINED_GAUGES: dict[str, Callable[[float, float], float]] = {
    "clock_skew_seconds": lambda one, other: max(one, other, key=abs),
    "bus_up": min,
    "bus_responsive": min,
    "bus_overloaded": max,
}


class Histogram:
    """Durations, counted by bucket."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS_S) + 1)
        self.sum = 0.0

    def observe(self, value: float) -> None:
        self.sum += value
        for index, bound in enumerate(BUCKETS_S):
            if value <= bound:
                self.counts[index] += 1
                return
        self.counts[-1] += 1


class Metrics:
    """Counters of the running server. Values that can be looked up are passed to `text` instead.

    `file`: where a worker saves what it reports. The worker that takes its place after a crash counts on from there, so
    that the sums of all workers never fall.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self.moves = 0
        self.events = 0
        self.refusals: Counter[str] = Counter()
        self.turned_away: Counter[str] = Counter()  # connections, by reason
        self.commits = Histogram()
        self.arrivals = 0  # connections that have moved here from another worker
        self.loop_lag = 0.0
        self.pruned: Counter[str] = Counter()  # by retention
        self.store_rows: dict[str, int] = {}  # by table
        self.store_bytes: dict[str, int] = {}  # by table or file
        before = None if file is None else saved_sample(file)
        if before is not None:
            self.add(before[0] | {"loop_lag": 0.0, "store_rows": {}, "store_bytes": {}})

    def observe_commit(self, seconds: float, jobs: int) -> None:
        self.commits.observe(seconds)

    def sample(self, gauges: Mapping[str, float], rooms: Mapping[tuple[str, str], int]) -> Sample:
        """Return all metrics as plain values, for another worker."""
        values = {
            name: dict(value) if isinstance(value, dict) else value
            for name, value in vars(self).items()
            if not name.startswith("_")
        }
        values["commits"] = (self.commits.counts, self.commits.sum)
        if self._file is not None:
            save_values(self._file, values)
        return values, dict(gauges), dict(rooms)

    def add(self, values: Mapping[str, Any]) -> None:
        """Add the metrics of another worker. Of values that are not counted, keep the largest."""
        counts, total = values["commits"]
        self.commits.counts = [mine + other for mine, other in zip(self.commits.counts, counts, strict=True)]
        self.commits.sum += total
        self.moves += values["moves"]
        self.events += values["events"]
        self.arrivals += values["arrivals"]
        self.loop_lag = max(self.loop_lag, values["loop_lag"])
        for name in ("refusals", "turned_away", "pruned"):
            getattr(self, name).update(values[name])
        for name in ("store_rows", "store_bytes"):
            mine = getattr(self, name)
            mine |= {key: max(mine.get(key, 0), value) for key, value in values[name].items()}

    def text(self, gauges: Mapping[str, float], rooms: Mapping[tuple[str, str], int]) -> str:
        """Return all metrics as text. `rooms`: the number of rooms by game and status."""
        lines: list[str] = []
        family(lines, "parlour_moves_total", "counter", "Accepted moves", [("", self.moves)])
        family(lines, "parlour_events_total", "counter", "Events written to rooms", [("", self.events)])
        family(lines, "parlour_refusals_total", "counter", "Refused commands", labelled("code", self.refusals))
        reasons = labelled("reason", self.turned_away)
        help = "Connections refused or closed by the server"
        family(lines, "parlour_turned_away_total", "counter", help, reasons)
        help = "Connections that moved from worker to worker"
        family(lines, "parlour_moved_connections_total", "counter", help, [("", self.arrivals)])
        by_room = [(f'{{game="{game}",status="{status}"}}', n) for (game, status), n in sorted(rooms.items())]
        family(lines, "parlour_rooms", "gauge", "Rooms in memory", by_room)
        family(lines, "parlour_loop_lag_seconds", "gauge", "Delay of the event loop", [("", self.loop_lag)])
        family(lines, "parlour_pruned_total", "counter", "Deleted by retention", labelled("kind", self.pruned))
        family(lines, "parlour_store_rows", "gauge", "Rows in the store", labelled("table", self.store_rows))
        family(lines, "parlour_store_bytes", "gauge", "Size of the store", labelled("part", self.store_bytes))
        for name, value in gauges.items():
            family(lines, f"parlour_{name}", "gauge", name.replace("_", " ").capitalize(), [("", value)])
        histogram(lines, "parlour_append_seconds", "Duration of a store transaction", self.commits)
        return "\n".join(lines) + "\n"


def worker_file(folder: str, index: int) -> Path:
    """Return the file for the metrics of a worker. `folder`: that of the sockets of all workers."""
    return Path(folder) / f"metrics-{index}"


def save_values(file: Path, values: dict[str, Any]) -> None:
    """Replace the values in a file. If that fails, as on a full disk, the older ones stay."""
    draft = file.with_name(f"{file.name}.draft")
    with suppress(OSError):
        draft.write_bytes(marshal.dumps(values))
        draft.replace(file)


def saved_sample(file: Path) -> Sample | None:
    """Return the values that a worker last reported, without gauges and rooms. None if it has reported nothing."""
    try:
        return marshal.loads(file.read_bytes()), {}, {}
    except FileNotFoundError:
        return None


def total_text(samples: Iterable[Sample]) -> str:
    """Return the metrics of all workers as one text."""
    total, gauges, rooms = Metrics(), dict[str, float](), Counter[tuple[str, str]]()
    for values, worker_gauges, worker_rooms in samples:
        total.add(values)
        rooms.update(worker_rooms)
        for name, value in worker_gauges.items():
            combine = COMBINED_GAUGES.get(name)
            known = gauges.get(name, 0.0 if combine is None else value)
            gauges[name] = known + value if combine is None else combine(known, value)
    return total.text(gauges, rooms)


def family(lines: list[str], name: str, kind: str, help: str, samples: Iterable[tuple[str, float]]) -> None:
    """Add a metric with its samples to the lines."""
    lines.append(f"# HELP {name} {help}")
    lines.append(f"# TYPE {name} {kind}")
    lines += [
        f"{name}{labels} {value:g}" if value < 1e6 else f"{name}{labels} {value:.0f}" for labels, value in samples
    ]


def labelled(label: str, counts: Mapping[str, int]) -> list[tuple[str, float]]:
    return [(f'{{{label}="{key}"}}', count) for key, count in sorted(counts.items())]


def histogram(lines: list[str], name: str, help: str, values: Histogram) -> None:
    """Add a histogram to the lines."""
    lines += [f"# HELP {name} {help}", f"# TYPE {name} histogram"]
    total = 0
    for bound, count in zip([*map(str, BUCKETS_S), "+Inf"], values.counts, strict=True):
        total += count
        lines.append(f'{name}_bucket{{le="{bound}"}} {total}')
    lines += [f"{name}_sum {values.sum:.6f}", f"{name}_count {total}"]
