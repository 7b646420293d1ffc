"""docs/api.md describes every public name, and is what scripts/api writes today."""

from __future__ import annotations

from types import ModuleType

import pytest

import parlour
from tests.scripts import ROOT, load_script


@pytest.fixture(scope="module")
def api() -> ModuleType:
    pytest.importorskip("gymnasium", reason="the page describes parlour.gym")
    pytest.importorskip("pettingzoo", reason="the page describes parlour.gym")
    return load_script("api")


def test_page_is_current(api: ModuleType) -> None:
    written = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    current = written == api.page()
    assert current, "a docstring or signature has changed: run .venv/bin/python scripts/api and commit docs/api.md"


def test_page_has_a_section_for_every_public_name(api: ModuleType) -> None:
    text = api.page()
    assert [name for name in parlour.PUBLIC if f"\n### `{name}`\n" not in text] == []


def test_signatures_are_shown_as_in_the_source(api: ModuleType) -> None:
    def short(a: int, *, b: str = "x") -> list[int]:
        raise AssertionError(a, b)

    assert api.signature("short", short) == "short(a: int, *, b: str = 'x') -> list[int]"


def test_long_signatures_have_one_parameter_a_line(api: ModuleType) -> None:
    def long(first_parameter_of_all: dict[str, int], second_parameter_of_all: dict[str, int], third: int = 3) -> None:
        raise AssertionError(first_parameter_of_all, second_parameter_of_all, third)

    assert api.signature("long", long).splitlines()[-2:] == ["    third: int = 3,", ") -> None"]


def test_page_does_not_depend_on_memory_addresses(api: ModuleType) -> None:
    assert " at 0x" not in api.page()


def test_public_name_without_a_group_is_refused(api: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(api.GROUPS, "Records", ("Record",))
    with pytest.raises(SystemExit, match="Played"):
        api.page()
