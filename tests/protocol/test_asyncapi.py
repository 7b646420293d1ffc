"""docs/asyncapi.yaml is current and valid AsyncAPI 3."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from protocol.commands import AnyCommand
from protocol.events import PublicEvent
from protocol.replies import AnyReply

HOME = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("asyncapi_script", HOME / "scripts" / "asyncapi.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def references(tree: Any) -> Iterator[str]:
    if isinstance(tree, dict):
        if isinstance(tree.get("$ref"), str):
            yield tree["$ref"]
        for child in tree.values():
            yield from references(child)
    elif isinstance(tree, list):
        for child in tree:
            yield from references(child)


def look_up(document: Any, reference: str) -> Any:
    for word in reference.removeprefix("#/").split("/"):
        document = document[word]
    return document


def test_file_is_current(script: ModuleType) -> None:
    written = (HOME / "docs" / "asyncapi.yaml").read_text("utf-8")
    assert written == script.yaml(script.document()).lstrip("\n") + "\n", "run scripts/asyncapi.py"


def test_every_reference_resolves(script: ModuleType) -> None:
    document = script.document()
    found = [look_up(document, reference) for reference in references(document)]
    assert len(found) > 100
    assert all(found)


def test_required_fields_of_asyncapi_3_are_present(script: ModuleType) -> None:
    document = script.document()
    assert document["asyncapi"] == "3.0.0"
    assert {"title", "version"} <= document["info"].keys()
    for server in document["servers"].values():
        assert {"host", "protocol"} <= server.keys()
    for operation in document["operations"].values():
        assert operation["action"] in ("send", "receive")
        channel = operation["channel"]["$ref"]
        assert all(message["$ref"].startswith(f"{channel}/messages/") for message in operation["messages"])


def test_every_message_is_listed_with_its_type(script: ModuleType) -> None:
    document = script.document()
    kinds = [*AnyCommand.__args__, *PublicEvent.__args__, *AnyReply.__args__]
    assert document["components"]["messages"].keys() == {kind.__name__ for kind in kinds}
    for kind in kinds:
        schema = document["components"]["schemas"][kind.__name__]
        assert schema["properties"]["type"] == {"enum": [kind.__struct_config__.tag]}
        assert set(schema["properties"]) == {"type", *kind.__struct_fields__}
        assert "type" in schema["required"]


def test_file_is_valid_yaml(script: ModuleType) -> None:
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load((HOME / "docs" / "asyncapi.yaml").read_text("utf-8")) == plain(script.document())


def plain(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: plain(value) for key, value in tree.items()}
    return [plain(value) for value in tree] if isinstance(tree, list | tuple) else tree
