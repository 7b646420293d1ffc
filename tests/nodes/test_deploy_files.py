"""Dashboard, alert rules and Kubernetes manifests: they are valid, and name only metrics and settings that exist."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from protocol.types import ERROR_CODES
from server.config import Settings
from tests.e2e.local_server import running_server
from tests.e2e.pages import get

DEPLOY = Path(__file__).parents[2] / "deploy"
RULES = DEPLOY / "prometheus-rules.yml"
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana-dashboard.json").read_text("utf-8"))
KUBERNETES = DEPLOY / "kubernetes.yaml"
METRIC = re.compile(r"\bparlour_\w+")


def dashboard_queries() -> list[str]:
    return [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


def alert_queries() -> list[str]:
    return re.findall(r"^ +expr: (.*)$", RULES.read_text("utf-8"), re.M)


async def test_metrics_in_dashboard_and_alerts_are_exported(tmp_path: Path) -> None:
    async with running_server(tmp_path, house="none") as server:
        _, text = await get(server.url, "/metrics")
    exported = set(re.findall(r"^# TYPE (\w+)", text, re.M))
    histograms = set(re.findall(r"^# TYPE (\w+) histogram", text, re.M))
    exported |= {f"{name}_bucket" for name in histograms}
    queries = dashboard_queries() + alert_queries()
    assert len(queries) > 20
    assert {name for query in queries for name in METRIC.findall(query)} <= exported


def test_refusal_codes_in_alerts_exist() -> None:
    codes = set(re.findall(r'code="(\w+)"', " ".join(alert_queries() + dashboard_queries())))
    assert codes
    assert codes <= set(ERROR_CODES)


def test_panels_do_not_overlap() -> None:
    places = [tuple(panel["gridPos"][side] for side in "xywh") for panel in DASHBOARD["panels"]]
    assert len(set(places)) == len(places)
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(places)
    assert all(panel["datasource"]["uid"] == "${datasource}" for panel in DASHBOARD["panels"])


def test_prometheus_accepts_the_rules() -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("Prometheus is not installed")
    done = subprocess.run([promtool, "check", "rules", RULES], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_manifests_fit_the_schemas_of_kubernetes() -> None:
    yaml, validator = pytest.importorskip("yaml"), pytest.importorskip("kubernetes_validate")
    documents = list(yaml.safe_load_all(KUBERNETES.read_text("utf-8")))
    assert [document["kind"] for document in documents] == [
        "ConfigMap", "StatefulSet", "Service", "PodDisruptionBudget",
    ]  # fmt: skip
    for document in documents:
        validator.validate(document, validator.latest_version(), strict=True)


def test_manifests_name_settings_and_paths_that_exist() -> None:
    text = KUBERNETES.read_text("utf-8")
    known = {f"PARLOUR_{entry.name.upper()}" for entry in fields(Settings)}
    assert set(re.findall(r"PARLOUR_[A-Z_]+", text)) <= known
    assert set(re.findall(r"path: (/\w+)", text)) == {"/livez", "/readyz"}
