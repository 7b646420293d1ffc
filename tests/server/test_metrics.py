"""Metrics in the text format of Prometheus."""

from __future__ import annotations

from server.metrics import Metrics


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
