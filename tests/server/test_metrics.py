"""Metrics in the text format of Prometheus."""

from __future__ import annotations

from pathlib import Path

from server.metrics import Metrics, saved_sample, total_text, worker_file


def test_counters_and_gauges_have_help_type_and_value() -> None:
    metrics = Metrics()
    metrics.moves = 3
    metrics.refusals["stale"] += 2
    text = metrics.text({"players_online": 7}, {("conga", "running"): 1})
    assert (
        "# HELP parlour_moves_total Accepted moves\n# TYPE parlour_moves_total counter\nparlour_moves_total 3\n" in text
    )
    assert 'parlour_refusals_total{code="stale"} 2\n' in text
    assert 'parlour_rooms{game="conga",status="running"} 1\n' in text
    assert "# HELP parlour_players_online Players online\n" in text


def test_histogram_buckets_are_cumulative() -> None:
    metrics = Metrics()
    for seconds in (0.0005, 0.001, 0.02, 9.0):
        metrics.observe_commit(seconds, 1)
    text = metrics.text({}, {})
    assert 'parlour_append_seconds_bucket{le="0.001"} 2\n' in text
    assert 'parlour_append_seconds_bucket{le="1.0"} 3\n' in text
    assert 'parlour_append_seconds_bucket{le="+Inf"} 4\n' in text
    assert "parlour_append_seconds_sum 9.021500\nparlour_append_seconds_count 4\n" in text


def test_successor_of_a_worker_counts_on_from_what_was_reported(tmp_path: Path) -> None:
    file = worker_file(str(tmp_path), 3)
    assert saved_sample(file) is None
    metrics = Metrics(file)
    metrics.moves, metrics.loop_lag, metrics.store_rows = 3, 0.5, {"rooms": 7}
    metrics.refusals["stale"] += 2
    metrics.observe_commit(0.02, 1)
    metrics.sample({"connections": 5.0}, {("conga", "running"): 1})
    successor = Metrics(file)
    successor.moves += 1
    text = successor.text({}, {})
    assert "parlour_moves_total 4\n" in text
    assert 'parlour_refusals_total{code="stale"} 2\n' in text
    assert "parlour_append_seconds_count 1\n" in text
    assert "parlour_loop_lag_seconds 0\n" in text
    assert "parlour_store_rows{" not in text
    assert "parlour_moves_total 3\n" in total_text([saved_sample(file) or ({}, {}, {})])


def test_metrics_are_reported_although_they_cannot_be_saved(tmp_path: Path) -> None:
    metrics = Metrics(tmp_path / "missing" / "metrics-0")
    metrics.moves = 3
    assert metrics.sample({}, {})[0]["moves"] == 3
