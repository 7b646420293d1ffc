"""The workflow on GitHub runs what the README tells a newcomer to run, on every Python that pyproject.toml names."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from tests.scripts import ROOT, load_script

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```sh\n(.*?)^```$", README, re.S | re.M)


@pytest.fixture(scope="module")
def workflow() -> Any:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))


def script_of(job: Any) -> list[str]:
    return [line.strip() for step in job["steps"] for line in step.get("run", "").splitlines()]


def test_workflow_runs_the_test_command_and_the_checks(workflow: Any) -> None:
    lines = script_of(workflow["jobs"]["test"])
    assert [command.strip() in lines for command in COMMANDS if "pytest" in command] == [True]
    assert "scripts/check" in lines


def test_workflow_installs_and_starts_the_server_as_the_readme_does(workflow: Any) -> None:
    lines = script_of(workflow["jobs"]["test"])
    install = COMMANDS[0].strip().rpartition(" && ")[0]
    assert install in lines
    assert lines.index(install) + 1 == lines.index(".venv/bin/parlour serve &")
    assert any("/healthz" in line for line in lines)


def test_workflow_covers_the_pythons_of_the_classifiers_on_linux_and_macos(workflow: Any) -> None:
    matrix = workflow["jobs"]["test"]["strategy"]["matrix"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = re.findall(r"Python :: (3\.\d+)$", "\n".join(project["classifiers"]), re.M)
    assert matrix["python"] == named
    assert matrix["os"] == ["ubuntu-latest", "macos-latest"]


def test_every_script_that_the_workflow_calls_exists(workflow: Any) -> None:
    lines = [line for job in workflow["jobs"].values() for line in script_of(job)]
    called = {word for line in lines for word in line.split() if word.startswith("scripts/")}
    assert called == {"scripts/check", "scripts/coverage"}
    assert all((ROOT / name).stat().st_mode & 0o100 for name in called)


@pytest.mark.parametrize(
    ("file", "job"), [("ci", "test"), ("ci", "coverage"), ("stress", "stress"), ("stress", "long")]
)
def test_jobs_with_tests_have_a_jail_that_works(file: str, job: str) -> None:
    yaml = pytest.importorskip("yaml")
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / f"{file}.yml").read_text(encoding="utf-8"))["jobs"]
    lines = script_of(jobs[job])
    assert any("install" in line and "bubblewrap" in line for line in lines)
    assert any(line.startswith("bwrap ") for line in lines), "a jail that does not work would skip its tests"


def test_every_stress_scenario_and_the_long_tests_run_on_a_schedule() -> None:
    yaml = pytest.importorskip("yaml")
    stress = yaml.safe_load((ROOT / ".github" / "workflows" / "stress.yml").read_text(encoding="utf-8"))
    assert stress[True]["schedule"], "YAML reads the key `on` as true"
    assert ".venv/bin/pytest -n 4 --dist loadfile -m long" in script_of(stress["jobs"]["long"])
    job = stress["jobs"]["stress"]
    assert {"plain", *job["strategy"]["matrix"]["scenario"]} == load_script("stress-tests").SCENARIOS.keys()
    assert "scripts/stress-tests ${{ matrix.scenario }} --runs 2" in script_of(job)


def test_templates_are_valid_yaml_with_unique_ids() -> None:
    yaml = pytest.importorskip("yaml")
    for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"):
        form = yaml.safe_load(path.read_text(encoding="utf-8"))
        ids = [field["id"] for field in form["body"] if "id" in field]
        assert {"name", "description", "labels", "body"} == form.keys(), path.name
        assert ids, path.name
        assert len(ids) == len(set(ids)), path.name
